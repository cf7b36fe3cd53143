"""Measures of sweeps, ceilings and timings: rates, and which limit lies above them.

The roofline is that of S. Williams, A. Waterman and D. Patterson, "Roofline: An Insightful Visual Performance
Model for Multicore Architectures", Communications of the ACM 52(4), 2009, with measured roofs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..errors import UsageError
from .model import measure
from .subjects import CeilingsOf, Run, SweepOf, TimerOf, TimingOf


@dataclass(frozen=True)
class Point:
    """One workload of a sweep, with what its settled steps took."""

    point: Any


def by_series(sweep: Any) -> dict[str, list[Any]]:
    """Return a sweep's points by series, each list along x, without those that could not be measured.

    Parameters
    ----------
    sweep : Sweep
        Of any workload.
    """
    found: dict[str, list[Any]] = {}
    for one in sorted(sweep.points, key=lambda one: one.x):
        if one.failed is None:
            found.setdefault(one.series, []).append(one)
    return found


def _series(of: SweepOf, name: str) -> list[Any]:
    every = by_series(of.sweep)
    if name not in every:
        raise UsageError(f"no series {name!r:.40} in the sweep; there are {', '.join(every)}")
    return every[name]


@measure()
def point(of: SweepOf, series: str, nth: int = 1) -> Point | None:
    """Return the nth point of a series by size, counted from 1; the last one is -1."""
    points = _series(of, series)
    at = nth - 1 if nth > 0 else nth
    return Point(points[at]) if -len(points) <= at < len(points) else None


def crossing_of(points: list[Any]) -> float | None:
    """Return the size at which the GPU works as long for a step as the CPU does, None where they never meet.

    Between two sizes the ratio is taken to be a power of the size, a straight line on a log-log plot.

    Parameters
    ----------
    points : list of Point
        Of one series, by size.
    """
    for small, large in pairwise(points):
        ratios = [
            one.stretch.gpu_sum_us / one.stretch.cpu_us if one.stretch.gpu_sum_us else None
            for one in (small, large)
        ]
        before, after = ratios
        if before is None or after is None or not before < 1 <= after:
            continue
        part = -math.log(before) / math.log(after / before)
        return float(small.x * (large.x / small.x) ** part)
    return None


def rounded(size: float) -> int:
    """Return a size with two digits: more would claim to know it better than two neighbours tell.

    Parameters
    ----------
    size : float
        Between two that were measured.
    """
    scale = 10 ** max(int(math.log10(size)) - 1, 0)
    return round(size / scale) * scale


@measure()
def crossing(of: SweepOf, series: str) -> int | None:
    """Return the size, with two digits, at which the GPU works as long for a step as the CPU does."""
    size = crossing_of(_series(of, series))
    return None if size is None else rounded(size)


@measure("µs")
def pace(of: Point) -> float:
    """Return what a step costs in a run: the larger median of start-to-start and of GPU end-to-end times."""
    return float(of.point.stretch.step_us)


@measure("µs")
def dur(of: Point) -> float:
    """Return how long a step takes the CPU."""
    return float(of.point.stretch.cpu_us)


@measure("µs")
def gpu_sum(of: Point) -> float | None:
    """Return how long the GPU works for what a step launched."""
    found: float | None = of.point.stretch.gpu_sum_us
    return found


@measure("%")
def busy_share(of: Point) -> float | None:
    """Return the part of the steps' time in which the GPU worked."""
    share: float | None = of.point.stretch.gpu_busy_share
    return None if share is None else 100 * share


@measure()
def regime(of: Point) -> str | None:
    """Return the verdict's word, by the busy share alone."""
    word = str(of.point.stretch.regime)
    return None if word == "undetermined" else word


@measure("TFLOP/s")
def tflops(of: Point) -> float | None:
    """Return the rate over the whole step, waiting included."""
    found: float | None = of.point.tflops
    return found


@measure("TFLOP/s")
def gpu_tflops(of: Point) -> float | None:
    """Return the rate while the GPU works."""
    found: float | None = of.point.gpu_tflops
    return found


