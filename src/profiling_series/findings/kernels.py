"""Rules about kernels: how they vary, what they run on, how they fill the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from profiling_series.findings import facts
from profiling_series.findings.model import Says, rule
from profiling_series.findings.variance import Slow, slow_runs
from profiling_series.format import count, ns, share, short, times
from profiling_series.measures.footprints import device_properties
from profiling_series.trace import categories as c
from profiling_series.trace.footprint import Footprint, estimate_is_measured, footprint
from profiling_series.trace.kernel_names import decode

if TYPE_CHECKING:
    from profiling_series.trace import Trace

# Of the GPU's time: below it, another data type changes little.
NO_TENSOR_CORES_SHARE = 0.10
# Of the GPU's time: kernels worth a look at their footprint.
FOOTPRINT_SHARE = 0.10
# Of the warps that an SM can hold; 13 % is FlashAttention's.
LOW_OCCUPANCY_PERCENT = 25.0
# An extended name list would cost a pass over the file for each.
MOST_FOOTPRINTS = 20
_FIRST_WITH_TENSOR_CORES = 7  # compute capability: Volta


@rule(
    "kernel-variance",
    "The same kernel, another time",
    section="gpu lane",
    sees="equal kernels of which one takes far longer; a mean above the median in the table",
    means="clocks, heat, power, another process on the GPU or the driver: nothing in the code changed",
    do="read the median and the spread, not the mean; record more runs",
    holds_for="any GPU; a trace holds neither clocks nor temperatures, so the cause stays open",
    lesson="part1-07",
)
def kernel_variance(trace: Trace) -> Iterator[Says]:
    """Nothing at stake: it is not the code's."""
    slow = slow_runs(trace)
    if slow is None:
        return
    yield Says(
        f"{facts.name_of(trace, slow.row)}: {slow.outliers:,} of {slow.runs:,} equal runs took up to "
        f"{ns(slow.most)}, {times(slow.most / slow.usual)} the median of {ns(slow.usual)}; the mean, "
        f"{ns(slow.mean)}, describes no run.",
        rows=_proof(slow),
    )


def _proof(slow: Slow) -> list[int]:
    return [slow.row, slow.typical]


@rule(
    "tensor-cores-unused",
    "Matrix products without tensor cores",
    section="gpu lane",
    sees="sgemm, ffma or f32f32 in the name of a GEMM",
    means="the inputs are fp32 and TF32 is off (torch's default), or they were cast up on the way (SDPA's "
    "math backend): CUDA cores do the work, several times slower",
    do="bf16 or fp16 (autocast), or torch.set_float32_matmul_precision('high') for TF32; another SDPA "
    "backend",
    holds_for="NVIDIA GPUs from Volta on, TF32 from Ampere on; names that say so: nvjet's say nothing of it",
    lesson="part1-06",
    fault=True,
)
def tensor_cores_unused(trace: Trace) -> Iterator[Says]:
    """At stake, at most: the GPU time of those kernels, where it is at least 10 % of all GPU time."""
    rows = facts.gpu_rows(trace)
    rows = rows[trace.kind[rows] == c.KERNEL]
    without = rows[trace.named(_on_cuda_cores, rows)]
    spent, whole = int(facts.gpu_ns(trace, without).sum()), int(facts.gpu_ns(trace, rows).sum())
    if not spent or spent < NO_TENSOR_CORES_SHARE * whole or not _has_tensor_cores(trace, int(without[0])):
        return
    names = facts.common_names(trace, without, most=2)
    yield Says(
        f"On CUDA cores: {facts.each(trace, len(without), 'kernel')}, {ns(spent)}, {share(spent / whole)} "
        f"of the GPU's time ({' and '.join(short(name) for name, _ in names)}). On tensor cores most of it "
        "would go away.",
        rows=facts.longest(trace, without)[:3],
        at_stake_us=spent / 1000,
    )


def _on_cuda_cores(name: str) -> bool:
    found = decode(name)
    return found.tensor_cores is False and "matrix" in (found.operation or "")


