"""Which events of a window go on which lane, how deep, and as what kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...format import count, share, shown, us
from ...trace import categories as c
from ...trace import gpu, intervals
from ..palette import PAINTS
from .scene import Gap, Lane, Window

if TYPE_CHECKING:
    from ...trace import Trace

KINDS = tuple(PAINTS)
MAX_THREADS = 4
MAX_STREAMS = 8
MAX_DEPTH = 12
"""What a picture holds before it stops being one; what is left out is counted in a note."""

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Placed:
    """Events with their places: parallel arrays, by lane, then in time order.

    Attributes
    ----------
    rows : numpy.ndarray of int64
        Rows of the trace.
    kind, lane, depth : numpy.ndarray of int64
        Index into `KINDS`, index into the lanes, row within the lane.
    """

    rows: Rows
    kind: Rows
    lane: Rows
    depth: Rows


def place(trace: Trace, window: Window) -> tuple[tuple[Lane, ...], Placed, tuple[Gap, ...], list[str]]:
    """Return lanes, placed events, GPU idle gaps, and notes on what has no place.

    Parameters
    ----------
    trace : Trace
        A trace.
    window : Window
        What to show of it.
    """
    notes: list[str] = []
    gaps = _gaps(trace, window)
    parts = [
        *_threads(trace, window, notes),
        *_overhead(trace, window),
        *_streams(trace, window, gaps, notes),
    ]
    lanes = tuple(lane for lane, _, _, _ in parts)
    columns = [
        np.concatenate([np.empty(0, np.int64), *(np.asarray(part[at], dtype=np.int64) for part in parts)])
        for at in (1, 2, 3)
    ]
    index = np.repeat(np.arange(len(parts)), [len(part[1]) for part in parts])
    return lanes, Placed(columns[0], columns[1], index, columns[2]), gaps, notes


_Part = tuple[Lane, Rows, Rows, Rows]
"""A lane with the rows, kinds and depths of its events."""


def _inside(trace: Trace, rows: Rows, window: Window) -> Rows:
    """Return those rows that overlap the window."""
    start = trace.ts[rows]
    return rows[(start < window.end_ns) & (gpu.sound_end(trace)[rows] > window.start_ns)]


def _kinds(trace: Trace, rows: Rows) -> Rows:
    """Return the kind of each CPU row as an index into `KINDS`."""
    waits = trace.named(lambda name: bool(c.SYNCHRONIZE.search(name)))[rows]
    kind = np.full(len(rows), KINDS.index("op"))
    kind[trace.kind[rows] == c.ANNOTATION] = KINDS.index("annotation")
    kind[trace.kind[rows] == c.CALL] = KINDS.index("call")
    kind[(trace.kind[rows] == c.CALL) & waits] = KINDS.index("sync")
    kind[np.isin(rows, [step.row for step in trace.steps])] = KINDS.index("step")
    return kind


def _depths(trace: Trace, rows: Rows) -> Rows:
    """Return for each row how many of its ancestors are among the rows."""
    kept = np.zeros(len(trace), dtype=bool)
    kept[rows] = True
    depth = np.zeros(len(rows), dtype=np.int64)
    above = np.asarray(trace.parent, dtype=np.int64)[rows]
    while (above >= 0).any():
        depth += (above >= 0) & kept[above]  # kept[-1] is masked
        above = np.where(above >= 0, trace.parent[above], -1)
    return depth


def _threads(trace: Trace, window: Window, notes: list[str]) -> list[_Part]:
    """Return a lane for each CPU thread, that of the steps first, then by time covered."""
    rows = _inside(trace, trace.host_rows, window)
    depth, kind, lane = _depths(trace, rows), _kinds(trace, rows), trace.lane_id[rows]
    main = {int(trace.lane_id[step.row]) for step in trace.steps}
    covered = {int(at): int(trace.dur[rows[(lane == at) & (depth == 0)]].sum()) for at in np.unique(lane)}
    order = sorted(covered, key=lambda at: (at not in main, -covered[at]))
    if len(order) > MAX_THREADS:
        left = int(np.isin(lane, order[MAX_THREADS:]).sum())
        notes.append(
            f"{count(len(order) - MAX_THREADS, 'further thread')} with {count(left, 'event')} not drawn"
        )
    processes = {trace.lanes[at].pid for at in order}
    parts = []
    for at in order[:MAX_THREADS]:
        here = lane == at
        _note_deep(int((here & (depth >= MAX_DEPTH)).sum()), notes)
        here &= depth < MAX_DEPTH
        label = _thread_label(trace, at, len(processes) > 1)
        if at in main and len(order) > 1:
            label += " (runs the steps)"
        parts.append((Lane("cpu", label, int(depth[here].max()) + 1), rows[here], kind[here], depth[here]))
    return parts


def _note_deep(left: int, notes: list[str]) -> None:
    """Add a note on events nested too deep to be drawn, if there are any."""
    if left:
        notes.append(f"{count(left, 'event')} nested deeper than {MAX_DEPTH} levels not drawn")


def _thread_label(trace: Trace, lane: int, several_processes: bool) -> str:
    """Return the heading of a CPU thread's lane."""
    pid, tid = trace.lanes[lane].pid, trace.lanes[lane].tid
    process = f"process {shown(str(pid), 24)}, " if several_processes else ""
    return f"CPU, {process}thread {shown(str(tid), 24)}"


