"""
What happens at a launch?
=========================

Afterwards you can

- read the runtime and driver calls around a launch: which ask, and which put work on the GPU;
- tie a kernel to its call by the number that both carry;
- work out from a kernel's footprint how much of a GPU it can fill, and read what its name says.

The program is the product and the addition at 64×64, in bf16 and in fp32.
"""

from profiling_series import MatmulAdd, Schedule, capture, check
from profiling_series import has_gpu, kernel_names, launches, show, timeline

# %%
# Guess
# -----
# A :term:`launch` names a kernel, how many blocks of threads shall run it, and how much shared memory a block
# gets. Then the GPU gives the blocks to its SMs, the many alike units that it is made of. Write down:
#
# 1. How many calls to the CUDA runtime and driver does one :term:`step` make? It has two kernels.
# 2. A block of the product's kernel has some hundred threads. Does one fill an SM, or do several share it?
# 3. Tensor cores are made for matrix products. Are they used in bf16, in fp32, in both?
#
# Look: the launches of one step
# ------------------------------

cap = capture(MatmulAdd(size=64), warm=False)  # [64, 64] each, bf16
# sphinx_gallery_start_ignore
# What the text of the site's page quotes from these captures.
from profiling_series.report.launches import calls_of as _calls_of, kernel_footprint as _kernel_footprint
from profiling_series.trace.sm_limits import sm_limits

_trace = cap.trace
_last = max(at for at, step in enumerate(_trace.steps) if step.complete)
_calls = _calls_of(_trace, _last)
_rows = [int(row) for row in _trace.rows(cat="kernel") if _trace.step_index[row] == _last]
_gemm = max(_rows, key=lambda row: _trace.dur[row], default=None)
_foot = _kernel_footprint(_trace, _gemm) if _gemm is not None else None
_known = _foot is not None and _foot.occupancy_percent is not None
_query = next((name for name in _calls if "Occupancy" in name), None)
measured = {
    "lesson6.gpu": bool(_rows),
    "lesson6.calls": ", ".join(f"{count} × {name}" for name, count in _calls.items()) or None,
    "lesson6.query": _query,
    "lesson6.no-query": bool(_rows) and _query is None,
    "lesson6.registers": _foot.registers_per_thread if _known else None,
    "lesson6.threads": _foot.threads if _known else None,
    "lesson6.product": f"{_foot.registers_per_thread * _foot.threads:,}" if _known else None,
    "lesson6.sm-registers": f"{sm_limits(_trace.metadata['deviceProperties'][0]).registers:,}"
    if _known
    else None,
    "lesson6.blocks": _foot.blocks_per_sm if _known else None,
    "lesson6.warps": f"{_foot.warps_per_sm} of {_foot.max_warps_per_sm}" if _known else None,
    "lesson6.occupancy": (_foot.occupancy_percent if _known else None, "%"),
    "lesson6.limit": " and ".join(_foot.limited_by) if _known else None,
    "lesson6.gap": bool(_foot and "not measured" in _foot.estimate_note),
}
# sphinx_gallery_end_ignore
show(timeline(cap, steps=-1))

# %%
# The same step as a list:

show(launches(cap))

# %%
# .. when:: lesson6.gpu
#
#    The step makes these calls: :measured:`lesson6.calls`; from those that launch a line leads to the work.
#    Names in ``cuda…`` belong to the runtime, those in ``cu…`` to the driver below it.
#
# .. when:: lesson6.query
#
#    One of them puts nothing on the GPU: :measured:`lesson6.query` asks how many blocks of a kernel would fit
#    on an SM, so that the library can choose a grid. In the published trace it stands before the product's
#    launch, and not before the addition's.
#
# .. when:: lesson6.no-query
#
#    In the published trace an occupancy query stands before the product's launch:
#    ``cudaOccupancyMaxActiveBlocksPerMultiprocessor``. Here is none. It is a habit of the library that
#    launches, not of the GPU, and tells you only who launched.
#
# .. when:: not lesson6.gpu
#
#    This trace was measured on a CPU: no runtime call, no kernel. What follows needs a GPU.
#
# Look: the very first call
# -------------------------
# Those steps were of a process that had made the same call before. Here a process makes its first:

at_once = Schedule(wait=0, warmup=0, active=20)
first = capture(MatmulAdd(size=64), warm=False, schedule=at_once)
# sphinx_gallery_start_ignore
_asks = {name: count for name, count in _calls_of(first.trace, 0).items() if "Occupancy" in name}
_again = any("Occupancy" in name for at in range(1, 20) for name in _calls_of(first.trace, at))
measured |= {
    "lesson6.asks": ", ".join(f"{count} × {name}" for name, count in _asks.items()) or None,
    "lesson6.asks-once": bool(_asks) and not _again,
}
# sphinx_gallery_end_ignore
show(launches(first, step=0, footprints=False))