def _has_tensor_cores(trace: Trace, row: int) -> bool:
    """Return False only where the trace's properties name a GPU that has none."""
    major = (device_properties(trace, row) or {}).get("computeMajor")
    return not isinstance(major, int) or major >= _FIRST_WITH_TENSOR_CORES


def _footprints(trace: Trace) -> list[tuple[int, float, dict[str, Any], Footprint]]:
    """Return (row, share of the GPU's time, args, footprint) of the longest run of each kernel."""
    rows = facts.gpu_rows(trace)
    rows = rows[trace.kind[rows] == c.KERNEL]
    spent = facts.gpu_ns(trace, rows)
    total = np.bincount(trace.name_id[rows], weights=spent, minlength=len(trace.names))
    names = [n for n in np.argsort(-total)[:MOST_FOOTPRINTS] if total[n] > 0]
    chosen = [int(rows[trace.name_id[rows] == n][np.argmax(spent[trace.name_id[rows] == n])]) for n in names]
    whole = max(float(spent.sum()), 1.0)
    found = []
    for row, name, args in zip(chosen, names, trace.args_of(chosen), strict=True):
        found.append((row, float(total[name]) / whole, args, footprint(args, device_properties(trace, row))))
    return found


@rule(
    "low-occupancy-by-design",
    "Few warps on each SM, on purpose",
    section="gpu lane",
    sees="est. achieved occupancy of a few percent for the fastest kernel",
    means="tiles kept in registers and shared memory leave room for few blocks; the kernel needs no more to "
    "be busy",
    do="do not chase occupancy: compare times",
    holds_for="NVIDIA GEMM and attention kernels; FlashAttention-2: 128 threads × 255 registers, 13 % on "
    "A100 and H200",
    lesson="part3-01",
)
def low_occupancy_by_design(trace: Trace) -> Iterator[Says]:
    """Nothing at stake."""
    for row, part, _, print_ in _footprints(trace):
        low = print_.occupancy_percent is not None and print_.occupancy_percent < LOW_OCCUPANCY_PERCENT
        if part < FOOTPRINT_SHARE or not low or (print_.waves or 0) < 1:
            continue
        yield Says(
            f"{facts.name_of(trace, row)} ({share(part)} of the GPU's time): {print_.threads} threads × "
            f"{print_.registers_per_thread} registers and {(print_.shared_bytes or 0) / 1024:,.0f} KiB of "
            f"shared memory a block allow {print_.warps_per_sm} of {print_.max_warps_per_sm} warps on an SM "
            f"({share((print_.occupancy_percent or 0) / 100)}), "
            f"limited by {' and '.join(print_.limited_by)}.",
            rows=[row],
        )
        return


@rule(
    "occupancy-not-measured",
    "An occupancy of 0 that was not measured",
    section="gpu lane",
    sees="est. achieved occupancy 0 for a kernel that plainly runs",
    means="the estimate is made without the larger shared memory limit that kernels above 48 KiB ask for, so "
    "that not one block seems to fit",
    do="compute the occupancy from registers, shared memory and block",
    holds_for="every kernel above 48 KiB of shared memory, on any NVIDIA GPU, plain and extended launches "
    "alike",
    lesson="part1-06",
)
def occupancy_not_measured(trace: Trace) -> Iterator[Says]:
    """Nothing at stake."""
    rows = [
        (row, part, print_)
        for row, part, args, print_ in _footprints(trace)
        if args.get("est. achieved occupancy %") == 0 and not estimate_is_measured(args)
    ]
    if not rows:
        return
    row, _, print_ = rows[0]
    ours = (
        f"; by its footprint it is {share(print_.occupancy_percent / 100)}"
        if print_.occupancy_percent
        else ""
    )
    yield Says(
        f"Cannot tell the occupancy of {count(len(rows), 'kernel')} "
        f"({share(sum(part for _, part, _ in rows))} of the GPU's time): the trace's estimate is 0, as "
        f"for {facts.name_of(trace, row)} with {(print_.shared_bytes or 0) / 1024:,.0f} KiB of shared "
        f"memory{ours}.",
        rows=[row for row, _, _ in rows[:3]],
        confidence="unknown",
    )
