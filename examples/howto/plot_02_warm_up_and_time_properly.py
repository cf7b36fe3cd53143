"""
Warm up and time properly
=========================

A trace says where time goes. How fast a program is says a timer, without the profiler, and only if it waits
for the GPU and starts after the warm-up.
"""

import time

import torch
from torch.utils.benchmark import Timer

on_gpu = torch.cuda.is_available()
device = "cuda" if on_gpu else "cpu"
n = 1024 if on_gpu else 256
x, w, b = torch.randn(3, n, n, device=device)  # each [n, n]


def my_step():
    return torch.add(torch.matmul(x, w), b)  # -> [n, n]


# %%
# Three ways that mislead
# -----------------------
# The clock around one call measures the first call: libraries start, kernels load, memory is asked for.
# Around a later call it measures, on a GPU, how long the CPU takes to *ask* for the work.


def clock(wait):
    start = time.perf_counter()
    my_step()
    if wait and on_gpu:
        torch.cuda.synchronize()
    return (time.perf_counter() - start) * 1e6


first = clock(wait=True)
for _ in range(10):
    my_step()
if on_gpu:
    torch.cuda.synchronize()
print(f"first call {first:9.1f} µs")
print(f"later call {clock(wait=True):9.1f} µs waiting for the GPU, if there is one")
print(f"later call {clock(wait=False):9.1f} µs without waiting")

# %%
# And one call is no measurement. Run the cell again: the last digits change, and often the first one does.
#
# The timer that does it right
# ----------------------------
# ``torch.utils.benchmark.Timer`` warms up, waits for the GPU around a block of calls, and takes many
# blocks. Say the median, and the range between the quarters beside it.

took = Timer("my_step()", globals={"my_step": my_step}).blocked_autorange(min_run_time=0.3)
print(f"{took.median * 1e6:.1f} µs, middle half {took.iqr * 1e6:.1f} µs wide, {len(took.times)} blocks")

# %%
# .. when:: us(first) > 2 * took.time
#
#    On the machine that built this page the first call took :measured:`us(first)`; the timer says
#    :measured:`took.time`.
#
# Between processes it differs again
# ----------------------------------
# Before you claim that a change helped, time both forms in several fresh processes, and see whether the
# ranges are apart. For workloads of this package that is one call; for a script of yours it is a loop in
# the shell.

from profiling_series import MatmulAdd, over_processes, show, time_runs

timed = time_runs(MatmulAdd(size=64), 2)  # five or more, when it matters
show(over_processes("A step, timed", {"64×64": {"a step": [one.median_us for one in timed]}}, timed))

# %%
# In a training loop the same rule reads: skip the first steps, count many, and call
# ``torch.cuda.synchronize()`` before you look at the clock, once, and not in every step.
#
# Why is in :doc:`/auto_examples/part1_matmul_add/plot_03_why_is_the_first_step_so_slow`.
