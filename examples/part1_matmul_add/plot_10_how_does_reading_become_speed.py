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
# sphinx_gallery_start_ignore
# What the text of the site's page quotes from this capture.
from profiling_series.trace.per_step import per_step as _per_step

_slow = _per_step(slow.trace)
_verdict = slow.trace.verdict
measured = {
    "lesson10.events": int(_slow.gpu_events.median) if _slow.gpu_events else None,
    "lesson10.regime": _verdict["regime"],
    "lesson10.overhead-bound": _verdict["regime"] == "overhead-bound",
    "lesson10.busy": (
        100 * _verdict["gpu_busy_share"] if _verdict["gpu_busy_share"] is not None else None,
        "%",
    ),
    "lesson10.calls": int(sum(figure.median for figure in _slow.calls.values())) or None,
    "lesson10.launching": (sum(o["self_us"] for o in slow.trace.ops) / len(slow.trace.steps) or None, "µs"),
}
# sphinx_gallery_end_ignore
show(timeline(slow, steps=-1, end_us=200))  # the beginning of the last step

# %%
# .. when:: lesson10.events
#
#    A comb. Each tooth of the CPU's lane prepares and :term:`launches <launch>` one product; the GPU gets
#    :measured:`lesson10.events` pieces of work a step.
#
# .. when:: lesson10.overhead-bound
#
#    Between two of them it waits for the next.
#
# .. when:: lesson10.busy
#
#    The GPU is busy for :measured:`lesson10.busy` of the time. The :term:`verdict` says
#    :measured:`lesson10.regime`.
#
# .. when:: not lesson10.events
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
# sphinx_gallery_start_ignore
_fast = _per_step(fast.trace)
measured |= {
    "lesson10.profiled": f"{_slow.pace_us / _fast.pace_us:.2g}",
    "lesson10.less-gpu": bool(_slow.gpu_sum_us and _fast.kernels.median == 1)
    and _fast.gpu_sum_us.median < _slow.gpu_sum_us.median,
    "lesson10.gpu-before": (_slow.gpu_sum_us and _slow.gpu_sum_us.median, "µs"),
    "lesson10.gpu-after": (_fast.gpu_sum_us and _fast.gpu_sum_us.median, "µs"),
}
# sphinx_gallery_end_ignore
show(compare(slow, fast, ("loop", "bmm")))

# %%
# .. when:: lesson10.less-gpu
#
#    The GPU's own work shrinks as well, from :measured:`lesson10.gpu-before` to
#    :measured:`lesson10.gpu-after`: one kernel with 64 products fills more of the GPU than 64 kernels that
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

# sphinx_gallery_start_ignore
measured |= {
    "lesson10.timed": f"{timed[0].median_us / timed[1].median_us:.2g}",
    "lesson10.timed-loop": (timed[0].median_us, "µs"),
    "lesson10.timed-bmm": (timed[1].median_us, "µs"),
}
# sphinx_gallery_end_ignore

# %%
# Without the profiler a step takes :measured:`lesson10.timed-loop` before and
# :measured:`lesson10.timed-bmm` after: :measured:`lesson10.timed` times as fast. The :term:`pace` in the
# traces had it at :measured:`lesson10.profiled` times. Quote the first; the second told where to look.
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
