"""Launch to kernel: the join by correlation id, one call to many GPU events."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from . import categories as c

if TYPE_CHECKING:
    from .model import Trace


def launch_of(trace: Trace) -> np.ndarray:
    """Row of the call that launched each GPU event: int32[n], -1 for none.

    A GPU event belongs to the runtime or driver call of the same correlation. Where several calls share one
    (the counter was reset, or ranks were merged into one file), it is the call of the process that drives the
    device, and of those the last that began before the event.
    """
    found = np.full(len(trace), -1, np.int32)
    gpu, calls = trace.gpu_rows, trace.call_rows
    gpu, calls = gpu[trace.correlation[gpu] >= 0], calls[trace.correlation[calls] >= 0]
    if not len(gpu) or not len(calls):
        return found
    order = np.argsort(trace.correlation[calls], kind="stable")
    key, first, count = np.unique(trace.correlation[calls][order], return_index=True, return_counts=True)
    place = np.minimum(np.searchsorted(key, trace.correlation[gpu]), len(key) - 1)
    same = key[place] == trace.correlation[gpu]
    single = same & (count[place] == 1)
    found[gpu[single]] = calls[order[first[place[single]]]]
    shared = gpu[same & ~single]
    if len(shared):
        _join_shared(trace, shared, calls, found)
    return found


def _join_shared(trace: Trace, gpu: np.ndarray, calls: np.ndarray, found: np.ndarray) -> None:
    """Join the events whose correlation several calls carry; fills ``found``."""
    wanted = np.isin(trace.correlation[calls], trace.correlation[gpu])
    candidates: dict[int, list[int]] = defaultdict(list)
    for row in calls[wanted].tolist():
        candidates[int(trace.correlation[row])].append(row)
    driver = _drivers(trace, found)
    for row in gpu.tolist():
        choice = candidates[int(trace.correlation[row])]
        named = [r for r in choice if c.is_launch(trace.name(r))]
        choice = named or choice
        pid = driver.get(trace.device_of(row))
        own = [r for r in choice if trace.lanes[trace.lane_id[r]].pid == pid]
        choice = own or choice
        before = [r for r in choice if trace.ts[r] <= trace.ts[row]]
        best = before[-1] if before else choice[0]
        # A runtime call and the driver call inside it may carry one id: the outer is what the code called.
        outer = [
            r
            for r in before
            if trace.lane_id[r] == trace.lane_id[best]
            and trace.ts[r] + trace.dur[r] >= trace.ts[best] + trace.dur[best]
        ]
        found[row] = outer[0] if outer else best


def _drivers(trace: Trace, found: np.ndarray) -> dict[int, object]:
    """Process that launches on each device, as far as unshared correlations and labels tell."""
    votes: dict[int, Counter[object]] = defaultdict(Counter)
    rows = trace.gpu_rows[found[trace.gpu_rows] >= 0]
    for row in rows[:20_000].tolist():
        votes[trace.device_of(row)][trace.lanes[trace.lane_id[found[row]]].pid] += 1
    return {device: votes[device].most_common(1)[0][0] for device in votes}


def captured(trace: Trace) -> np.ndarray:
    """Rows of the launch calls made while their thread captured a CUDA graph: they launch nothing yet."""
    calls = trace.call_rows
    names = trace.name_id[calls]
    begins = np.array([bool(c.BEGIN_CAPTURE.search(n)) for n in trace.names] or [False])[names]
    if not begins.any():
        return np.empty(0, np.int64)
    ends = np.array([bool(c.END_CAPTURE.search(n)) for n in trace.names] or [False])[names]
    inside: list[np.ndarray] = []
    for lane in np.unique(trace.lane_id[calls[begins]]):
        here = calls[trace.lane_id[calls] == lane]
        change = np.where(np.isin(here, calls[begins]), 1, np.where(np.isin(here, calls[ends]), -1, 0))
        depth = np.cumsum(change)
        inside.append(here[(depth > 0) & (change == 0)])
    return np.concatenate(inside)
