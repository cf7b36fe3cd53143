"""Measures of a measure: how its values, one a step, a run or a process, are spread."""

from __future__ import annotations

import numpy as np

from .model import Measured, measure
from .subjects import Labelled

MOVED = 0.02
"""A level that changes by more than this part has moved."""
FACTOR_RUNS = 5
"""Processes a side from which a factor of CPU times is told, however small."""


@measure()
def low(values: Measured) -> Measured | None:
    """Return the least of its values."""
    return Measured(min(values.each), values.unit) if values.each else None


@measure()
def high(values: Measured) -> Measured | None:
    """Return the greatest of its values."""
    return Measured(max(values.each), values.unit) if values.each else None


@measure()
def mean(values: Measured) -> Measured | None:
    """Return the mean of its values."""
    return Measured(sum(values.each) / len(values.each), values.unit) if values.each else None


@measure()
def range_(values: Measured) -> Measured | None:
    """Return how far its greatest value lies above its least."""
    if len(values.each) < 2:
        return None
    return Measured(max(values.each) - min(values.each), values.unit)


@measure()
def count(values: Measured) -> int | None:
    """Return how many values it is the median of."""
    return len(values.each) or None


@measure()
def longest(values: Measured) -> int | None:
    """Return which of its values, counted from 1, is the greatest; of equal ones the first."""
    return int(np.argmax(values.each)) + 1 if values.each else None


@measure()
def first_quarter(values: Measured) -> Measured | None:
    """Return the level of the first quarter of its values: of an even number the upper of the middle two."""
    return _level(values, values.each[: len(values.each) // 4])


@measure()
def last_quarter(values: Measured) -> Measured | None:
    """Return the level of the last quarter of its values, as of the first."""
    return _level(values, values.each[-(len(values.each) // 4) :] if len(values.each) >= 4 else ())


def _level(values: Measured, part: tuple[float, ...]) -> Measured | None:
    return Measured(sorted(part)[len(part) // 2], values.unit) if part else None


def _levels(values: Measured) -> tuple[float, float] | None:
    """Return the levels of the first and the last quarter, if they have moved apart."""
    first, last = first_quarter(values), last_quarter(values)
    if first is None or last is None or not first.value:
        return None
    start, end = float(first.value), float(last.value or 0)
    return (start, end) if abs(end / start - 1) > MOVED else None


@measure()
def moved(values: Measured) -> bool | None:
    """Return whether the levels of the first and the last quarter are more than 2 % apart."""
    return _levels(values) is not None if len(values.each) >= 4 else None


@measure()
def jump(values: Measured) -> int | None:
    """Return from which value on, counted from 1, it is at its last level; untold where it has not two.

    Two levels: first and last quarter have moved apart, and fewer than one value in twenty lies in the middle
    half between them. From the jump on, 99 % of the values are nearer to the last level.
    """
    levels = _levels(values)
    if levels is None:
        return None
    way = (np.array(values.each) - levels[0]) / (levels[1] - levels[0])
    if ((way > 0.25) & (way < 0.75)).mean() >= 0.05:
        return None
    there = (at for at in range(len(way)) if (way[at:] > 0.5).mean() > 0.99)
    return next((at + 1 for at in there), None)


@measure()
def lowest(programs: Labelled, nth: int = 1) -> Measured | None:
    """Return the nth lowest figure of several programs; those with fewer than five processes are left out."""
    ranked = _ranked(programs)
    return ranked[nth - 1][1] if len(ranked) >= max(nth, 2) else None


@measure()
def lowest_name(programs: Labelled, nth: int = 1) -> str | None:
    """Return the name of the program whose figure is the nth lowest, as of `lowest`."""
    ranked = _ranked(programs)
    return ranked[nth - 1][0] if len(ranked) >= max(nth, 2) else None


def _ranked(programs: Labelled) -> list[tuple[str, Measured]]:
    known = [
        (name, found)
        for name, found in programs.each.items()
        if isinstance(found, Measured) and found.over == "process" and len(found.each) >= FACTOR_RUNS
    ]
    return sorted(known, key=lambda pair: float(pair[1].value or 0))
