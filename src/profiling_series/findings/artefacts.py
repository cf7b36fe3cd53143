"""Rules about what is the profiler's doing, not the code's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.findings import facts
from profiling_series.findings.model import Says, rule
from profiling_series.format import count, ns, share
from profiling_series.trace import categories as c

if TYPE_CHECKING:
    from profiling_series.trace import Trace

# Of the time from the first step's start to the last one's end; a shorter flush misleads nobody.
FLUSH_SHARE = 0.10


@rule(
    "buffer-request",
    "The profiler asks for a buffer",
    section="gpu lane",
    sees="Activity Buffer Request on the overhead lane",
    means="the profiler gets memory for its records; the CPU waits about 2 ms, and the GPU lane starts that "
    "much later",
    do="wait=1, warmup=1 or more move it before the recording; more active steps make it rare; take it out "
    "of figures",
    holds_for="CUPTI (NVIDIA); one request of 2.1 ms in the first step on an H200 without warm-up",
    lesson="part1-04",
    artefact=True,
)
def buffer_request(trace: Trace) -> Iterator[Says]:
    """Nothing at stake: without the profiler there is none."""
    rows = trace.overhead_rows
    rows = rows[trace.named(lambda name: "Buffer" in name, rows)]
    if not len(rows):
        return
    around, where = _around(trace, rows)
    total = ns(trace.dur[rows].sum())
    names = " and ".join(name for name, _ in facts.common_names(trace, rows, most=2))
    yield Says(
        f"{count(len(rows), 'buffer event')} of the profiler ({names}), {total} in all{where}.",
        rows=[*facts.longest(trace, rows)[:3], *around],
    )


def _around(trace: Trace, rows: np.ndarray) -> tuple[list[int], str]:
    """Return the step that holds the longest of the given overheads, and words for it."""
    worst = int(facts.longest(trace, rows)[0])
    for step in trace.steps:
        if trace.ts[step.row] <= trace.ts[worst] < trace.end[step.row]:
            return [step.row], f"; the longest, {ns(trace.dur[worst])}, lies in {step.name}"
    return [], "; the longest lies outside every step" if trace.steps else ""


@rule(
    "module-loading",
    "Kernels were loaded during the recording",
    section="cpu lane",
    sees="Lazy Function Loading or Runtime Triggered Module Loading on the overhead lane",
    means="a kernel ran for the first time, and its code went to the GPU: a cold start, not the profiler",
    do="warm up every path of a step before the recording; CUDA_MODULE_LOADING=EAGER loads all at the start",
    holds_for="CUDA 11.7 or later, which loads lazily",
    lesson="part1-03",
)
def module_loading(trace: Trace) -> Iterator[Says]:
    """Nothing at stake: it happens once a process."""
    rows = trace.overhead_rows
    rows = rows[trace.named(lambda name: "Loading" in name, rows)]
    if not len(rows):
        return
    around, where = _around(trace, rows)
    yield Says(
        f"{count(len(rows), 'loading event')}, {ns(trace.dur[rows].sum())} in all{where}.",
        rows=[*facts.longest(trace, rows)[:3], *around],
    )


@rule(
    "profiler-flush",
    "The profiler waits for the GPU at the end",
    section="cpu lane",
    sees="a long cudaDeviceSynchronize after the last step",
    means="the profiler's own flush: it waits for the work that is still queued, and gathers its records",
    do="leave it out; it is neither a wait of the code nor a hot spot",
    holds_for="any GPU; 1.78 ms for 26 µs of GPU work on an A100, 19–25 µs on an H200",
    lesson="part1-04",
    artefact=True,
)
def profiler_flush(trace: Trace) -> Iterator[Says]:
    """Nothing at stake: without the profiler there is none."""
    flush = trace.as_dict()["flush_sync_us"]
    if flush is None or not trace.steps:
        return
    calls = trace.call_rows[trace.named(lambda name: name.endswith("Synchronize"), trace.call_rows)]
    calls = calls[trace.dur[calls] == round(1000 * flush)]
    rows = [step.row for step in trace.steps if not step.empty]
    if not len(calls) or not rows:
        return
    row, span = int(calls[-1]), int(trace.end[rows].max() - trace.ts[rows].min())
    if trace.dur[row] < FLUSH_SHARE * span:
        return
    gpu = trace.gpu_rows
    worked = np.minimum(trace.end[gpu], trace.end[row]) - np.maximum(trace.ts[gpu], trace.ts[row])
    yield Says(
        f"{facts.name_of(trace, row)} after the last step takes {ns(trace.dur[row])}, during which "
        f"{ns(worked[worked > 0].sum())} of queued GPU work ran; the steps took {ns(span)}.",
        rows=[row],
    )


@rule(
    "with-stack-cost",
    "Python frames were recorded",
    section="recording",
    sees="python_function rows: with_stack=True",
    means="each Python call is recorded, and costs the CPU time in the run that one measures",
    do="read structure from this trace, and times from one without stacks",
    holds_for="any GPU; what it costs needs a capture without it to compare",
    artefact=True,
)
def with_stack_cost(trace: Trace) -> Iterator[Says]:
    """Nothing at stake that this trace could tell."""
    rows = trace.of_kind(c.PYTHON)
    if not len(rows):
        return
    chosen = facts.steps(trace)
    start, end = trace.ts[trace.step_table.rows], trace.end[trace.step_table.rows]
    inside = sum(int(((trace.ts[rows] >= start[i]) & (trace.ts[rows] < end[i])).sum()) for i in chosen)
    told = facts.each(trace, inside if chosen else len(rows), "frame")
    part = len(rows) / max(len(trace), 1)
    yield Says(
        f"Cannot tell what recording Python frames costs: {told}, {share(part)} of all events; a trace "
        "without them is needed to compare.",
        confidence="unknown",
    )
