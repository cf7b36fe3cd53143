"""What measures are asked of: a run, several processes of one program, several programs by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError
from ..trace import Trace
from .model import REGISTER, UNTOLD, Measured, median_of


@dataclass(frozen=True)
class Run:
    """One recorded window of steps: a `Capture`, or a bare `Trace`."""

    source: Any
    trace: Trace

    @property
    def workload(self) -> Any:
        """Return the workload that was measured; None where nobody says."""
        return getattr(self.source, "workload", None)


@dataclass(frozen=True)
class SweepOf:
    """A sweep: points, each with what its settled steps took."""

    sweep: Any


@dataclass(frozen=True)
class CeilingsOf:
    """What a machine reaches at best."""

    ceilings: Any


@dataclass(frozen=True)
class TimingOf:
    """A step, timed without the profiler."""

    timing: Any


@dataclass(frozen=True)
class TimerOf:
    """What a ``torch.utils.benchmark.Timer`` measured."""

    measurement: Any


@dataclass(frozen=True)
class Pair:
    """Two programs, before and after, of one process or several each."""

    pair: Any


@dataclass(frozen=True)
class Processes:
    """Several processes of one program: what is asked is asked of each."""

    each: tuple[Any, ...]


@dataclass(frozen=True)
class Labelled:
    """Several programs by name: what is asked is asked of each."""

    each: Mapping[str, Any]


def subject(thing: Any) -> Any:
    """Return what measures can be asked of, for an object of the package or a plain value.

    Parameters
    ----------
    thing : object
        A capture, trace, sweep, timing, ceilings, comparison; a list or a mapping of these; a number, a word.

    Raises
    ------
    UsageError
        Nothing can be measured of it.
    """
    if thing is None or isinstance(thing, bool | int | float | str):
        return Measured(thing)
    if isinstance(thing, list | tuple):
        return Processes(tuple(map(subject, thing)))
    if isinstance(thing, Mapping):
        return Labelled({str(name): subject(one) for name, one in thing.items()})
    if isinstance(thing, Trace):
        return Run(thing, thing)
    # Told apart by what they have: measures never import what makes them.
    for mark, wrap in _MARKS:
        if hasattr(thing, mark):
            return wrap(thing)
    raise UsageError(f"nothing can be measured of a {type(thing).__name__}")


_MARKS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("points", SweepOf),
    ("trace", lambda thing: Run(thing, thing.trace)),
    ("ridge", CeilingsOf),
    ("median_us", TimingOf),
    ("raw_times", TimerOf),
    ("before", Pair),
)


def ask(of: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
    """Return what a measure says of something, by its name.

    Parameters
    ----------
    of : object
        What `subject` returned, or what another measure did.
    name : str
        Of the measure.
    *args, **kwargs
        Its parameters.

    Raises
    ------
    UsageError
        It has no such measure, or the parameters do not fit.
    """
    known = REGISTER.get(type(of), {})
    if name in known:
        return known[name](of, *args, **kwargs)
    if isinstance(of, Processes):
        return over_processes([ask(one, name, *args, **kwargs) for one in of.each])
    if isinstance(of, Labelled):
        return Labelled({label: ask(one, name, *args, **kwargs) for label, one in of.each.items()})
    if of == UNTOLD:
        return UNTOLD  # what cannot tell cannot tell more
    near = difflib.get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(sorted(known))}"
    raise UsageError(f"no measure {name!r} of {_called(of)}; {hint}")


def _called(of: Any) -> str:
    return type(of).__name__.removesuffix("Of").lower()


def over_processes(found: list[Any]) -> Any:
    """Return the median over processes, with each process's value; untold where one of them cannot tell.

    Words are told together where they differ. What is to be asked further stays several.

    Parameters
    ----------
    found : list
        What each process answered.
    """
    if not all(isinstance(one, Measured) for one in found):
        return Processes(tuple(found))
    values = [one.value for one in found]
    if not values or None in values:
        return UNTOLD
    if any(isinstance(value, str) for value in values):
        return Measured(" or ".join(dict.fromkeys(map(str, values))))
    return median_of([float(value) for value in values], found[0].unit, "process")
