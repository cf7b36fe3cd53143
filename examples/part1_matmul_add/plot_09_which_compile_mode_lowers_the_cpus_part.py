"""
Which compile mode lowers the CPU's part?
=========================================

Afterwards you can

- say what ``reduce-overhead`` does with a step's launches, and what it pays for that;
- tell from a trace which kernel autotuning kept;
- find the code that the compiler wrote.

``torch.compile`` has modes. Two of them aim at what the lessons before have shown: launches that cost more
than their kernels, and a product and an addition that became one :term:`op` but not one :term:`kernel`.
"""

from profiling_series import MatmulAdd, Schedule, UsageError, capture, capture_runs, check
from profiling_series import dispatch_chain, has_gpu, show, side_by_side, timeline

twenty = Schedule(active=20)
runs = 5 if has_gpu() else 1  # CPU times of one program differ from process to process
graphs, tuned = "reduce-overhead", "max-autotune-no-cudagraphs"

# %%
# Guess
# -----
# - ``reduce-overhead`` records the launches of a step once, as a *CUDA graph*. After that one call launches
#   all.
# - ``max-autotune-no-cudagraphs`` times several kernels for each product while it compiles, and keeps the
#   fastest.
#
# For x, w and b of 64×64 and of 4096×4096, write down:
#
# 1. Which mode takes the CPU least time a :term:`step`? Is it less than eager's?
# 2. Which one takes the GPU least time?
# 3. How many pieces of work does the GPU get from a graph of a copy and a product?
#
# Look: 64×64
# -----------

small = MatmulAdd(size=64)  # x, w, b: each [64, 64], bf16
at_64 = {"eager": capture_runs(small, runs, schedule=twenty)}
try:
    at_64["default"] = capture_runs(small, runs, compile="default", schedule=twenty)
    at_64[graphs] = capture_runs(small, runs, compile=graphs, schedule=twenty)
    at_64[tuned] = [capture(small, compile=tuned, schedule=twenty)]
except UsageError as reason:  # no compiler here, for example
    show(side_by_side(at_64))
    raise SystemExit(f"The eager part of this lesson ends here. {reason}") from None

show(side_by_side(at_64))

# %%
# .. when:: at_64: steady.dur.lowest_name(1)
#
#    Of the forms with five processes :measured:`at_64: steady.dur.lowest_name(1)` takes the CPU least time in
#    the median, :measured:`at_64: steady.dur.lowest(1)` a step; next comes
#    :measured:`at_64: steady.dur.lowest_name(2)`, with :measured:`at_64: steady.dur.lowest(2)`.
#
# .. when:: runs >= 5 and at_64[graphs].steady.dur.high < at_64["default"].steady.dur.low
#
#    Against ``default`` the graphs lower the CPU's part: even their slowest process is below the fastest of
#    the other.
#
# .. when:: runs >= 5 and overlap(at_64[graphs].steady.dur, at_64["default"].steady.dur)
#
#    Against ``default`` the ranges overlap: it is not settled here that the graphs lower anything.
#
# .. when:: runs >= 5 and at_64[graphs].steady.dur.low > at_64["default"].steady.dur.high
#
#    They take more than ``default`` even so: for two launches there is little to save.
#
# Explain: one launch for all
# ---------------------------

show(timeline(at_64[graphs][0], steps=-1))

# %%
# .. when:: at_64[graphs][0]: rows("GraphLaunch").count
#
#    ``cudaGraphLaunch`` starts all that was recorded; the :term:`launches <launch>` of the ops are gone.
#
# .. when:: at_64[graphs][0]: op("aten::_foreach_copy_").count
#
#    What comes before it is the price. A graph reads its inputs where they lay when it was recorded. So
#    each call copies x, w and b there first: ``aten::_foreach_copy_``, with a kernel called
#    ``multi_tensor_apply…``. Parameters of a module are taken to stay where they are, and would not be
#    copied; plain arguments are.
#
# .. when:: at_64[graphs][0]: not rows("GraphLaunch").count
#
#    This trace holds no graph launch. Without a GPU there is none to record, and where a graph is not
#    possible torch falls back to plain launches and says so in a warning.
#
# Look: the large size
# --------------------

at_large = {mode: captures[0] for mode, captures in at_64.items()}
if has_gpu():  # a CPU would need seconds for each step, and shows the small one again
    large = MatmulAdd(size=4096)  # x, w, b: each [4096, 4096], bf16
    for mode in at_large:
        at_large[mode] = capture(large, compile=None if mode == "eager" else mode, schedule=twenty)

show(side_by_side(at_large))

# %%
# .. when:: at_large[graphs].kernel(name="multi_tensor_apply").count
#    and at_large[graphs].steady.gpu_sum > 1.05 * at_large["default"].steady.gpu_sum
#
#    Here the graph gives the GPU more to do: :measured:`at_large[graphs]: steady.gpu_sum` a step, against
#    :measured:`at_large["default"]: steady.gpu_sum`. The copies of the inputs alone are
#    :measured:`at_large[graphs]: kernel(name="multi_tensor_apply").total / steps.count`.
#
# Which kernel did autotuning keep? The chain names it, and its first letters tell who wrote it.

show(dispatch_chain(at_large[tuned]))

# %%
# .. when:: at_large[tuned]: kernel(name="triton_tem").count
#
#    ``triton_tem…`` is a *template* of Inductor's, filled in for these shapes, with the addition in it.
#
# .. when:: at_large[tuned]: steady.gpu_events == 1
#
#    At last the GPU gets one piece of work for product and addition. It takes
#    :measured:`at_large[tuned]: steady.gpu_sum`, where eager's pieces take
#    :measured:`at_large["eager"]: steady.gpu_sum`.
#
# .. when:: at_large[tuned]: kernel.count and not kernel(name="triton").count
#
#    It kept a kernel of the library, :measured:`at_large[tuned]: hottest.name`: none of its templates was
#    faster on this machine.
#
# .. when:: at_64[tuned][0]: hottest.is_kernel
#
#    The choice is made for each size anew: at 64×64 it was :measured:`at_64[tuned][0]: hottest.name`.
#
# The code that was compiled can be read. For any script of yours, with ``torch.compile`` in it::
#
#    TORCH_LOGS=output_code python your_script.py      # printed, with the path of the file
#    TORCH_COMPILE_DEBUG=1 python your_script.py       # kept, in the folder torch_compile_debug
#
# Look for ``extern_kernels.addmm(…)``, a call into the library, or for ``triton_tem_fused_addmm``. Code
# that was compiled before comes from a cache; ``TORCHINDUCTOR_FORCE_DISABLE_CACHES=1`` makes it print
# again.
#
# Check
# -----

show(check("graph-gpu-events-64", at_64[graphs][0], guess=2))

# %%

show(check("graph-gpu-time", at_large[graphs]))

# %%

show(check("autotuned-gpu-time", at_large[tuned]))

# %%
# Try
# ---
# ``time_workload(small, compile=graphs)`` times a step without the profiler, whose own cost is in every CPU
# time above. Does the order of the modes stay?
#
# Words
# -----
# :term:`dispatch chain`, :term:`kernel`, :term:`launch`, :term:`op`, :term:`step`
#
# Findings: :finding:`graph-launch`, :finding:`matmul-backend`
