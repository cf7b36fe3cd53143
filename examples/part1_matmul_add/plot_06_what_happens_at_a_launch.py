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
show(timeline(cap, steps=-1))

# %%
# The same step as a list:

show(launches(cap))

# %%
# .. when:: cap: step(-1).kernels
#
#    The step makes these calls: :measured:`cap: step(-1).rows(kind="call").counts`; from those that launch a
#    line leads to the work. Names in ``cuda…`` belong to the runtime, those in ``cu…`` to the driver below
#    it.
#
# .. when:: cap: step(-1).rows("Occupancy", kind="call").names
#
#    One of them puts nothing on the GPU: :measured:`cap: step(-1).rows("Occupancy", kind="call").names` asks
#    how many blocks of a kernel would fit on an SM, so that the library can choose a grid. In the published
#    trace it stands before the product's launch, and not before the addition's.
#
# .. when:: cap: step(-1).kernels and not step(-1).rows("Occupancy", kind="call").names
#
#    In the published trace an occupancy query stands before the product's launch:
#    ``cudaOccupancyMaxActiveBlocksPerMultiprocessor``. Here is none. It is a habit of the library that
#    launches, not of the GPU, and tells you only who launched.
#
# .. when:: cap: not step(-1).kernels
#
#    This trace was measured on a CPU: no runtime call, no kernel. What follows needs a GPU.
#
# Look: the very first call
# -------------------------
# Those steps were of a process that had made the same call before. Here a process makes its first:

at_once = Schedule(wait=0, warmup=0, active=20)
first = capture(MatmulAdd(size=64), warm=False, schedule=at_once)
show(launches(first, step=0, footprints=False))

# %%
# .. when:: first: step(1).rows("Occupancy", kind="call").counts
#
#    Here the library does ask: :measured:`first: step(1).rows("Occupancy", kind="call").counts`.
#
# .. when:: first: step(1).rows("Occupancy").count and not steps(2).rows("Occupancy").count.high
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
# .. when:: cap: kernel("product").occupancy
#
#    A block of the product's kernel has :measured:`cap: kernel("product").threads` threads with
#    :measured:`cap: kernel("product").registers` registers each,
#    :measured:`cap: kernel("product").threads * kernel("product").registers` together. An SM of this GPU has
#    :measured:`cap: kernel("product").sm_registers`. Shared memory is rationed in the same way. By both, this
#    many blocks fit: :measured:`cap: kernel("product").blocks_per_sm`; what stops another is
#    :measured:`cap: kernel("product").limited_by`. That is :measured:`cap: kernel("product").warps_per_sm` of
#    :measured:`cap: kernel("product").max_warps_per_sm` warps (32 threads each), an :term:`occupancy` of
#    :measured:`cap: kernel("product").occupancy`.
#
#    A low figure is no fault by itself. A product keeps tiles of its matrices in registers and shared memory,
#    where they are near; fewer threads with much at hand beat many that must fetch it.
#
# .. when:: cap: kernel("product").estimate_is_gap
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
show(kernel_names(single))

# %%

show(kernel_names(cap))

# %%
# .. when:: single: kernel("product").tensor_cores == "no"
#
#    In fp32 the name tells that the tensor cores rest: ``ffma`` or ``sgemm`` in it is the multiply-add of the
#    ordinary cores. That is torch's default, since tensor cores would round the inputs first.
#    ``torch.set_float32_matmul_precision("high")`` allows it.
#
# .. when:: single: kernel("product").tensor_cores == "yes"
#
#    On this machine even the fp32 product runs on tensor cores; its inputs are rounded on the way.
#
# .. when:: cap: step(-1).kernels and not kernel("product").tensor_cores
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
