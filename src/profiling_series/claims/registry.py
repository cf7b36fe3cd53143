"""The measures by name, and what one gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..trace import Trace


@dataclass(frozen=True)
class Measured:
    """What this build answers.

    Attributes
    ----------
    value : float or str or None
        The answer; None where this capture cannot tell.
    each : tuple of float
        The values that it is the median of, one a step, where there are several.
    """

    value: float | str | None
    each: tuple[float, ...] = ()


UNTOLD = Measured(None)
Measure = Callable[[Any], Measured]
MEASURES: dict[str, Measure] = {}
"""Name → measure. A claim names one."""


def measure(function: Measure) -> Measure:
    """Return the function, entered in the measures under its own name.

    Parameters
    ----------
    function : callable
        Takes a capture or a trace. Its name begins with an underscore, which the measure's does not.

    Returns
    -------
    callable
        The same function.
    """
    MEASURES[function.__name__.removeprefix("_")] = function
    return function


def median_of(values: list[float]) -> Measured:
    """Return the median with the values that it is of, untold for none.

    Parameters
    ----------
    values : list of float
        One a step.

    Returns
    -------
    Measured
        Their median.
    """
    return Measured(float(median(values)), tuple(values)) if values else UNTOLD


def of_steps(trace: Trace, take: Callable[[int], float | None]) -> Measured:
    """Return the median over the complete steps; a step that cannot tell leaves it untold.

    Parameters
    ----------
    trace : Trace
        A trace.
    take : callable
        Step index → value, None where the step cannot tell.

    Returns
    -------
    Measured
        The median over the steps.
    """
    values = [take(at) for at, step in enumerate(trace.steps) if step.complete]
    told = [float(value) for value in values if value is not None]
    return median_of(told) if len(told) == len(values) else UNTOLD
