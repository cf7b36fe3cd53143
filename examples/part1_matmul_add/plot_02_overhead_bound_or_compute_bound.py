"""
Overhead-bound or compute-bound?
================================

Afterwards you can

- tell which side a program waits for: the CPU that prepares the work, or the GPU that does it;
- find the size at which that changes, for your type of number and on your machine;
- say what limits a GPU that is busy, and how much it leaves unused.

The program stays one product and one addition. Only the size of the matrices changes.
"""

from profiling_series import MatmulAdd, capture, ceilings, check, has_gpu
from profiling_series import ops, roofline, show, step_times, sweep

largest = 8192 if has_gpu() else 512  # a CPU alone would take minutes
sizes = [2**k for k in range(6, 14) if 2**k <= largest]  # 64, 128, 256, …
# x, w, b: each [n, n]
# torch.add(torch.matmul(x, w), b): [n, n] @ [n, n] + [n, n] -> [n, n]

# %%
# Guess
# -----
# The product takes 2·n³ floating-point operations. Three matrices must be read and one written: 4·n² numbers,
# so 8·n² bytes in bf16 and 16·n² in fp32. What the CPU does for it, finding the right op and launching two
# :term:`kernels <kernel>`, is the same for any n. Write down:
#
# 1. From n=64 to n=128 the product grows eightfold. How many times as long does a :term:`step` take?
# 2. From which n on does the GPU work longer on a step than the CPU does?
# 3. Is that n larger or smaller in fp32?

# %%
# Look: one program, many sizes
# -----------------------------
# ``sweep`` records twenty steps of each size, one size after the other, all in one process. The first five
# steps of each do not count; of the rest it takes the median.

work = [MatmulAdd(size=n, dtype=dtype) for dtype in ("bf16", "fp32") for n in sizes]
swept = sweep(work)

# sphinx_gallery_start_ignore
# What the text of the site's page quotes from this sweep.
from profiling_series.measures.sweeps import by_series, rounded
from profiling_series.report.step_times import crossing

_bf16, _fp32 = (by_series(swept)[name] for name in ("bf16", "fp32"))
_small, _next, _last = _bf16[0].stretch, _bf16[1].stretch, _bf16[-1].stretch
_meet_bf16, _meet_fp32 = crossing(_bf16), crossing(_fp32)
measured = {
    "lesson2.gpu": _small.gpu_sum_us is not None,
    "lesson2.overhead": _small.regime == _next.regime == "overhead-bound"
    and _next.step_us < 1.5 * _small.step_us,
    "lesson2.step-64": (_small.step_us, "µs"),
    "lesson2.step-128": (_next.step_us, "µs"),
    "lesson2.gpu-64": (_small.gpu_sum_us, "µs"),
    "lesson2.busy-64": (_small.gpu_busy_share and 100 * _small.gpu_busy_share, "%"),
    "lesson2.meet-bf16": _meet_bf16 and f"{rounded(_meet_bf16):,}",
    "lesson2.meet-fp32": _meet_fp32 and f"{rounded(_meet_fp32):,}",
    "lesson2.fp32-earlier": bool(_meet_bf16 and _meet_fp32) and _meet_fp32 < _meet_bf16,
    "lesson2.large-busy": (100 * _last.gpu_busy_share if _last.regime == "gpu-bound" else None, "%"),
}
# sphinx_gallery_end_ignore
show(step_times(swept))

# %%
# .. when:: lesson2.overhead
#
#    On the left the line is level: a step takes :measured:`lesson2.step-64` at n=64 and
#    :measured:`lesson2.step-128` at n=128, for eight times the work. The GPU's own work, the dashed line, is
#    far below it: :measured:`lesson2.gpu-64`, so the GPU is busy for :measured:`lesson2.busy-64` of the
#    time. What you see is the price of preparing and launching. Such a step is :term:`overhead-bound`.
#
# .. when:: lesson2.meet-bf16
#
#    In bf16 CPU and GPU take equally long near n = :measured:`lesson2.meet-bf16`.
#
# .. when:: lesson2.large-busy
#
#    At the right end a step costs what the GPU needs for it. The CPU runs ahead, and the GPU is busy for
#    :measured:`lesson2.large-busy` of the time. Such a step is :term:`gpu-bound`.
#
# .. when:: lesson2.fp32-earlier
#
#    In fp32 they meet near n = :measured:`lesson2.meet-fp32` already. The CPU's part is the same, and the GPU
#    takes longer over each product.
#
# .. when:: not lesson2.gpu
#
#    This sweep is a CPU's. There is one line a type and no second side to wait for; run it where there is a
#    GPU to see them part.
#
# The published series calls the right side *compute-bound*. We keep two words, because they are two
# questions. Gpu-bound says that the GPU is kept busy; a trace can tell that alone. Compute-bound says what
# keeps it busy: arithmetic, and not the memory. For that you need to know how much there was to calculate and
# to move, and what the machine can do at best.
#
# Look: what this machine can do at best
# --------------------------------------
# ``ceilings`` times large products and large copies, with random numbers and without the profiler. In plain
# torch that is ``torch.utils.benchmark.Timer``. The result is no data sheet's: it is what the libraries reach
# on this machine.

