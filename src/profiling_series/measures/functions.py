"""What expressions can do with several measured values: factors, overlaps, percentages."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from ..errors import UsageError
from .model import UNTOLD, Measured
from .values import FACTOR_RUNS


def factor(before: Measured, after: Measured) -> Measured:
    """Return how many times the first figure the second is, with the factor of each pair of processes.

    Untold for fewer than five processes a side: two processes of one program can differ by more than most
    changes make.
    """
    sides = (before, after)
    if any(one.over != "process" or len(one.each) < FACTOR_RUNS for one in sides):
        return UNTOLD
    found = factors(before.each, after.each)
    return Measured(found[0], "", found[1:], "process") if found else UNTOLD


def factors(before: tuple[float, ...], after: tuple[float, ...]) -> tuple[float, ...]:
    """Return the factor of the medians, then that of each process after to each process before.

    Parameters
    ----------
    before, after : tuple of float
        One value a process; none of them 0, or there is no factor.
    """
    if not before or not after or not min(before) or not min(after):
        return ()
    return (median(after) / median(before), *(b / a for a in before for b in after))


def overlap(one: Measured, other: Measured) -> Measured:
    """Return whether the ranges of two figures overlap, from the least value to the greatest of each."""
    if not one.each or not other.each:
        return UNTOLD
    return Measured(max(min(one.each), min(other.each)) <= min(max(one.each), max(other.each)))


def percent(part: Measured) -> Measured:
    """Return a fraction as a percentage."""
    return UNTOLD if part.value is None else Measured(100 * _number(part), "%")


def ms(time: Measured) -> Measured:
    """Return a time in milliseconds."""
    return UNTOLD if time.value is None else Measured(_number(time) / 1000, "ms")


def us(number: Measured) -> Measured:
    """Return a plain number as a time in microseconds."""
    return UNTOLD if number.value is None else Measured(_number(number), "µs")


def whole(figure: Measured) -> Measured:
    """Return the figure as a whole number, without its unit."""
    return UNTOLD if figure.value is None else Measured(round(_number(figure)))


def median_alone(figure: Measured) -> Measured:
    """Return the figure without the values that it is the median of: they are no noise of one measurement."""
    return Measured(figure.value, figure.unit)


def size(figure: Measured) -> Measured:
    """Return the figure without its sign."""
    return UNTOLD if figure.value is None else Measured(abs(_number(figure)), figure.unit)


def _number(figure: Measured) -> float:
    if isinstance(figure.value, int | float):
        return figure.value
    raise UsageError(f"{figure.value!r:.40} is no number")


FUNCTIONS: dict[str, Callable[..., Measured]] = {
    "factor": factor,
    "overlap": overlap,
    "percent": percent,
    "ms": ms,
    "us": us,
    "whole": whole,
    "median": median_alone,
    "abs": size,
}
"""Name in an expression → function."""
