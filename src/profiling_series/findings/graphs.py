"""Rules about CUDA graphs, and about calls around launches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.findings import facts, idle
from profiling_series.findings.model import Says, rule
from profiling_series.format import count, ns, rate, share, us
from profiling_series.trace import categories as c

if TYPE_CHECKING:
    from profiling_series.trace import Trace

# Of the window: what an allocation must cost to be worth a change.
ALLOCATION_SHARE = 0.01
_ALLOCATES = (
    "cudaMalloc",
    "cudaFree",
    "hipMalloc",
    "hipFree",
    "cuMemMap",
    "cuMemCreate",
    "cuMemUnmap",
    "cudaHostAlloc",
)


@rule(
    "graph-launch",
    "A graph was launched",
    section="compile",
    sees="cudaGraphLaunch: one call from which arrows lead to many kernels",
    means="a recorded sequence of kernels runs at the price of one launch; its inputs are first copied to "
    "where the graph expects them",
    do="count what the copies cost: for large inputs they can be more than the launches that were saved",
    holds_for="CUDA and HIP graphs; copies inside a graph appear as kernels (memcpy128)",
    lesson="part1-09",
)
def graph_launch(trace: Trace) -> Iterator[Says]:
    """Nothing at stake."""
    calls = facts.in_window(trace, trace.call_rows[trace.named(c.GRAPH_LAUNCH.search, trace.call_rows)])
    if not len(calls):
        return
    rows = facts.gpu_rows(trace)
    inside = rows[np.isin(trace.launch_of[rows], calls)]
    spent = int(facts.gpu_ns(trace, inside).sum())
    beside = count(len(rows) - len(inside), "further GPU event")
    yield Says(
        f"{facts.each(trace, len(calls), 'graph launch', 'graph launches')}, "
        f"{ns(np.median(trace.dur[calls]))} of CPU time for {rate(len(inside) / len(calls), 'GPU event')} "
        f"each, {ns(spent)} in all; {beside} beside them.",
        rows=[int(calls[0]), *inside[:2].tolist()],
    )


@rule(
    "occupancy-query",
    "The launch asks for the occupancy first",
    section="cpu lane",
    sees="cudaOccupancyMaxActiveBlocksPerMultiprocessor right before a launch",
    means="the caller adapts the launch to what fits on an SM: a heavyweight kernel, in cuBLAS of the Ampere "
    "time a GEMM",
    do="nothing; it is a habit of the caller and costs a microsecond or two",
    holds_for="cuBLAS GEMMs on Ampere and Turing, layer norm on some Hopper builds; not nvjet GEMMs on an "
    "H200, which launch with cuLaunchKernelEx",
    lesson="part1-06",
)
def occupancy_query(trace: Trace) -> Iterator[Says]:
    """Nothing at stake."""
    calls = facts.in_window(trace, trace.call_rows)
    mine = calls[trace.named(lambda name: "Occupancy" in name, calls)]
    if not len(mine):
        return
    place = np.searchsorted(trace.ts[calls], trace.ts[mine], side="right")
    after = calls[np.minimum(place, len(calls) - 1)]
    events = [int(row) for call in after[:50] for row in trace.gpu_of(int(call))[:1]]
    kernel = f", as before {facts.name_of(trace, events[0])}" if events else ""
    yield Says(
        f"{facts.each(trace, len(mine), 'occupancy query', 'occupancy queries')}, "
        f"{ns(np.median(trace.dur[mine]))} each (median){kernel}.",
        rows=[int(mine[0]), int(after[0]), *events[:1]],
    )


@rule(
    "allocation-in-window",
    "Memory is asked from the driver inside the steps",
    section="cpu lane",
    sees="cudaMalloc, cudaFree or cudaHostAlloc in steps after the first",
    means="the caching allocator has no block that fits: sizes that vary, a fragmented cache, or a cache "
    "that was emptied; cudaFree waits for the GPU",
    do="do not call empty_cache in the loop; keep sizes equal; expandable_segments:True for sizes that vary",
    holds_for="CUDA and ROCm",
    fault=True,
)
def allocation_in_window(trace: Trace) -> Iterator[Says]:
    """At stake: the host idle time during those calls, where it is at least 1 % of the window."""
    calls = facts.in_window(trace, trace.call_rows) if trace.steps else trace.call_rows[:0]
    calls = calls[trace.named(lambda name: name.startswith(_ALLOCATES) and "Async" not in name, calls)]
    stake = idle.during_us(trace, facts.spans(trace, calls)) if len(calls) else 0.0
    length = facts.length_ns(trace) / 1000
    if not stake or stake < ALLOCATION_SHARE * length:
        return
    yield Says(
        f"{count(len(calls), 'call')} for memory in steady steps, {ns(trace.dur[calls].sum())} in all "
        f"({facts.name_of(trace, facts.longest(trace, calls)[0])} the longest); the GPU idles {us(stake)} "
        f"meanwhile, {share(stake / length)} of the window.",
        rows=facts.longest(trace, calls)[:3],
        at_stake_us=stake,
    )
