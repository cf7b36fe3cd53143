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

# sphinx_gallery_start_ignore
# What the text of the site's page quotes from these captures.
from profiling_series.report.comparison import side_of as _side_of
from profiling_series.trace.per_step import per_step as _per_step


def _cpu(mode):
    each = _side_of(mode, at_64[mode]).over_runs(lambda run: run.cpu_us.median)
    return each.median, each.low, each.high


def _names(one):
    return {one.trace.name(int(row)) for row in one.trace.host_rows}


_ranked = sorted((mode for mode in at_64 if len(at_64[mode]) >= 5), key=lambda mode: _cpu(mode)[0])
_told = len(_ranked) >= 3
_apart = _told and (_cpu(graphs)[2] < _cpu("default")[1] or _cpu(graphs)[1] > _cpu("default")[2])
_graph = at_64[graphs][0]
measured = {
    "lesson9.least": _ranked[0] if _told else None,
    "lesson9.least-us": (_cpu(_ranked[0])[0] if _told else None, "µs"),
    "lesson9.next": _ranked[1] if _told else None,
    "lesson9.next-us": (_cpu(_ranked[1])[0] if _told else None, "µs"),
    "lesson9.graphs-below-default": _told and _cpu(graphs)[2] < _cpu("default")[1],
    "lesson9.graphs-above-default": _told and _cpu(graphs)[1] > _cpu("default")[2],
    "lesson9.graphs-overlap": _told and not _apart,
    "lesson9.graph": any("GraphLaunch" in name for name in _names(_graph)),
    "lesson9.foreach": "aten::_foreach_copy_" in _names(_graph),
}
# sphinx_gallery_end_ignore
show(side_by_side(at_64))

# %%
# .. when:: lesson9.least
#
#    Of the forms with five processes :measured:`lesson9.least` takes the CPU least time in the median,
#    :measured:`lesson9.least-us` a step; next comes :measured:`lesson9.next`, with
#    :measured:`lesson9.next-us`.
#
# .. when:: lesson9.graphs-below-default
#
#    Against ``default`` the graphs lower the CPU's part: even their slowest process is below the fastest of
#    the other.
#
# .. when:: lesson9.graphs-overlap
#
#    Against ``default`` the ranges overlap: it is not settled here that the graphs lower anything.
#
# .. when:: lesson9.graphs-above-default
#
#    They take more than ``default`` even so: for two launches there is little to save.
#
# Explain: one launch for all
# ---------------------------

show(timeline(at_64[graphs][0], steps=-1))

# %%
# .. when:: lesson9.graph
#
#    ``cudaGraphLaunch`` starts all that was recorded; the :term:`launches <launch>` of the ops are gone.
#
# .. when:: lesson9.foreach
#
#    What comes before it is the price. A graph reads its inputs where they lay when it was recorded. So
#    each call copies x, w and b there first: ``aten::_foreach_copy_``, with a kernel called
#    ``multi_tensor_apply…``. Parameters of a module are taken to stay where they are, and would not be
#    copied; plain arguments are.
#
# .. when:: not lesson9.graph
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


# sphinx_gallery_start_ignore
def _gpu(mode):
    found = _per_step(at_large[mode].trace).gpu_sum_us
    return found and found.median


_tuned = [kernel["name"] for kernel in at_large[tuned].trace.kernels]
_single = bool(_tuned) and _per_step(at_large[tuned].trace).gpu_events.median == 1
_moved = [k for k in at_large[graphs].trace.kernels if "multi_tensor_apply" in k["name"]]
_steps = sum(step.complete for step in at_large[graphs].trace.steps)
_dear = bool(_moved) and _gpu(graphs) > 1.05 * _gpu("default")
measured |= {
    "lesson9.copies": (sum(k["total_us"] for k in _moved) / _steps if _dear else None, "µs"),
    "lesson9.graphs-gpu": (_gpu(graphs), "µs"),
    "lesson9.default-gpu": (_gpu("default"), "µs"),
    "lesson9.eager-gpu": (_gpu("eager"), "µs"),
    "lesson9.tuned-gpu": (_gpu(tuned), "µs"),
    "lesson9.kernel": _tuned[0][:60] if _tuned else None,
    "lesson9.template": any(name.startswith("triton_tem") for name in _tuned),
    "lesson9.kernel-64": next((k["name"][:60] for k in at_64[tuned][0].trace.kernels), None),
    "lesson9.one-kernel": _single,
    "lesson9.library": bool(_tuned) and not any(name.startswith("triton") for name in _tuned),
}
# sphinx_gallery_end_ignore
show(side_by_side(at_large))

# %%
# .. when:: lesson9.copies
#
#    Here the graph gives the GPU more to do: :measured:`lesson9.graphs-gpu` a step, against
#    :measured:`lesson9.default-gpu`. The copies of the inputs alone are :measured:`lesson9.copies`.
#
# Which kernel did autotuning keep? The chain names it, and its first letters tell who wrote it.

show(dispatch_chain(at_large[tuned]))

# %%
# .. when:: lesson9.template
#
#    ``triton_tem…`` is a *template* of Inductor's, filled in for these shapes, with the addition in it.
#
# .. when:: lesson9.one-kernel
#
#    At last the GPU gets one piece of work for product and addition. It takes :measured:`lesson9.tuned-gpu`,
#    where eager's pieces take :measured:`lesson9.eager-gpu`.
#
# .. when:: lesson9.library
#
#    It kept a kernel of the library, :measured:`lesson9.kernel`: none of its templates was faster on this
#    machine.
#
# .. when:: lesson9.kernel-64
#
#    The choice is made for each size anew: at 64×64 it was :measured:`lesson9.kernel-64`.
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
