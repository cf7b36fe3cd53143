"""When a device had nothing to do, and for whom it waited: the gaps of a window, one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.findings import facts
from profiling_series.trace.gpu import busy, device_rows, overheads
from profiling_series.trace.intervals import Intervals, gaps, intersect, measure, subtract
from profiling_series.trace.launches import latencies, unqueued
from profiling_series.trace.memo import per_trace

if TYPE_CHECKING:
    from profiling_series.trace import Trace


@dataclass(frozen=True)
class Gaps:
    """The idle times of one device in the window, without those under a profiler overhead; ns, sorted.

    Until `ready` a gap waits for the host, after it the work was there; as
    `profiling_series.trace.gpu.idle_parts` sums it up. Where the launch of the event that ends a gap is not
    known, the gap is neither.

    Attributes
    ----------
    start, end, ready : int64 arrays
        ``start <= ready <= end``.
    ender : int64 array
        Row of the event that ends the gap, -1 where the window does.
    known : bool array
        Whether it is known for whom the device waited.
    """

    start: np.ndarray
    end: np.ndarray
    ready: np.ndarray
    ender: np.ndarray
    known: np.ndarray

    @property
    def host(self) -> Intervals:
        """The parts that waited for the host."""
        keep = self.known & (self.ready > self.start)
        return self.start[keep], self.ready[keep]

    @property
    def queued(self) -> Intervals:
        """The parts during which work had been launched."""
        keep = self.known & (self.end > self.ready)
        return self.ready[keep], self.end[keep]

    def host_ns(self) -> np.ndarray:
        """Return how long each gap waited for the host, ns."""
        return np.where(self.known, self.ready - self.start, 0)


@per_trace
def by_device(trace: Trace) -> dict[int, Gaps]:
    """Return the gaps of each device that has events; empty without a window."""
    over = facts.window(trace)
    if over is None or over.high <= over.low:
        return {}
    fast = unqueued(trace)
    latency = int(np.median(latencies(trace)[fast])) if fast.any() else 0
    return {
        device: _gaps(trace, rows, (over.low, over.high), latency)
        for device, rows in device_rows(trace).items()
    }


def _gaps(trace: Trace, rows: np.ndarray, over: tuple[int, int], latency: int) -> Gaps:
    free = gaps(busy(trace, rows), *over)
    start, end = subtract(free, intersect(free, overheads(trace)))
    place = np.searchsorted(trace.ts[rows], end, side="left")
    ends = place < len(rows)
    ender = np.where(ends, rows[np.minimum(place, len(rows) - 1)], -1).astype(np.int64)
    call = np.where(ends, trace.launch_of[ender], -1)
    ready = np.where(ends, np.maximum(trace.end[call], trace.ts[call] + latency), end)
    return Gaps(start, end, np.clip(ready, start, end), ender, ~ends | (call >= 0))


def mean_us(trace: Trace, each: Callable[[Gaps], int]) -> float:
    """Return the mean over the devices of what `each` makes of a device's gaps in ns, µs; 0 without a device.

    A mean, as in the verdict's share: of a window no more than the window can be at stake.
    """
    found = by_device(trace)
    return sum(map(each, found.values())) / 1000 / len(found) if found else 0.0


def host_us(trace: Trace) -> float:
    """Return the idle time of the window that waited for the host, mean of the devices, µs."""
    return mean_us(trace, lambda gaps: measure(gaps.host))


def queued_us(trace: Trace) -> float:
    """Return the idle time of the window during which work had been launched, mean of the devices, µs."""
    return mean_us(trace, lambda gaps: measure(gaps.queued))


def during_us(trace: Trace, times: Intervals) -> float:
    """Return the host idle time that falls into the given times, mean of the devices, µs."""
    return mean_us(trace, lambda gaps: measure(intersect(gaps.host, times)))


def before_us(trace: Trace, rows: np.ndarray) -> float:
    """Return the host idle time that the given GPU events end, mean of the devices, µs."""
    return mean_us(trace, lambda gaps: int(gaps.host_ns()[np.isin(gaps.ender, rows)].sum()))


def largest_enders(trace: Trace, most: int = 3) -> list[int]:
    """Return rows that prove the idle time: what ends the longest waits for the host, with its calls."""
    waits = [
        (int(ns), int(row))
        for each in by_device(trace).values()
        for ns, row in zip(each.host_ns().tolist(), each.ender.tolist(), strict=True)
        if row >= 0 and ns > 0
    ]
    found: list[int] = []
    for _, row in sorted(waits, reverse=True)[:most]:
        found += [row, int(trace.launch_of[row])]
    return [row for row in found if row >= 0]
