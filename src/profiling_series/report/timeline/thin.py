"""Fewer bars than events: the widest are kept, the others merged where a reader could not tell them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...format import count, us
from ...trace import gpu
from .detail import details
from .lanes import KINDS, Placed, Rows
from .scene import Bar, Window

if TYPE_CHECKING:
    from ...trace import Trace

Wide = NDArray[np.bool_]

CPU_BARS, GPU_BARS, MERGED_BARS = 180, 120, 140
"""How many events are drawn one by one on each side, and how many bars stand for the others."""
_FIRST_REACH = 1 / 600
"""Part of the window below which a gap is not seen, about a pixel and a half."""


def bars_of(
    trace: Trace, window: Window, placed: Placed, budget: float = 1.0
) -> tuple[tuple[Bar, ...], list[str]]:
    """Return the bars to draw, sorted by lane, row and start, and a note where events were merged.

    Parameters
    ----------
    trace : Trace
        A trace.
    window : Window
        What is shown of it.
    placed : Placed
        The events with their places.
    budget : float
        Part of the usual number of bars.
    """
    on_gpu = np.isin(placed.kind, [KINDS.index(kind) for kind in ("kernel", "copy", "span")])
    bars: list[Bar] = []
    notes: list[str] = []
    for side, usual, where in ((~on_gpu, CPU_BARS, "CPU"), (on_gpu, GPU_BARS, "GPU")):
        index = np.flatnonzero(side)
        dur = trace.dur[placed.rows[index]]
        most = max(int(usual * budget), 1)
        least = int(np.sort(dur)[-most]) if len(index) > most else -1
        # Events that tie with the budget's last are merged too: some identical ones drawn and others
        # not would show a difference that is not there.
        wide = dur > least
        bars += _bars(trace, window, placed, index[wide])
        small = index[~wide]
        if len(small):
            merged, reach_ns = _merge(trace, window, placed, index, wide, budget)
            bars += merged
            notes += _note(merged, where, least, reach_ns)
    return tuple(sorted(bars, key=lambda bar: (bar.lane, bar.depth, bar.start_us))), notes


def _note(bars: list[Bar], where: str, least_ns: int, reach_ns: int) -> list[str]:
    """Return what was merged, in words; nothing if every small event got a bar of its own after all."""
    merged = [bar for bar in bars if bar.count > 1]
    if not merged:
        return []
    events = count(sum(bar.count for bar in merged), f"{where} event")
    bars_told = count(len(merged), "paler bar")
    most, reach = us(least_ns / 1000), us(reach_ns / 1000)
    return [f"{events} of at most {most} drawn merged, as {bars_told}, across gaps of up to {reach}"]


def _bars(trace: Trace, window: Window, placed: Placed, index: Rows) -> list[Bar]:
    """Return the bars of single events, their arguments read in one pass over the file."""
    rows = [int(row) for row in placed.rows[index]]
    ends = gpu.sound_end(trace)
    return [
        Bar(
            row=row,
            kind=KINDS[int(placed.kind[at])],
            name=trace.name(row),
            start_us=(int(trace.ts[row]) - window.origin_ns) / 1000,
            dur_us=(int(ends[row]) - int(trace.ts[row])) / 1000,
            lane=int(placed.lane[at]),
            depth=int(placed.depth[at]),
            work_us=int(trace.dur[row]) / 1000,
            detail=lines,
        )
        for at, row, lines in zip(index, rows, details(trace, rows), strict=True)
    ]


def _merge(
    trace: Trace, window: Window, placed: Placed, index: Rows, wide: Wide, budget: float
) -> tuple[list[Bar], int]:
    """Return bars that each stand for neighbours in one row of one lane, and the gap they may run across."""
    length_ns = window.end_ns - window.start_ns
    most = MERGED_BARS * budget + int(wide.sum())
    # A small budget reaches farther: first a few pixels, in the end half the picture.
    reach_ns, widest = max(int(length_ns * _FIRST_REACH), 1), length_ns * 0.01 / budget**2
    while True:
        groups = _groups(trace, placed, index, wide, reach_ns)
        if len(groups) <= most or reach_ns > widest:
            lone = np.array([group[0] for group in groups if len(group) == 1], dtype=np.int64)
            merged = [_merged_bar(trace, window, placed, group) for group in groups if len(group) > 1]
            return [*merged, *_bars(trace, window, placed, lone)], reach_ns
        reach_ns *= 2


def _groups(trace: Trace, placed: Placed, index: Rows, wide: Wide, reach_ns: int) -> list[Rows]:
    """Return the small events, parted by lane, by row, by a wide event between them, or by too wide a gap."""
    rows = placed.rows[index]
    order = np.lexsort((trace.ts[rows], placed.depth[index], placed.lane[index]))
    index, wide = index[order], wide[order]
    passed = np.cumsum(wide)[~wide]
    small = index[~wide]
    rows = placed.rows[small]
    place = placed.lane[small] * 1000 + placed.depth[small]
    ends = trace.ts[rows] + trace.dur[rows]
    far = trace.ts[rows][1:] - ends[:-1] > reach_ns
    split = (place[1:] != place[:-1]) | (passed[1:] != passed[:-1]) | far
    return np.split(small, np.flatnonzero(split) + 1)


def _merged_bar(trace: Trace, window: Window, placed: Placed, group: Rows) -> Bar:
    """Return the bar of several events."""
    rows = placed.rows[group]
    start_ns, end_ns = int(trace.ts[rows].min()), int((trace.ts[rows] + trace.dur[rows]).max())
    kinds, at = np.unique(placed.kind[group], return_inverse=True)
    heaviest = kinds[np.argmax(np.bincount(at, weights=trace.dur[rows]))]
    ids, counts = np.unique(trace.name_id[rows], return_counts=True)
    # Names that come as often go by the alphabet: their ids differ from one process to the next.
    names = sorted((-many, trace.names[one]) for one, many in zip(ids.tolist(), counts.tolist(), strict=True))
    return Bar(
        row=int(rows[0]),
        kind=KINDS[int(heaviest)],
        name=", ".join(f"{-many} × {name[:80]}" for many, name in names[:3])
        + (f" and {len(names) - 3} other names" if len(names) > 3 else ""),
        start_us=(start_ns - window.origin_ns) / 1000,
        dur_us=(end_ns - start_ns) / 1000,
        lane=int(placed.lane[group[0]]),
        depth=int(placed.depth[group[0]]),
        count=len(group),
        work_us=int(trace.dur[rows].sum()) / 1000,
    )
