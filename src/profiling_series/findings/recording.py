"""Rules about what a recording lacks or holds by chance: "cannot tell, because …"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.findings import facts
from profiling_series.findings.model import Says, rule
from profiling_series.format import count, ns, sentence
from profiling_series.trace import categories as c
from profiling_series.trace.launches import first_events, latencies
from profiling_series.trace.links import captured
from profiling_series.trace.losses import lost_launches
from profiling_series.trace.verdict import why_undetermined

if TYPE_CHECKING:
    from profiling_series.trace import Trace


@rule(
    "no-gpu-events",
    "The trace holds no GPU event",
    section="recording",
    sees="no GPU lane",
    means="a run on the CPU, or a recording without its GPU side (CUPTI held by another tool or not "
    "permitted, WSL, a container)",
    do="ask for ProfilerActivity.CUDA; stop other profilers of this GPU; allow performance counters. Until "
    "then waits for the GPU, such as that of .item(), cannot be judged",
    holds_for="any trace; kernel launches without kernels mean that the GPU side was lost",
    lesson="part1-01",
)
def no_gpu_events(trace: Trace) -> Iterator[Says]:
    """Nothing at stake that this trace could tell."""
    if len(trace.gpu_rows):
        return
    calls = trace.call_rows[trace.named(c.launches_kernel, trace.call_rows)]
    yield Says(
        sentence(f"cannot tell what a GPU did: {why_undetermined(trace)}"),
        rows=calls[:3],
        confidence="unknown",
    )


@rule(
    "kernels-lost",
    "Launches without their kernels",
    section="recording",
    sees="a cudaLaunchKernel from which no arrow leads to the GPU lane",
    means="the profiler lost GPU records: the recording ended before the kernels did (another device, no "
    "synchronization), or its buffers overflowed",
    do="synchronize every device before the profiler stops; record fewer steps",
    holds_for="any GPU; launches during a graph capture are left out, since they run later",
)
def kernels_lost(trace: Trace) -> Iterator[Says]:
    """Nothing at stake that this trace could tell."""
    rows = lost_launches(trace)
    if len(rows):
        total = trace.launches["calls"]
        yield Says(
            f"Cannot tell the GPU's share: {len(rows):,} of {count(total, 'launch call')} without a GPU "
            f"event, the first {facts.name_of(trace, rows[0])}.",
            rows=rows[:5],
            confidence="unknown",
        )


@rule(
    "no-steps",
    "The trace has no steps",
    section="recording",
    sees="no ProfilerStep row",
    means="prof.step() was not called, or the profiler ran without a schedule",
    do="call prof.step() once an iteration: then figures are a step's, and the first can be left out",
    holds_for="any trace",
    lesson="part1-01",
)
def no_steps(trace: Trace) -> Iterator[Says]:
    """Nothing at stake."""
    if trace.steps or not (len(trace.gpu_rows) or len(trace.op_rows)):
        return
    yield Says(
        f"Cannot tell a step's cost: no ProfilerStep among {len(trace):,} events; figures are of the whole "
        "trace.",
        confidence="unknown",
    )


@rule(
    "clock-skew",
    "A kernel begins before its own launch",
    section="recording",
    sees="an arrow from a launch to a kernel that lies left of it",
    means="the clocks of CPU and GPU are not aligned to the last microsecond",
    do="trust medians, not single launch latencies; negative ones are kept and counted",
    holds_for="any GPU; seen with cuLaunchKernelEx",
    lesson="part1-04",
)
def clock_skew(trace: Trace) -> Iterator[Says]:
    """Nothing at stake."""
    early = latencies(trace)
    calls, events = first_events(trace)
    mine = np.flatnonzero(early < 0)
    if not len(mine):
        return
    worst = mine[np.argmin(early[mine])]
    yield Says(
        f"Begun before their launch calls: {len(mine):,} of {count(len(early), 'launch', 'launches')}, by up "
        f"to {ns(-early[worst])} ({facts.name_of(trace, events[worst])}).",
        rows=[int(events[worst]), int(calls[worst])],
    )


@rule(
    "launched-before-window",
    "Work from before the recording runs in it",
    section="recording",
    sees="kernels at the start of the GPU lane that no launch of the trace leads to",
    means="steps that were not recorded (warm-up) had launched it, and the GPU was behind",
    do="count GPU work by its launch; such events belong to no step",
    holds_for="any GPU; gpu-bound runs show it in every recording",
    lesson="part1-04",
)
def launched_before_window(trace: Trace) -> Iterator[Says]:
    """Nothing at stake."""
    calls, rows = trace.call_rows, trace.gpu_rows
    if not len(rows) or not len(calls) or not np.any(trace.launch_of[rows] >= 0):
        return
    unknown = rows[trace.launch_of[rows] < 0]
    launched = rows[trace.launch_of[rows] >= 0]
    early = unknown[trace.ts[unknown] < trace.ts[launched].max()]
    early = early[trace.ts[early] <= trace.ts[launched].min()]
    if not len(early):
        return
    spent = int(facts.gpu_ns(trace, early).sum())
    yield Says(
        f"{count(len(early), 'GPU event')} ({ns(spent)}) before the first one that this trace launched: "
        "launched before the recording, and counted in no step.",
        rows=early[:3],
    )


@rule(
    "captured-launches",
    "Launches during a graph capture",
    section="compile",
    sees="launch calls between cudaStreamBeginCapture and cudaStreamEndCapture, without kernels",
    means="they are recorded into a CUDA graph and run when the graph is launched",
    do="nothing; do not take them for lost kernels",
    holds_for="CUDA graphs, and torch.compile with mode='reduce-overhead' while it records",
    lesson="part1-09",
)
def captured_launches(trace: Trace) -> Iterator[Says]:
    """Nothing at stake."""
    rows = captured(trace)
    rows = rows[trace.named(c.is_launch, rows)]
    if len(rows):
        yield Says(
            f"{count(len(rows), 'launch call')} inside a stream capture, the first "
            f"{facts.name_of(trace, rows[0])}: nothing runs yet.",
            rows=rows[:3],
        )
