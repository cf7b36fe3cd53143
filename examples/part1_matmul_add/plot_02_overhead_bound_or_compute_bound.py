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

show(step_times(swept))

# %%
# .. when:: swept: point("bf16", 1).regime == point("bf16", 2).regime == "overhead-bound"
#    and point("bf16", 2).pace < 1.5 * point("bf16", 1).pace
#
#    On the left the line is level: a step takes :measured:`swept: point("bf16", 1).pace` at n=64 and
#    :measured:`swept: point("bf16", 2).pace` at n=128, for eight times the work. The GPU's own work, the
#    dashed line, is far below it: :measured:`swept: point("bf16", 1).gpu_sum`, so the GPU is busy for
#    :measured:`swept: point("bf16", 1).busy_share` of the time. What you see is the price of preparing and
#    launching. Such a step is :term:`overhead-bound`.
#
# .. when:: swept: crossing("bf16")
#
#    In bf16 CPU and GPU take equally long near n = :measured:`swept: crossing("bf16")`.
#
# .. when:: swept: point("bf16", -1).regime == "gpu-bound"
#
#    At the right end a step costs what the GPU needs for it. The CPU runs ahead, and the GPU is busy for
#    :measured:`swept: point("bf16", -1).busy_share` of the time. Such a step is :term:`gpu-bound`.
#
# .. when:: swept: crossing("fp32") < crossing("bf16")
#
#    In fp32 they meet near n = :measured:`swept: crossing("fp32")` already. The CPU's part is the same, and
#    the GPU takes longer over each product.
#
# .. when:: swept: not point("bf16").gpu_sum
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

show(roofline(swept, top))

# %%
# This is a :term:`roofline`. To the right, more is calculated with each byte. The slope on the left is the
# memory: so many bytes a second, times what is done with each. The level part is arithmetic. They meet at
# :measured:`top: ridge("bf16")` in bf16. A product of size n does about n/4 operations a byte, so memory
# would limit it up to n = :measured:`top: whole(4 * ridge("bf16"))`, and arithmetic beyond.
#
# .. when:: top: sustained("bf16") < 0.95 * ceiling("bf16")
#
#    The ceilings are those of short bursts. Products kept up for half a second come to
#    :measured:`top: sustained("bf16")` instead of :measured:`top: ceiling("bf16")`.
#
# .. when:: swept: point("bf16").gpu_sum
#
#    Two gaps are worth a look. From a hollow marker up to the filled one is what the GPU loses while it waits
#    for the CPU; from there up to the roof, what the kernels leave.
#
# At n = 64 a step reaches :measured:`swept: point("bf16", 1).reach(top)` of its roof, at n =
# :measured:`sizes[-1]` it is :measured:`swept: point("bf16", -1).reach(top)`, or
# :measured:`swept: point("bf16", -1).tflops`. The roof above that one is
# :measured:`swept: point("bf16", -1).gpu_limit(top)`. This word is the ``gpu_limit`` of a :term:`verdict`. It
# stays empty as long as nobody says how much work there was, since no trace holds that.
#
# Explain: where the time goes
# ----------------------------
# One size from each side. In the large one, which :term:`op` has the time?

small = capture(MatmulAdd(size=64), warm=False)
large = capture(MatmulAdd(size=min(4096, largest)), warm=False)
show(ops(large))

# %%
# .. when:: large: op.name
#
#    ``GPU µs`` counts for each op the kernels that it launched itself. :measured:`large: op.name` has
#    :measured:`large: op.gpu_share` of all. A row like that is a *hot spot*, the one place where being faster
#    counts: if everything else vanished, the GPU would save :measured:`large: 100 - op.gpu_share`, no more.
#
# .. when:: large: not op.name
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
