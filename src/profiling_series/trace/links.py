"""Launch to kernel: the join by correlation id, one call to many GPU events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import categories as c
from .groups import groups, last_before, pid_codes
from .intervals import covered_by, union
from .load.columns import CHUNK_SHIFT

if TYPE_CHECKING:
    from .model import Trace


def launch_of(trace: Trace) -> np.ndarray:
    """Row of the call that launched each GPU event: int32[n], -1 for none.

    A GPU event belongs to the runtime or driver call of the same correlation. Where several calls share one
    (the counter was reset, or ranks were merged into one file), it is one that launches by its name, of the
    process that drives the device, and of those the last that began by the event's start, else the first. A
    driver call inside a runtime call of the same correlation is that call's own.
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
        several = np.repeat(count, count) > 1
        _join_shared(trace, gpu[single], shared, np.sort(calls[order[several]]), found)
    return found


def _join_shared(
    trace: Trace, joined: np.ndarray, shared: np.ndarray, calls: np.ndarray, found: np.ndarray
) -> None:
    """Join the events whose correlation several ``calls`` carry; fills ``found``."""
    outer = outermost(trace, calls)
    calls = calls[outer == np.arange(len(calls))]
    correlations, code = np.unique(trace.correlation[calls], return_inverse=True)
    named = trace.named(c.is_launch, calls)
    launching = np.zeros(len(correlations), bool)
    launching[code[named]] = True
    chosen = named | ~launching[code]
    calls, code = calls[chosen], code[chosen]
    pids = pid_codes(trace)
    pid, many = pids[trace.lane_id[calls]], int(pids.max()) + 1
    event_code = np.searchsorted(correlations, trace.correlation[shared])
    driver = _drivers(trace, joined, shared, calls, found)
    own = (driver >= 0) & np.isin(event_code * many + driver, code * many + pid)
    for here, call_key, key in (
        (own, code * many + pid, event_code * many + driver),
        (~own, code, event_code),
    ):
        rows = shared[here]
        found[rows] = calls[last_before(call_key, trace.ts[calls], key[here], trace.ts[rows])]


def outermost(trace: Trace, calls: np.ndarray) -> np.ndarray:
    """Index of the outermost call of its thread and correlation around each of ``calls``, in time order.

    Its own where there is none.
    """
    size = len(calls)
    start, end, lane = trace.ts[calls], trace.end[calls], trace.lane_id[calls]
    order = np.lexsort((trace.correlation[calls], lane))  # time order within each
    alike = trace.correlation[calls[order]]
    begins = (np.diff(alike) != 0) | (np.diff(lane[order]) != 0)
    group = np.cumsum(np.append(False, begins))
    # Latest end so far in the group, by its rank: groups follow each other, so one running maximum does it.
    by_end = np.argsort(end, kind="stable")
    rank = np.empty(size, np.int64)
    rank[by_end] = np.arange(size)
    latest = np.maximum.accumulate(group * size + rank[order])
    before = end[by_end[latest[:-1] - group[:-1] * size]]
    is_top = np.append(True, begins | (start[order[1:]] >= before))
    top = np.empty(size, np.int64)
    top[order] = order[np.maximum.accumulate(np.where(is_top, np.arange(size), 0))]
    return top


def inner_calls(trace: Trace) -> np.ndarray:
    """Rows of the calls inside another of the same thread and correlation: the same launch, told twice."""
    calls = trace.call_rows
    calls = calls[trace.correlation[calls] >= 0]
    _, code, count = np.unique(trace.correlation[calls], return_inverse=True, return_counts=True)
    calls = calls[count[code] > 1]
    return calls[outermost(trace, calls) != np.arange(len(calls))] if len(calls) else calls


def _drivers(
    trace: Trace, joined: np.ndarray, shared: np.ndarray, calls: np.ndarray, found: np.ndarray
) -> np.ndarray:
    """Code of the process that launches on the device of each ``shared`` event, -1 where nothing tells.

    The calls that are joined without doubt tell it. Where none are, and there are as many processes as
    devices, they are taken in the order in which the file names them: merging writes one after the other.
    """
    from .gpu import device_numbers

    pids = pid_codes(trace)
    device = device_numbers(trace, shared)
    known: dict[int, int] = {}
    numbers = device_numbers(trace, joined)
    votes = pids[trace.lane_id[found[joined]]]
    for part in groups(numbers):
        count = np.bincount(votes[part])[
            votes[part]
        ]  # codes of pids come in no fixed order: the first wins a tie
        known[int(numbers[part[0]])] = int(votes[part[count.argmax()]])
    where = trace.columns.where
    left = [d for d in _in_order(device, where[shared]) if d not in known]
    others = [p for p in _in_order(pids[trace.lane_id[calls]], where[calls]) if p not in known.values()]
    if len(left) == len(others):
        known |= dict(zip(left, others, strict=True))
    unique, code = np.unique(device, return_inverse=True)
    return np.array([known.get(d, -1) for d in unique.tolist()])[code]


def _in_order(values: np.ndarray, where: np.ndarray) -> list[int]:
    """Distinct values, in the order in which the file has them first."""
    place = np.where(where < 0, -1 - where, where << CHUNK_SHIFT)  # an `address`, or an offset
    return list(dict.fromkeys(values[np.argsort(place, kind="stable")].tolist()))


def captured(trace: Trace) -> np.ndarray:
    """Rows of the calls made while their process captured a CUDA graph: they launch nothing yet.

    A capture goes from its begin call to the end call of the same thread; other threads of the process
    (autograd's) launch into it.
    """
    calls = trace.call_rows
    begins, ends = trace.named(c.BEGIN_CAPTURE.search, calls), trace.named(c.END_CAPTURE.search, calls)
    if not begins.any():
        return np.empty(0, np.int64)
    marks = np.flatnonzero(begins | ends)
    pids = pid_codes(trace)[trace.lane_id[calls]]
    inside: list[np.ndarray] = []
    open_since: dict[int, list[int]] = {}
    spans: dict[int, list[tuple[int, int]]] = {}
    for mark in marks.tolist():
        lane, at = int(trace.lane_id[calls[mark]]), int(trace.ts[calls[mark]])
        if begins[mark]:
            open_since.setdefault(lane, []).append(at)
            spans.setdefault(int(pids[mark]), [])
        elif open_since.get(lane):
            spans[int(pids[mark])].append((open_since[lane].pop(), at))
    last = int(trace.end[calls].max()) + 1
    for lane, starts in open_since.items():
        spans[int(pid_codes(trace)[lane])] += [(start, last) for start in starts]  # never ended
    for part in groups(pids):
        if pid_spans := spans.get(int(pids[part[0]])):
            start, end = np.array(pid_spans, np.int64).T
            inside.append(calls[part][covered_by(union(start, end), trace.ts[calls[part]])])
    found = np.sort(np.concatenate(inside))
    return found[~np.isin(found, calls[marks])]