# %%
# .. when:: lesson6.asks
#
#    Here the library does ask: :measured:`lesson6.asks`.
#
# .. when:: lesson6.asks-once
#
#    In none of the nineteen steps that follow does it ask again. So a trace without queries may be of a
#    library that never asks, or of one that asked before you began to record.
#
# Explain: one number ties them
# -----------------------------
# CPU and GPU are recorded apart. What belongs together carries one number, the *correlation*. In a trace file
# of your own it is ``args.correlation``, at the call and at the :term:`kernel`:

trace = cap.trace
for kernel in trace.rows(cat="kernel")[-2:]:
    call = trace.launch_of[kernel]
    ids = [trace.args(row)["correlation"] for row in (call, kernel)]
    print(trace.name(call), ids)

# %%
# Explain: the footprint
# ----------------------
# .. when:: lesson6.occupancy
#
#    A block of the product's kernel has :measured:`lesson6.threads` threads with
#    :measured:`lesson6.registers` registers each, :measured:`lesson6.product` together. An SM of this GPU has
#    :measured:`lesson6.sm-registers`. Shared memory is rationed in the same way. By both, this many blocks
#    fit: :measured:`lesson6.blocks`; what stops another is :measured:`lesson6.limit`. That is
#    :measured:`lesson6.warps` warps (32 threads each), an :term:`occupancy` of :measured:`lesson6.occupancy`.
#
#    A low figure is no fault by itself. A product keeps tiles of its matrices in registers and shared memory,
#    where they are near; fewer threads with much at hand beat many that must fetch it.
#
# .. when:: lesson6.gap
#
#    The trace has an estimate of its own, ``est. achieved occupancy %``, and it reads 0 for this kernel. That
#    is a gap, not a finding: the estimate does not know that a kernel may ask for more than 48 KiB of shared
#    memory, and finds that not one block fits. Zero means *not measured* for every such kernel.
#
# Look: the same product, larger
# ------------------------------

large = capture(MatmulAdd(size=4096 if has_gpu() else 256), warm=False)
show(launches(large))

# %%
# *Waves* are the blocks of a launch over those that the whole GPU holds at once. Far below 1, most of the GPU
# has nothing to do in that kernel, whatever its occupancy. Compare the product's at both sizes.
#
# Look: the same product in fp32
# ------------------------------
# A kernel's name is written by those who made it: partly documented, partly known from many traces, partly
# told by nobody. :doc:`/guide/kernel-names` takes any apart.

single = capture(MatmulAdd(size=64, dtype="fp32"))
# sphinx_gallery_start_ignore
from profiling_series.trace.kernel_names import decode as _decode

_uses = {
    name: _decode(one.trace.kernels[0]["name"]).tensor_cores if one.trace.kernels else None
    for name, one in (("bf16", cap), ("fp32", single))
}
measured |= {
    "lesson6.fp32-unused": _uses["fp32"] is False,
    "lesson6.fp32-used": _uses["fp32"] is True,
    "lesson6.bf16-silent": bool(_rows) and _uses["bf16"] is None,
}
# sphinx_gallery_end_ignore
show(kernel_names(single))

# %%

show(kernel_names(cap))

# %%
# .. when:: lesson6.fp32-unused
#
#    In fp32 the name tells that the tensor cores rest: ``ffma`` or ``sgemm`` in it is the multiply-add of the
#    ordinary cores. That is torch's default, since tensor cores would round the inputs first.
#    ``torch.set_float32_matmul_precision("high")`` allows it.
#
# .. when:: lesson6.fp32-used
#
#    On this machine even the fp32 product runs on tensor cores; its inputs are rounded on the way.
#
# .. when:: lesson6.bf16-silent
#
#    The bf16 kernel's name says neither yes nor no. Its rate can: compare both types under the
#    :doc:`roofline </auto_examples/part1_matmul_add/plot_02_overhead_bound_or_compute_bound>`.
#
# Check
# -----

show(check("occupancy-queries", cap, guess=1))

# %%
# If registers and shared memory were no limit, an SM would be full:

show(check("gemm-occupancy", cap, guess=100))

# %%

show(check("fp32-tensor-cores", single, guess="yes"))

# %%
# Try
# ---
# ``launches(capture(MatmulAdd(size=64, dtype="fp64")))``: guess the block, the registers and the name first.
#
# Words
# -----
# :term:`kernel`, :term:`launch`, :term:`occupancy`, :term:`step`
#
# Findings: :finding:`occupancy-query`, :finding:`occupancy-not-measured`, :finding:`low-occupancy-by-design`,
# :finding:`tensor-cores-unused`
