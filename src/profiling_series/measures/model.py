"""What a measure is: a named function of one thing that can be measured, with its unit and its definition."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, ParamSpec, TypeVar

from ..errors import UsageError

Value = float | str | None
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Measured:
    """What a measure answers.

    Attributes
    ----------
    value : float or str or None
        The answer; None where what was asked cannot tell.
    unit : str
        ``"µs"``, ``"%"``, …; nothing for a count, a factor or a word.
    each : tuple of float
        The values that it is the median of, in order, where there are several.
    over : str
        What each of them is of: ``"step"``, ``"run"``, ``"launch"``, ``"process"``, or another noun.
    """

    value: Value
    unit: str = ""
    each: tuple[float, ...] = ()
    over: str = "step"


UNTOLD = Measured(None)
"""The answer of what cannot tell. It is never 0."""


def median_of(values: Sequence[float], unit: str = "", over: str = "step") -> Measured:
    """Return the median of some values, which are kept; untold for none.

    Parameters
    ----------
    values : sequence of float
        In order.
    unit : str
        Of each.
    over : str
        What each is of.
    """
    if not len(values):
        return UNTOLD
    return Measured(float(median(values)), unit, tuple(map(float, values)), over)


@dataclass(frozen=True)
class Measure:
    """A measure as it is registered.

    Attributes
    ----------
    name : str
        As an expression names it.
    of : type
        What it is asked of.
    function : callable
        Takes that, and the parameters.
    unit : str
        Of what it answers; nothing for counts, words, and for what is to be asked further.
    over : str
        What several values of it are of.
    """

    name: str
    of: type
    function: Callable[..., Any]
    unit: str
    over: str

    @property
    def definition(self) -> str:
        """Return its definition: the first paragraph of the docstring, without "Return"."""
        text = " ".join((inspect.getdoc(self.function) or "").split("\n\n")[0].split())
        return text.removeprefix("Return ")

    @property
    def signature(self) -> str:
        """Return name and parameters, as an expression may write them."""
        parameters = [
            str(one.replace(annotation=inspect.Parameter.empty))
            for one in list(inspect.signature(self.function).parameters.values())[1:]
        ]
        return f"{self.name}({', '.join(parameters)})" if parameters else self.name

    def __call__(self, of: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Return what it measures: a `Measured`, or something to be asked further."""
        try:
            inspect.signature(self.function).bind(of, *args, **kwargs)
        except TypeError as error:
            raise UsageError(f"{self.signature}: {error}") from None
        found = self.function(of, *args, **kwargs)
        if isinstance(found, list):
            return median_of(found, self.unit, self.over)
        if found is None:
            return UNTOLD
        if isinstance(found, bool | int | float | str):
            return Measured(found, self.unit)
        return found


REGISTER: dict[type, dict[str, Measure]] = {}
"""What can be asked → its measures by name."""


def measure(unit: str = "", over: str = "step") -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that registers a function as a measure of the type of its first parameter.

    Parameters
    ----------
    unit : str
        Of what it answers.
    over : str
        What the values are of, where it returns a list: the measure is their median.
    """

    def register(function: Callable[P, T]) -> Callable[P, T]:
        first = next(iter(inspect.signature(function, eval_str=True).parameters.values()))
        name = function.__name__.strip("_")
        REGISTER.setdefault(first.annotation, {})[name] = Measure(
            name, first.annotation, function, unit, over
        )
        return function

    return register
