"""Launch calls that take unusually long, and how many launches wait at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from profiling_series.trace import categories as c
from profiling_series.trace.gpu import overheads
from profiling_series.trace.intervals import covered_between
from profiling_series.trace.losses import launch_calls
from profiling_series.trace.memo import per_trace

if TYPE_CHECKING:
    from profiling_series.trace import Trace

# NVIDIA's driver lets about 1,024 launches wait; counted a little lower, since the trace's clocks differ.
FULL = 900
# A launch call under the profiler takes 5 to 60 µs; these are neither usual nor noise.
LONG_FACTOR = 10
LONG_NS = 50_000
STALLED_NS = 500_000


@per_trace
def kernel_calls(trace: Trace) -> np.ndarray:
    """Return the calls that launch one kernel."""
    calls = launch_calls(trace)
    # A graph launch is one call for hundreds of kernels: it may take half a millisecond.
    single: np.ndarray = calls[
        trace.named(lambda n: c.launches_kernel(n) and not c.GRAPH_LAUNCH.search(n), calls)
    ]
    return single


def usual_ns(trace: Trace) -> float:
    """Return the median duration of a kernel launch call, ns; 0 without one."""
    calls = kernel_calls(trace)
    return float(np.median(trace.dur[calls])) if len(calls) else 0.0


def long_calls(trace: Trace) -> np.ndarray:
    """Return the kernel launch calls that take at least 50 µs and ten times the usual."""
    calls = kernel_calls(trace)
    return calls[trace.dur[calls] >= max(LONG_NS, LONG_FACTOR * usual_ns(trace))]


def pending(trace: Trace, calls: np.ndarray) -> np.ndarray:
    """Return how many launches had been issued before the start of each call and had not begun to run.

    A graph launch counts once; so do all streams together.
    """
    from profiling_series.trace.launches import first_events

    launched, events = first_events(trace)
    issued, begun = np.sort(trace.ts[launched]), np.sort(trace.ts[events])
    at = trace.ts[calls]
    waiting: np.ndarray = np.searchsorted(issued, at, side="left") - np.searchsorted(begun, at, side="right")
    return np.maximum(waiting, 0)


def under_overhead(trace: Trace, calls: np.ndarray) -> np.ndarray:
    """Return which calls pass at least half of their time under an overhead of the profiler."""
    inside = covered_between(overheads(trace), trace.ts[calls], trace.end[calls])
    return 2 * inside >= np.maximum(trace.dur[calls], 1)
