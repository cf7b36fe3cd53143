"""
Profile a training loop
=======================

A run of hours needs a profile of a few steps: taken after the start, written once, and by each rank to a
file of its own. Everything here is plain torch, to be pasted into a loop that you have.
"""

import os
from pathlib import Path

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

from profiling_series import read, show, summary, timeline

device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = [(torch.randn(32, 64), torch.randint(10, (32,))) for _ in range(30)]  # [batch, features], [batch]

# %%
# Where it goes
# -------------
# One path for all ranks is a race that leaves one file, or none. Put the rank into the name. Make the folder
# first: where it is missing torch writes nothing, and does not say so.

rank = int(os.environ.get("RANK", 0))
folder = Path("traces")
folder.mkdir(exist_ok=True)


def keep(prof):
    """Write one window; torch calls this when its last active step ends, and a second export would fail."""
    prof.export_chrome_trace(str(folder / f"train_rank{rank}_step{prof.step_num}.json"))
    (folder / f"train_rank{rank}_step{prof.step_num}.txt").write_text(prof.key_averages().table())


# %%
# When it records
# ---------------
# Skip the first ten steps, let the profiler warm up in two, keep three. ``repeat=2`` would do so twice, and
# write two files. The loop must reach the last of them: one that ends earlier leaves a trace that is valid,
# and empty.

plan = schedule(skip_first=10, wait=1, warmup=2, active=3, repeat=1)
activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if device == "cuda" else [])
with profile(activities=activities, schedule=plan, on_trace_ready=keep) as prof:
    for inputs, targets in data:
        with record_function("to_device"):
            inputs, targets = inputs.to(device), targets.to(device)
        with record_function("forward"):
            loss = nn.functional.cross_entropy(model(inputs), targets)
        with record_function("backward"):
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        prof.step()

written = sorted(folder.glob(f"train_rank{rank}_*.json"))
print(*(path.name for path in written), sep="\n")

# %%
# Read it here, or all ranks' files with ``profiling-series read traces/*.json``.

trace = read(written[-1])
show(summary(trace))

# %%

show(timeline(trace, steps=-1))

# %%
# One window in two lines is ``with record("train", schedule=Schedule(wait=11, warmup=2)) as rec:`` and
# ``rec.step()``: it makes the folder, adds the rank, exports once, and says so if the loop was too short.
#
# Leave ``with_stack`` and ``profile_memory`` off until you need them: both cost time in every op.
