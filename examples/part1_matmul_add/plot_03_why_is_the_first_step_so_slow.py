"""
Why is the first step so slow?
==============================

Afterwards you can

- warm a measurement up in the two places where it is cold: your program, and the profiler;
- tell what neither of them removes, and leave it out;
- keep apart what a step takes under the profiler and what it costs without.

The program is the product and the addition at 64×64, where nearly all of the time is the CPU's.
"""

import numpy as np
import torch
from torch.profiler import profile, schedule
from torch.utils.benchmark import Timer

from profiling_series import MatmulAdd, Schedule, capture, capture_runs
from profiling_series import check, has_gpu, over_processes, show
from profiling_series import time_runs, timeline

device = "cuda" if torch.cuda.is_available() else "cpu"
x, w, b = torch.randn(3, 64, 64, device=device).bfloat16()  # [64, 64] each


def matmul_add():
    return torch.add(torch.matmul(x, w), b)  # -> [64, 64]


# %%
# Guess
# -----
# Every step does the same, on the same data. So each should take equally long, and does not:
#
# 1. How many times as long as the third :term:`step` does the first of a fresh process take?
# 2. Call the function three times before the profiler starts. Are the steps alike then?
# 3. The trace says how long a step takes. Does your program need as long for it?
#
# In plain torch: two warm-ups
# ----------------------------
# The first is yours: a few calls, in which libraries load their kernels and make their workspaces. The second
# is the profiler's: during a step of ``warmup=1`` it runs already, and throws the events away.

for _ in range(3):
    matmul_add()
with profile(schedule=schedule(wait=1, warmup=1, active=3)) as prof:
    for _ in range(1 + 1 + 3):
        matmul_add()
        prof.step()

# %%
# Look: with and without
# ----------------------
# In fresh processes: neither warm-up, three calls, the schedule's, and both. The CPU's times differ from one
# process to the next, so the last two are done several times.

work, at_once = MatmulAdd(size=64), Schedule(wait=0, warmup=0, active=20)
runs = 5 if has_gpu() else 2  # two are enough to try this on a CPU
groups = {
    "neither": [capture(work, warm=False, schedule=at_once)],
    "calls": [capture(work, schedule=at_once)],
    "schedule": capture_runs(work, runs, warm=False),
    "both": capture_runs(work, runs, schedule=Schedule(active=20)),
}


def times(one):
    return [step.dur_us for step in one.trace.steps if step.complete]


def by_step(each):
    return {f"step {k + 1}": [values[k] for values in each] for k in range(3)}


rows = {name: by_step([times(one) for one in group]) for name, group in groups.items()}
every = [one for group in groups.values() for one in group]
show(over_processes("CPU time of the recorded steps", rows, every))

# %%
# With neither, the first step takes :measured:`groups["neither"]: ms(step(1).dur)`: nothing has run before.
#
# .. when:: groups["neither"]: step(1).rows("Loading", "Malloc").names
#
#    The trace names some of what is done for the first time:
#    :measured:`groups["neither"]: step(1).rows("Loading", "Malloc").names`.
#
# .. when:: groups["calls"].step(1).dur < 0.5 * groups["neither"].step(1).dur
#
#    Three calls leave :measured:`groups["calls"]: ms(step(1).dur)` of it. The program is warm then, and the
#    profiler is not.
#
# With the schedule's alone it is :measured:`groups["schedule"].step(1).dur` (median of :measured:`runs`): its
# two unrecorded steps are calls as well, so it warms up either. With both it is
# :measured:`groups["both"].step(1).dur`.
#
# .. when:: overlap(groups["schedule"].step(1).dur, groups["both"].step(1).dur)
#
#    Look at the brackets: these two overlap. One process of each could have shown either as the faster.
#
# .. when:: groups["both"].step(1).dur > 1.2 * groups["both"].step(3).dur
#
#    And what neither removes: with both, the first step takes
#    :measured:`groups["both"].step(1).dur / groups["both"].step(3).dur` times the third.
#
# Look: the dead window
# ---------------------
# Zoom in to a first step. From the start of your :term:`annotation` to the first :term:`op` in it lies the
# :term:`dead window`.

show(timeline(groups["schedule"][0], steps=0))

# %%

dead = {
    name: by_step([one.trace.annotations[0]["dead_windows_us"] for one in group])
    for name, group in groups.items()
}
show(over_processes("Dead window of each step", dead, every))

# %%
# Nothing is on record there: torch, or the profiler, does something that has no event of its own. A trace
# shows how long that takes, not what it is. But you can see whether it comes back in the next step.
#
# Explain: profiled time is not run time
# --------------------------------------
# Each row of a trace costs the profiler something; in a short step that adds up. So time it without:

timer = Timer("matmul_add()", globals={"matmul_add": matmul_add})
took = timer.blocked_autorange(min_run_time=0.2)
print(f"without the profiler, one call: {took.median * 1e6:.1f} µs on this machine's {device}")

# %%
# ``time_runs`` does that in fresh processes. Beside it stand the captures with both warm-ups, steps 6 to 20.

timed = time_runs(work, runs)
settled = [np.median(times(one)[5:]) for one in groups["both"]]
without = [each.median_us for each in timed]
rows = {"under the profiler": {"a step": settled}, "without": {"a step": without}}
show(over_processes("What a settled step takes", rows, every + timed))

# %%
# .. when:: groups["both"].steps(6).dur.low > timed.time.high
#
#    Under the profiler a step takes :measured:`groups["both"].steps(6).dur`, without it
#    :measured:`timed.time`. A trace tells *where* time goes; *how fast* a program is, a timer tells.
#
# .. when:: not (groups["both"].steps(6).dur.low > timed.time.high)
#
#    Here the two overlap: between processes the times differ by more than the profiler costs.
#
# Check
# -----

show(check("dead-window-first", groups["schedule"]))

# %%
# After both warm-ups the steps should be alike, so the guess is 1:

show(check("first-step-factor-warm", groups["both"], guess=1))

# %%
# Try
# ---
# ``capture_runs(MatmulAdd(size=4096), 5)``: is the first step's surplus larger now, or just as long?
#
# Words
# -----
# :term:`annotation`, :term:`dead window`, :term:`op`, :term:`step`, :term:`trace`
#
# Findings: :finding:`cold-first-step`, :finding:`profiler-first-step`, :finding:`dead-window`,
# :finding:`steps-not-settled`
