"""Launch calls: how many, how long until their work began, how long they took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .gpu import device_numbers, sound_end
from .groups import groups
from .losses import launch_calls, without_gpu_event
from .memo import per_trace

if TYPE_CHECKING:
    from .model import Trace

NEVER = np.iinfo(np.int64).min


@per_trace
def first_events(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """(Call rows that launched something, row of the first GPU event of each), in order of the calls."""
    rows = trace.gpu_rows
    launch = trace.launch_of[rows]
    rows, launch = rows[launch >= 0], launch[launch >= 0]
    calls, index = np.unique(launch, return_index=True)  # rows are in time order: the first is the earliest
    return calls, rows[index]


def latencies(trace: Trace) -> np.ndarray:
    """Launch latency of each call that launched something: from its start to its first GPU event's, ns."""
    calls, events = first_events(trace)
    return trace.ts[events] - trace.ts[calls]


@per_trace
def unqueued(trace: Trace) -> np.ndarray:
    """Whether the device was idle, with nothing launched before still to run, at each such call: bool."""
    calls, events = first_events(trace)
    rows = trace.gpu_rows
    device, device_of_first = device_numbers(trace, rows), device_numbers(trace, events)
    launch = trace.launch_of[rows]
    issued = np.where(launch >= 0, trace.ts[launch], trace.ts[rows])
    idle = np.zeros(len(calls), bool)
    end = sound_end(trace)
    of_device = {int(device[part[0]]): part for part in groups(device)}
    for mine in groups(device_of_first):
        here = of_device[int(device_of_first[mine[0]])]
        order = here[np.argsort(issued[here], kind="stable")]
        begun, until = issued[order], np.maximum.accumulate(end[rows[order]])
        before = np.searchsorted(begun, trace.ts[calls[mine]], side="left") - 1
        idle[mine] = np.where(before >= 0, until[np.maximum(before, 0)], NEVER) <= trace.ts[calls[mine]]
    return idle


def spread(values: np.ndarray) -> dict[str, float] | None:
    """Minimum, median, 90th percentile (linear) and maximum in µs of values in ns; None for no value."""
    if not len(values):
        return None
    low, median, p90, high = np.percentile(values, [0, 50, 90, 100]).tolist()
    return {"min": low / 1000, "median": median / 1000, "p90": p90 / 1000, "max": high / 1000}


def launches(trace: Trace) -> dict[str, Any]:
    """The contract's ``launches``: counts over the whole file, latency and call time in µs.

    Latency is from the start of the call to the start of its (first) GPU event, once a call; negative ones
    are clock skew, kept and counted. Unqueued: only the calls made while the device was idle.
    """
    calls = launch_calls(trace)
    owner = trace.launch_of[trace.gpu_rows]
    latency = latencies(trace)
    return {
        "calls": len(calls),
        "matched_gpu_events": int((owner >= 0).sum()),
        "unmatched_gpu_events": int((owner < 0).sum()),
        "calls_without_gpu_event": len(without_gpu_event(trace)),
        "latency_us": spread(latency),
        "latency_unqueued_us": spread(latency[unqueued(trace)]),
        "negative": int((latency < 0).sum()),
        "call_time_us": float(trace.dur[calls].sum()) / 1000,
    }
