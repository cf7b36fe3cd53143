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
# 1. How many times as long as the third recorded :term:`step` does the first take, in a fresh process?
# 2. Call the function three times before the profiler starts. Are the steps alike then?
# 3. A step takes 60 µs in the trace. Does your program need 60 µs for it?
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
# Look: cold and warm
# -------------------
# :term:`Cold <cold>` means a fresh process in which nothing ran before; warm, that three calls did. Both have
# the profiler's warm-up step, and are done in several processes, which differ. The last row has neither.

runs = 5 if has_gpu() else 2  # two are enough to try this on a CPU
cold = capture_runs(MatmulAdd(size=64), runs, warm=False)
warm = capture_runs(MatmulAdd(size=64), runs, schedule=Schedule(active=20))
at_once = Schedule(wait=0, warmup=0, active=20)
neither = capture(MatmulAdd(size=64), warm=False, schedule=at_once)


def times(one):
    return [step.dur_us for step in one.trace.steps if step.complete]


def by_step(each):
    return {f"step {k + 1}": [values[k] for values in each] for k in range(3)}


# sphinx_gallery_start_ignore
# What the text of the site's page quotes from these captures.
_both = {"cold": cold, "warm": warm}
_first = {name: [times(one)[0] for one in group] for name, group in _both.items()}
_third = {name: [times(one)[2] for one in group] for name, group in _both.items()}
_factor = {name: float(np.median(_first[name]) / np.median(_third[name])) for name in _first}
_bare = neither.trace.steps[0].dur_us
measured = {
    "lesson3.runs": runs,
    "lesson3.cold-first": (float(np.median(_first["cold"])), "µs"),
    "lesson3.warm-first": (float(np.median(_first["warm"])), "µs"),
    "lesson3.cold-factor": f"{_factor['cold']:.1f}",
    "lesson3.warm-factor": f"{_factor['warm']:.1f}" if _factor["warm"] > 1.2 else None,
    "lesson3.overlap": max(map(min, _first.values())) <= min(map(max, _first.values())),
    "lesson3.bare": (_bare, "µs"),
    "lesson3.bare-worse": _bare > 2 * max(_first["cold"]),
}
# sphinx_gallery_end_ignore
groups = {"cold": cold, "warm": warm, "neither": [neither]}
rows = {name: by_step([times(one) for one in group]) for name, group in groups.items()}
every = [*cold, *warm, neither]
show(over_processes("CPU time of the recorded steps", rows, every))

# %%
# The first step takes :measured:`lesson3.cold-first` in a cold process, the median of
# :measured:`lesson3.runs`. That is :measured:`lesson3.cold-factor` times the third. After three calls it
# takes :measured:`lesson3.warm-first`.
#
# .. when:: lesson3.overlap
#
#    Look at the brackets: the ranges overlap. One process of each could have shown either as the faster.
#
# .. when:: lesson3.warm-factor
#
#    What no warm-up call removes: even then the first recorded step takes :measured:`lesson3.warm-factor`
#    times the third. Your program is warm; the profiler is recording for the first time.
#
# .. when:: lesson3.bare-worse
#
#    And without the profiler's own warm-up step, the first takes :measured:`lesson3.bare`. The next lesson
#    finds out what is in it.
#
# Look: the dead window
# ---------------------
# Zoom in to the first cold step. From the start of your :term:`annotation` to the first :term:`op` in it
# lies the :term:`dead window`.

show(timeline(cold[0], steps=0))

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
# Each row of a trace costs the profiler something, and in a step this short that adds up. So time it without:

timer = Timer("matmul_add()", globals={"matmul_add": matmul_add})
took = timer.blocked_autorange(min_run_time=0.2)
print(f"{took.median * 1e6:.1f} µs on this machine's {device}")

# %%
# ``time_runs`` does that in fresh processes. Beside it stand the same warm captures as above, steps 6 to 20.

timed = time_runs(MatmulAdd(size=64), runs)
settled = [np.median(times(one)[5:]) for one in warm]
# sphinx_gallery_start_ignore
_timed = float(np.median([each.median_us for each in timed]))
measured |= {
    "lesson3.timed": (_timed, "µs"),
    "lesson3.settled": (float(np.median(settled)), "µs"),
    "lesson3.cost": f"{float(np.median(settled)) / _timed:.1f}",
    "lesson3.dearer": min(settled) > max(each.median_us for each in timed),
}
# sphinx_gallery_end_ignore
without = [each.median_us for each in timed]
rows = {"under the profiler": {"a step": settled}, "without": {"a step": without}}
show(over_processes("What a settled step takes", rows, [*warm, *timed]))

# %%
# .. when:: lesson3.dearer
#
#    Under the profiler a step takes :measured:`lesson3.settled`, without it :measured:`lesson3.timed`: a
#    factor of :measured:`lesson3.cost`. So a trace tells *where* time goes. *How fast* a program is, a timer
#    tells.
#
# .. when:: not lesson3.dearer
#
#    Here the two overlap: between processes the times differ by more than the profiler costs.
#
# Check
# -----

show(check("dead-window-first", cold))

# %%
# After three warm-up calls the steps should be alike, so the guess is 1:

show(check("first-step-factor-warm", warm, guess=1))

# %%
# Try
# ---
# ``capture_runs(MatmulAdd(size=4096), 5)``: the GPU has more to do now. Is the first step's surplus larger
# too, or just as long?
#
# Words
# -----
# :term:`annotation`, :term:`cold`, :term:`dead window`, :term:`op`, :term:`step`, :term:`trace`