@measure("GB/s")
def bandwidth(of: Point) -> float | None:
    """Return the least bytes that must move over the whole step's time."""
    found: float | None = of.point.gbs
    return found


@measure("FLOP/B")
def intensity(of: Point) -> float | None:
    """Return the FLOPs for each byte that must move at least."""
    found: float | None = of.point.intensity
    return found


def roof_at(ceilings: Any, dtype: str, at: float) -> float:
    """Return the rate that the ceilings allow, TFLOP/s: the lower of memory's and arithmetic's.

    Parameters
    ----------
    ceilings : Ceilings
        With that dtype.
    dtype : str
        Of the operations.
    at : float
        FLOPs a byte.
    """
    return float(min(ceilings.gbs * at / 1000, ceilings.tflops[dtype]))


@measure("TFLOP/s")
def roof(of: Point, top: CeilingsOf) -> float | None:
    """Return the rate that the ceilings allow at its intensity: the lower of memory's and arithmetic's."""
    at = of.point.intensity
    return None if at is None else roof_at(top.ceilings, of.point.workload.dtype, at)


@measure("%")
def reach(of: Point, top: CeilingsOf) -> float | None:
    """Return its rate over the whole step, of its roof."""
    above = roof(of, top)
    return 100 * of.point.tflops / above if above and of.point.tflops else None


@measure("%")
def gpu_reach(of: Point, top: CeilingsOf) -> float | None:
    """Return its rate while the GPU works, of its roof."""
    above = roof(of, top)
    return 100 * of.point.gpu_tflops / above if above and of.point.gpu_tflops else None


def limit_of(workload: Any, ceilings: Any) -> str | None:
    """Return ``"memory"`` or ``"compute"``, whichever ceiling is the lower for a workload; None if not known.

    Parameters
    ----------
    workload : Workload
        Which says its FLOPs and the bytes that it must move.
    ceilings : Ceilings
        Of the machine.
    """
    flops, moved, dtype = workload.flops(), workload.bytes_moved(), getattr(workload, "dtype", None)
    if not flops or not moved or dtype not in ceilings.tflops:
        return None
    return "memory" if flops / moved < ceilings.ridge(dtype) else "compute"


@measure()
def gpu_limit(of: Point, top: CeilingsOf) -> str | None:
    """Return what limits a GPU that is kept busy, ``"compute"`` or ``"memory"``: the lower roof."""
    return limit_of(of.point.workload, top.ceilings)


@measure()
def _gpu_limit(run: Run, top: CeilingsOf) -> str | None:
    """Return what limits a GPU that is kept busy, ``"compute"`` or ``"memory"``: the workload's lower roof.

    No trace holds how much there was to calculate and to move: untold where no workload says it.
    """
    return limit_of(run.workload, top.ceilings) if run.workload is not None else None


@measure("TFLOP/s")
def ceiling(top: CeilingsOf, dtype: str) -> float | None:
    """Return the rate of the best product of a type, in short bursts."""
    found: float | None = top.ceilings.tflops.get(dtype)
    return found


@measure("TFLOP/s")
def sustained(top: CeilingsOf, dtype: str) -> float | None:
    """Return the best rate that products of a type kept up for half a second."""
    found: float | None = top.ceilings.sustained_tflops.get(dtype)
    return found


@measure("FLOP/B")
def ridge(top: CeilingsOf, dtype: str) -> float | None:
    """Return from how many FLOPs a byte on arithmetic, not memory, is the limit."""
    return float(top.ceilings.ridge(dtype)) if dtype in top.ceilings.tflops else None


@measure("µs")
def time(of: TimingOf) -> float:
    """Return how long a step takes without the profiler: the median over blocks of calls."""
    return float(of.timing.median_us)


@measure("µs")
def _time(of: TimerOf) -> float:
    """Return how long a call takes: the median over the timer's blocks."""
    return float(of.measurement.median) * 1e6