top = ceilings(("bf16", "fp32"))

# sphinx_gallery_start_ignore
from profiling_series.report.roofline import limit as _limit, roof as _roof

_end = _bf16[-1]
_kept_up = top.sustained_tflops.get("bf16", top.tflops["bf16"])
_reach = _end.tflops / _roof(top, "bf16", _end.intensity)
measured |= {
    "lesson2.best": (top.tflops["bf16"], "TFLOP/s"),
    "lesson2.kept-up": (_kept_up if _kept_up < 0.95 * top.tflops["bf16"] else None, "TFLOP/s"),
    "lesson2.ridge": (top.ridge("bf16"), "FLOP/B"),
    "lesson2.ridge-n": f"{4 * top.ridge('bf16'):,.0f}",
    "lesson2.end-n": f"{_end.workload.size:,}",
    "lesson2.end-rate": (_end.tflops, "TFLOP/s"),
    "lesson2.end-reach": (100 * _reach, "%"),
    "lesson2.start-reach": (100 * _bf16[0].tflops / _roof(top, "bf16", _bf16[0].intensity), "%"),
    "lesson2.end-limit": _limit(top, "bf16", _end.intensity),
}
# sphinx_gallery_end_ignore
show(roofline(swept, top))

# %%
# This is a :term:`roofline`. To the right, more is calculated with each byte. The slope on the left is the
# memory: so many bytes a second, times what is done with each. The level part is arithmetic. They meet at
# :measured:`lesson2.ridge` in bf16. A product of size n does about n/4 operations a byte, so memory would
# limit it up to n = :measured:`lesson2.ridge-n`, and arithmetic beyond.
#
# .. when:: lesson2.kept-up
#
#    The ceilings are those of short bursts. Products kept up for half a second come to
#    :measured:`lesson2.kept-up` instead of :measured:`lesson2.best`.
#
# .. when:: lesson2.gpu
#
#    Two gaps are worth a look. From a hollow marker up to the filled one is what the GPU loses while it waits
#    for the CPU; from there up to the roof, what the kernels leave.
#
# At n = 64 a step reaches :measured:`lesson2.start-reach` of its roof, at n = :measured:`lesson2.end-n` it is
# :measured:`lesson2.end-reach`, or :measured:`lesson2.end-rate`. The roof above that one is
# :measured:`lesson2.end-limit`. This word is the ``gpu_limit`` of a :term:`verdict`. It stays empty as long
# as nobody says how much work there was, since no trace holds that.
#
# Explain: where the time goes
# ----------------------------
# One size from each side. In the large one, which :term:`op` has the time?

small = capture(MatmulAdd(size=64), warm=False)
large = capture(MatmulAdd(size=min(4096, largest)), warm=False)
# sphinx_gallery_start_ignore
from profiling_series.report.ops import op_work as _op_work

_hot = _op_work(large.trace)[0]
_all = sum(op.gpu_us for op in _op_work(large.trace))
measured |= {
    "lesson2.hot": _hot.name if _hot.gpu_us else None,
    "lesson2.hot-share": (100 * _hot.gpu_us / _all if _all else None, "%"),
    "lesson2.cold-share": (100 * (1 - _hot.gpu_us / _all) if _all else None, "%"),
}
# sphinx_gallery_end_ignore
show(ops(large))

# %%
# .. when:: lesson2.hot
#
#    ``GPU µs`` counts for each op the kernels that it launched itself. :measured:`lesson2.hot` has
#    :measured:`lesson2.hot-share` of all. A row like that is a *hot spot*, the one place where being faster
#    counts: if everything else vanished, the GPU would save :measured:`lesson2.cold-share`, no more.
#
# .. when:: not lesson2.hot
#
#    This trace holds no GPU work. The op with the most time of its own comes first.
#
# Check
# -----
# The verdict on each side, beside what was published:

show(check("regime", small, guess="overhead-bound"))

# %%

show(check("regime-4096", large, guess="gpu-bound"))

# %%
# And the rate of the product alone:

show(check("gemm-rate-4096", large))

# %%
# Try
# ---
# ``step_times(sweep([MatmulAdd(size=n, dtype="fp64") for n in sizes]))``: guess where the lines meet, and
# then whether your GPU was made for such numbers.
#
# Words
# -----
# :term:`gpu-bound`, :term:`kernel`, :term:`overhead-bound`, :term:`roofline`, :term:`step`, :term:`verdict`
#
# Findings: :finding:`overhead-bound`, :finding:`gpu-bound`, :finding:`hotspot`
