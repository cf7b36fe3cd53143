"""
What does the profiler give back?
=================================

A table and a trace. What is measured here is as small as programs get, one matrix product and one addition,
so that every bar can be accounted for. Afterwards you can

- put ``torch.profiler`` around a loop of your own, and say what each line is for;
- read the table that it prints: what a column adds up, and which row is not work;
- read the trace that it writes: lanes, nesting, and the gaps between the bars.
"""

from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

on_gpu = torch.cuda.is_available()
device = "cuda" if on_gpu else "cpu"
n = 64
x, w, b = torch.randn(3, n, n, device=device).bfloat16()  # each [64, 64]


def matmul_add(x, w, b):
    xw = torch.matmul(x, w)  # [64, 64] @ [64, 64] -> [64, 64]
    return torch.add(xw, b)  # [64, 64] + [64, 64] -> [64, 64]


# %%
# Guess
# -----
# The product is 2·64³ floating-point operations, half a million; the addition is 64² more. On paper that is
# nothing for a GPU. Before you read on, write down a guess:
#
# 1. How many :term:`kernels <kernel>` does one call of ``matmul_add`` run on the GPU?
# 2. What share of the time is the GPU busy: nearly all of it, half, a few percent?
# 3. Three steps are recorded, all alike. Do they take equally long?

# %%
# Look: plain torch, line by line
# -------------------------------
# These are the lines to carry into your own project. ``record_function`` puts a name of yours, an
# :term:`annotation`, around what you care about. ``prof.step()`` ends one turn of the loop, a :term:`step`.
# ``schedule`` says what becomes of each: one passes unwatched, one lets the profiler warm up and is thrown
# away, three are kept.

activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if on_gpu else [])
plan = schedule(wait=1, warmup=1, active=3, repeat=1)
with profile(activities=activities, schedule=plan) as prof:
    for _ in range(1 + 1 + 3):
        with record_function("matmul_add"):
            matmul_add(x, w, b)
        prof.step()

# %%
# Two things come back. The :term:`trace` is a file of every event, with its start and its duration. The
# :term:`table` adds up events of the same name. Make the folder first: where it is missing, torch writes
# no trace and does not say so.

Path("traces").mkdir(exist_ok=True)
prof.export_chrome_trace("traces/first.json")
print(prof.key_averages().table(sort_by=f"self_{device}_time_total"))

# %%
# .. when:: on_gpu
#
#    All of that ran on the GPU of the machine that built this page.
#
# .. when:: not on_gpu
#
#    The machine that built this page has no GPU. So this is a CPU table: every column counts the CPU's time,
#    and no row is a kernel.
#
# .. when:: cap: source == "recorded"
#
#    From here on the page shows a recording that was made on a GPU.
#
# Look: the same in one call
# --------------------------
# ``capture`` does what those lines do, in a fresh process, and notes machine, versions and date with it.
# ``warm=False`` means that nothing runs before the profiler does.

from profiling_series import MatmulAdd, capture, check
from profiling_series import dispatch_chain, show, table, timeline

cap = capture(MatmulAdd(size=64), warm=False)
show(table(cap))

# %%
# A row is one name, added up over the recorded steps; ``# of Calls`` says how often it came.
#
# - **Self** is the time in the row itself, **total** adds what it called.
# - **CPU** columns tell how long the CPU prepared and launched, **CUDA** columns how long the GPU worked. GPU
#   work stands twice, at its kernel and at the op that launched it; the last line counts it once.
# - Each cell has the unit that makes it short. Read ``ms`` or ``us`` before you compare two figures.
#
# .. when:: cap: op("aten::matmul").total
#
#    ``aten::matmul`` shows the difference: of its :measured:`cap: op("aten::matmul").total` on the CPU, only
#    :measured:`cap: op("aten::matmul").self` are its own. It picks the op that does the work, and calls it.
#
# .. when:: cap: annotation.gpu_span
#
#    One row is no work at all. ``matmul_add`` stands there twice: with CPU time, as the annotation that you
#    wrote, and with CUDA time only, :measured:`cap: annotation.gpu_span`. This one is the annotation's *span*
#    on the GPU: in each step from its first kernel's start to its last one's end, waiting included. The work
#    adds up to :measured:`cap: gpu_sum`. The percentages are shares of that, so a span can have more than a
#    hundred.

show(timeline(cap))

# %%
# A **lane** is where one thing happens at a time: a thread of the CPU, a :term:`stream` of the GPU. Bars
# **nest** downwards as calls do: step, annotation, ops, launch. **Width** is duration, a **gap** is waiting.
#
# .. when:: cap: busy_share < 25
#
#    The GPU's lane is nearly all gap; its heading says how much. Each kernel is over long before the CPU
#    has the next one ready. Such a program is called :term:`overhead-bound`.
#
# .. when:: cap: step(1).dur > 1.2 * step(-1).dur
#
#    The first step took :measured:`cap: step(1).dur`, the last :measured:`cap: step(-1).dur`. The code is the
#    same in both: what torch, the driver and the profiler do only once falls into the first.
#
# Explain: from the call to the kernel
# ------------------------------------
# Follow the last step down its :term:`dispatch chain`. A line was called by the one it is indented under. A
# :term:`launch` and what it started on the GPU are tied by a number that both carry, the correlation.

show(dispatch_chain(cap))

# %%
# A launch does not wait for its kernel: it puts it into the stream's queue and returns.
#
# .. when:: cap: launch_latency
#
#    From the start of a launch call to the start of its kernel it takes :measured:`cap: launch_latency` here,
#    in the median. That is the :term:`launch latency`.
#
# Check
# -----
# Put your own guesses in, and open each. Beside yours stand what was published, on which machine, and what
# this build measured; where they differ, it says so. First the kernels:

show(check("gpu-events-per-step", cap, guess=2))

# %%
# Then who waits for whom, in the words of the :term:`verdict`:

show(check("regime", cap, guess="overhead-bound"))

# %%
# And how many times as long as the later steps the first one is. The same code thrice suggests 1:

show(check("first-step-factor", cap, guess=1))

# %%
# Try
# ---
# ``capture(MatmulAdd(size=4096), warm=False)``: the product grows by 64³. Guess all three again.
#
# Words
# -----
# :term:`annotation`, :term:`dispatch chain`, :term:`kernel`, :term:`launch`, :term:`op`, :term:`self time`,
# :term:`step`, :term:`stream`, :term:`table`, :term:`trace`
#
# Findings: :finding:`overhead-bound`, :finding:`cold-first-step`
