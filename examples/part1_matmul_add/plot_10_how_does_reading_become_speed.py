"""
How does reading become speed?
==============================

Afterwards you can

- recognise a program that launches too much, from table, lanes and verdict;
- turn a loop of small operations into one batched operation;
- show that it helped: per step, with the same result, and timed without the profiler.

The program multiplies 64 pairs of small matrices, one pair after the other, as code for many heads or
experts may do.
"""

import torch

from profiling_series import Schedule, SmallMatmuls, capture, check, compare
from profiling_series import dispatch_chain, show, summary, time_workload, timeline

twenty = Schedule(active=20)
loop = SmallMatmuls(count=64, size=64)  # xs, ws: 64 matrices each, every one [64, 64], bf16
batch = SmallMatmuls(count=64, size=64, batched=True)  # x, w: each [64, 64, 64], the same numbers

# %%
# Guess
# -----
# A step is ``[torch.matmul(x, w) for x, w in zip(xs, ws)]``. Each product is 2·64³ operations, half a
# million; all of them are 34 million, which is nothing for a GPU. So:
#
# 1. How many :term:`kernels <kernel>` run in a step, and how long is the GPU :term:`busy`: most of it,
#    half, less?
# 2. What limits the program, the GPU or the CPU that feeds it?
# 3. How many times as fast can it become, if all it computes stays the same?
#
# Look: read before you change
# ----------------------------

slow = capture(loop, schedule=twenty)
show(timeline(slow, steps=-1, end_us=200))  # the beginning of the last step

# %%
# .. when:: slow: steady.gpu_events
#
#    A comb. Each tooth of the CPU's lane prepares and :term:`launches <launch>` one product; the GPU gets
#    :measured:`slow: steady.gpu_events` pieces of work a step.
#
# .. when:: slow: regime == "overhead-bound"
#
#    Between two of them it waits for the next.
#
# .. when:: slow: busy_share
#
#    The GPU is busy for :measured:`slow: busy_share` of the time. The :term:`verdict` says
#    :measured:`slow: regime`.
#
# .. when:: slow: not steady.gpu_events
#
#    This trace is a CPU's: no launch and no kernel, but the same comb of ops, each with its fixed price.
#
# The rule for it, in one line: *many calls, little work in each, a waiting GPU: batch them, or fuse them.*
# Where the GPU waits, a faster kernel does not help. Fewer calls do.
#
# Change one thing
# ----------------
# ``torch.bmm`` takes all pairs at once, stacked in a first dimension. First of all the result must stay the
# same, up to the last digits of bf16. Plain torch:

device = "cuda" if torch.cuda.is_available() else "cpu"
x, w = torch.randn(2, 64, 64, 64, device=device).bfloat16()  # each [64, 64, 64]
one_by_one = torch.stack(
    [torch.matmul(a, b) for a, b in zip(x, w, strict=True)]
)  # 64 · [64, 64] -> [64, 64, 64]
at_once = torch.bmm(x, w)  # [64, 64, 64] @ [64, 64, 64] -> [64, 64, 64]
torch.testing.assert_close(at_once, one_by_one, rtol=0.02, atol=0.02)

# %%
# Look: before and after
# ----------------------

fast = capture(batch, schedule=twenty)
show(compare(slow, fast, ("loop", "bmm")))

# %%
# .. when:: fast.steady.kernels == 1 and fast.steady.gpu_sum < slow.steady.gpu_sum
#
#    The GPU's own work shrinks as well, from :measured:`slow: steady.gpu_sum` to
#    :measured:`fast: steady.gpu_sum`: one kernel with 64 products fills more of the GPU than 64 kernels that
#    each fill a corner of it, in turn.
#
# Explain: what is left
# ---------------------

show(dispatch_chain(fast))

# %%
# One op, with one fixed price. What still stands between the CPU's time and the GPU's is no longer paid 64
# times.
#
# Check
# -----

show(check("small-matmuls-events", slow, guess=64))

# %%

show(check("small-matmuls-regime", slow, guess="overhead-bound"))

# %%
# And the speed? A profile is no stopwatch: each row costs the profiler something, and the loop has many
# more rows. So take the profiler away, and time both with ``torch.utils.benchmark``, which waits for the
# GPU. (A process for each.)

timed = [time_workload(form) for form in (loop, batch)]
for name, timing in zip(("loop", "bmm"), timed, strict=True):
    print(f"{name:>5}  {timing.median_us:10.1f} µs a step, quartiles {timing.iqr_us:.1f} µs apart")
print(f"{timed[0].median_us / timed[1].median_us:.1f} times as fast, {timed[0].source_line}")


# %%
# Without the profiler a step takes :measured:`timed[0]: time` before and :measured:`timed[1]: time` after:
# :measured:`timed[0].time / timed[1].time` times as fast. The :term:`pace` in the traces had it at
# :measured:`slow.pace / fast.pace` times. Quote the first; the second told where to look.
#
# And what holds it back now: what does the verdict say of the new program? That is where to read on.

show(summary(fast))

# %%
# Try
# ---
# ``SmallMatmuls(count=64, size=512)`` and its batched form: from which size on does the loop stop to
# matter, and why?
#
# Words
# -----
# :term:`busy`, :term:`kernel`, :term:`launch`, :term:`op`, :term:`overhead-bound`, :term:`step`,
# :term:`verdict`
#
# Findings: :finding:`overhead-bound`, :finding:`many-calls`, :finding:`many-tiny-kernels`