def _overhead(trace: Trace, window: Window) -> list[_Part]:
    """Return the lane of the profiler's own overhead, where there is any in the window."""
    rows = _inside(trace, trace.overhead_rows, window)
    if not len(rows):
        return []
    kind = np.full(len(rows), KINDS.index("overhead"))
    return [(Lane("overhead", "Profiler overhead", 1), rows, kind, np.zeros(len(rows), np.int64))]


def _streams(trace: Trace, window: Window, gaps: tuple[Gap, ...], notes: list[str]) -> list[_Part]:
    """Return a lane for each GPU stream: its work, and above it the spans of annotations."""
    spans = _inside(trace, trace.of_kind(c.GPU_ANNOTATION), window)
    streams: list[tuple[int, Rows]] = []
    for device, rows in gpu.device_rows(trace).items():
        work = _inside(trace, rows, window)
        stream = gpu.stream_numbers(trace, work)
        parts = [work[stream == at] for at in np.unique(stream)]
        streams += [(device, part) for part in sorted(parts, key=len, reverse=True)]
    if len(streams) > MAX_STREAMS:
        left = sum(len(rows) for _, rows in streams[MAX_STREAMS:])
        notes.append(
            f"{count(len(streams) - MAX_STREAMS, 'further stream')} with {count(left, 'GPU event')} not drawn"
        )
    return [_stream(trace, window, gaps, device, work, spans) for device, work in streams[:MAX_STREAMS]]


def _stream(
    trace: Trace, window: Window, gaps: tuple[Gap, ...], device: int, work: Rows, spans: Rows
) -> _Part:
    """Return the lane of one stream, spans on row 0 where it has any, work below them."""
    spans = spans[np.isin(trace.lane_id[spans], trace.lane_id[work])]
    busy_us = window.length_us - sum(gap.dur_us for gap in gaps if gap.device == device)
    label = (
        f"GPU {device}, stream {shown(str(trace.stream_of(int(work[0]))), 24)} – "
        f"GPU works {us(busy_us)} of {us(window.length_us)} ({share(busy_us / window.length_us)})"
    )
    kernel = trace.kind[work] == c.KERNEL
    first = int(len(spans) > 0)
    return (
        Lane("gpu", label, first + 1, device),
        np.concatenate([spans, work]),
        np.concatenate(
            [
                np.full(len(spans), KINDS.index("span")),
                np.where(kernel, KINDS.index("kernel"), KINDS.index("copy")),
            ]
        ),
        np.concatenate([np.zeros(len(spans), np.int64), np.full(len(work), first)]),
    )


def _gaps(trace: Trace, window: Window) -> tuple[Gap, ...]:
    """Return the times in which a GPU of the window has no work on any of its streams."""
    found = []
    for device, rows in gpu.device_rows(trace).items():
        if not len(_inside(trace, rows, window)):
            continue
        starts, ends = intervals.gaps(gpu.busy(trace, rows), window.start_ns, window.end_ns)
        for start_ns, end_ns in zip(starts.tolist(), ends.tolist(), strict=True):
            found.append(Gap(device, (start_ns - window.origin_ns) / 1000, (end_ns - start_ns) / 1000))
    return tuple(found)
