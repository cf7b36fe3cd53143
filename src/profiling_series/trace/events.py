"""What a trace is made of: events, their lanes, and the columns that hold them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Lane:
    """One row of the trace as viewers draw it: a thread of a process, or a stream of a device."""

    pid: int | str
    tid: int | str
    label: str = ""


@dataclass(frozen=True)
class Event:
    """One complete event; times in µs as the file holds them, to the nearest nanosecond."""

    row: int
    name: str
    cat: str
    pid: int | str
    tid: int | str
    ts_us: float
    dur_us: float

    @property
    def end_us(self) -> float:
        """End, µs."""
        return self.ts_us + self.dur_us


@dataclass(frozen=True)
class Columns:
    """Columns of a trace, one value an event, sorted by (start, longest first).

    ``ts`` and ``dur`` are int64 nanoseconds, ``ts`` relative to ``base_ns``; the ``*_id`` index
    `Trace.names`, `Trace.cats` and `Trace.lanes`; ``queue`` indexes `Trace.queues`, -1 for none; ``where`` is
    the event's place in the file.
    """

    ts: np.ndarray
    dur: np.ndarray
    name_id: np.ndarray
    cat_id: np.ndarray
    lane_id: np.ndarray
    correlation: np.ndarray
    queue: np.ndarray
    where: np.ndarray
