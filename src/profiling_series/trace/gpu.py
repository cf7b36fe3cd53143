"""GPU events by device and stream: sound ends, busy time, and what idle time waits for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import categories as c
from .groups import groups
from .intervals import Intervals, clip, gaps, intersect, measure, subtract, union
from .load.columns import NO_QUEUE
from .load.single import as_int
from .memo import per_trace

if TYPE_CHECKING:
    from .model import Trace

NEVER = np.iinfo(np.int64).min
IMPOSSIBLE_FACTOR = 100  # a duration this many times the distance to the next event of its stream


def device_numbers(trace: Trace, rows: np.ndarray) -> np.ndarray:
    """Device index of each of ``rows``, events of GPU lanes: int64."""
    by_lane = np.array([as_int(lane.pid, 0) for lane in trace.lanes] or [0], np.int64)
    by_queue = np.array([d for d, _ in trace.queues] + [0], np.int64)
    queue = trace.columns.queue[rows]
    return np.where(queue != NO_QUEUE, by_queue[queue], by_lane[trace.lane_id[rows]])


def stream_numbers(trace: Trace, rows: np.ndarray) -> np.ndarray:
    """A number for the (device, stream) of each of ``rows``, events of GPU lanes: int64."""
    by_queue, by_lane = _stream_codes(trace)
    queue = trace.columns.queue[rows]
    return np.where(queue != NO_QUEUE, by_queue[queue], by_lane[trace.lane_id[rows]])


@per_trace
def _stream_codes(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the streams that the queues and the lanes of a trace stand for."""
    codes: dict[tuple[object, str], int] = {}

    def code(device: object, stream: object) -> int:
        return codes.setdefault((device, str(stream)), len(codes))

    by_queue = np.array([code(d, s) for d, s in trace.queues] + [0], np.int64)
    return by_queue, np.array([code(lane.pid, lane.tid) for lane in trace.lanes] or [0], np.int64)


@per_trace
def impossible(trace: Trace) -> np.ndarray:
    """Rows of GPU events whose duration cannot be: it overruns the next events of its own stream by far.

    One stream works in order, so an event that ends after all later ones of its stream have ended, and lasts
    a hundred times longer than until the next began, is a broken record. Events of one graph launch are
    exempt: branches of a graph run side by side and are recorded on one stream. So are several events of one
    correlation whose call is not known: that was a graph launched before the recording.
    """
    rows = trace.gpu_rows
    if len(rows) < 2:
        return rows[:0]
    stream = stream_numbers(trace, rows)
    order = np.argsort(stream, kind="stable")
    rows, stream = rows[order], stream[order]
    start, end = trace.ts[rows], trace.end[rows]
    following = np.append(stream[1:] == stream[:-1], False)
    distance = np.where(following, np.append(start[1:], 0) - start, 0)
    suspect = following & (end - start >= IMPOSSIBLE_FACTOR * np.maximum(distance, 1000))
    if not suspect.any():
        return rows[:0]
    launch = trace.launch_of[rows]
    graph = (launch >= 0) & trace.named(c.GRAPH_LAUNCH.search, launch)
    correlation = trace.correlation[rows]
    _, code, count = np.unique(correlation, return_inverse=True, return_counts=True)
    graph |= (launch < 0) & (correlation >= 0) & (count[code] > 1)
    # Ends of the sound events that follow on the stream: the latest of them.
    following_end = np.where(suspect, NEVER, end)
    for part in groups(stream):
        latest = np.maximum.accumulate(following_end[part][::-1])[::-1]
        following_end[part] = np.append(latest[1:], NEVER)
    return rows[suspect & ~graph & (end > following_end)]


@per_trace
def sound_end(trace: Trace) -> np.ndarray:
    """End of each event, int64[n] ns; impossible ones are clipped to the next start on their stream."""
    end, broken = trace.end, impossible(trace)
    if len(broken):
        end = end.copy()
        rows = trace.gpu_rows
        for part in groups(stream_numbers(trace, rows)):
            here = rows[part]
            hit = np.flatnonzero(np.isin(here[:-1], broken))  # the last of a stream overruns nothing
            end[here[hit]] = trace.ts[here[hit + 1]]
    return end


@per_trace
def device_rows(trace: Trace) -> dict[int, np.ndarray]:
    """Rows of the GPU events of each device that has any, in time order."""
    rows = trace.gpu_rows
    device = device_numbers(trace, rows)
    return {int(device[part[0]]): rows[part] for part in groups(device)}


def busy(trace: Trace, rows: np.ndarray) -> Intervals:
    """Union of the times of GPU events."""
    return union(trace.ts[rows], sound_end(trace)[rows])


@per_trace
def overheads(trace: Trace) -> Intervals:
    """Union of the times of the profiler's own overheads."""
    rows = trace.overhead_rows
    return union(trace.ts[rows], trace.end[rows])


@dataclass(frozen=True)
class IdleParts:
    """Idle time of a device over a window by what it waited for, ns; ``host_at``: when for the host."""

    idle: int
    overhead: int
    host: int
    queued: int
    unexplained: int
    host_at: Intervals


def idle_parts(
    trace: Trace, rows: np.ndarray, window: tuple[int, int], unqueued_ns: float | None
) -> IdleParts:
    """Idle time of a device over a window, by what it waited for.

    Idle under a profiler overhead is told apart first. The rest, gap by gap: *host* until the launch call of
    the event that ends the gap has returned, or until its start plus the median unqueued latency, whichever
    is later (before that the device had nothing to do); *queued* after that; *unexplained* where the launch
    is not known. A gap that no event ends waits for the host.
    """
    free = gaps(busy(trace, rows), *window)
    under = intersect(free, overheads(trace))
    start, end = subtract(free, under)
    place = np.searchsorted(trace.ts[rows], end, side="left")
    known = place < len(rows)
    following = rows[np.minimum(place, len(rows) - 1)]
    call = trace.launch_of[following]
    ready = np.maximum(trace.end[call], trace.ts[call] + int(unqueued_ns or 0))
    ready = np.clip(np.where(known, ready, end), start, end)
    joined = (call >= 0) | ~known
    return IdleParts(
        idle=measure(free),
        overhead=measure(under),
        host=int((ready - start)[joined].sum()),
        queued=int((end - ready)[joined].sum()),
        unexplained=int((end - start)[~joined].sum()),
        host_at=union(start[joined], ready[joined]),
    )


def clipped_busy(trace: Trace, rows: np.ndarray, window: tuple[int, int]) -> int:
    """Busy time of a device inside a window, nanoseconds."""
    return measure(clip(busy(trace, rows), *window))
