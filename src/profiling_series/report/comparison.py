"""Two programs side by side as data: their steps, over one process each or over several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from statistics import median

from ..errors import UsageError
from ..format import shown
from ..trace import Trace
from ..trace.per_step import Figure, PerStep, per_step
from .source import Source, provenance_of, trace_of

FACTOR_RUNS = 5
"""Processes a side from which a factor of CPU times is told, however small."""
FACTOR_SURE = 5.0
"""With fewer processes it is told from here on, where no step of the one lasts as long as any of the other.
Five warm processes of one program took 56 to 78 µs a step on an NVIDIA H200, and one more 129."""


@dataclass(frozen=True)
class Side:
    """One program: its label, its captures or traces (one a process), and what a step of each holds."""

    label: str
    sources: tuple[Source, ...]
    runs: tuple[PerStep, ...]

    def over_runs(self, take: Callable[[PerStep], float | None]) -> Figure | None:
        """Return the median over the processes with their range; None where one of them cannot tell.

        Parameters
        ----------
        take : callable
            A process's steps → its figure.
        """
        values = [take(run) for run in self.runs]
        told = [value for value in values if value is not None]
        return Figure(median(told), min(told), max(told)) if len(told) == len(values) else None


@dataclass(frozen=True)
class Comparison:
    """Two sides whose steps are compared; never their totals, since they may have recorded differently many.

    Attributes
    ----------
    before, after : Side
        The programs.
    """

    before: Side
    after: Side

    @property
    def source_line(self) -> str:
        """Return where both come from, each line once."""
        return "; ".join(dict.fromkeys(map(provenance_of, (*self.before.sources, *self.after.sources))))

    def factors(self, take: Callable[[PerStep], float | None]) -> tuple[float, ...]:
        """Return the factor of the medians, then those from each process before to each process after.

        None are returned where they must not be told: too few processes for such a factor, or a figure that
        is unknown or 0.

        Parameters
        ----------
        take : callable
            A process's steps → its CPU time.
        """
        before, after = self.before.over_runs(take), self.after.over_runs(take)
        if before is None or after is None or not before.low or not after.low:
            return ()
        factor = after.median / before.median
        if not self.enough_runs and (max(factor, 1 / factor) < FACTOR_SURE or not self._apart()):
            return ()
        pairs = [(take(b) or 0.0) / (take(a) or 1.0) for a in self.before.runs for b in self.after.runs]
        return (factor, *pairs)

    @property
    def enough_runs(self) -> bool:
        """Return whether both sides have the processes that any factor of CPU times needs."""
        return min(len(self.before.runs), len(self.after.runs)) >= FACTOR_RUNS

    def _apart(self) -> bool:
        """Return whether every step of one side is shorter than every step of the other."""
        (low, high), (other_low, other_high) = (
            (min(run.cpu_us.low for run in side.runs), max(run.cpu_us.high for run in side.runs))
            for side in (self.before, self.after)
        )
        return high < other_low or other_high < low


def comparison(
    a: Source | Sequence[Source], b: Source | Sequence[Source], labels: tuple[str, str] | None = None
) -> Comparison:
    """Return two programs side by side.

    Parameters
    ----------
    a, b : Capture or Trace, or a sequence of them
        Before and after; several captures are processes of the same program.
    labels : (str, str), optional
        What to call them; by default what differs in the captures' keys.

    Returns
    -------
    Comparison
        What `compare` shows, and what a claim about two programs is checked against.

    Raises
    ------
    UsageError
        A side is empty, holds something else, or has no steps; or there are not two labels.
    """
    if labels is None:
        labels = _labels(_sources(a)[0], _sources(b)[0])
    if isinstance(labels, str) or len(labels) != 2:
        raise UsageError(f"compare takes two labels, such as ('eager', 'compiled'), not {labels!r:.80}")
    return Comparison(side_of(labels[0], a), side_of(labels[1], b))


def side_of(label: str, program: Source | Sequence[Source]) -> Side:
    """Return a program with its label.

    Parameters
    ----------
    label : str
        What to call it.
    program : Capture or Trace, or a sequence of them
        One process or several.

    Raises
    ------
    UsageError
        It is none, or has no steps.
    """
    sources = _sources(program)
    return Side(shown(str(label), 40), sources, tuple(per_step(trace_of(source)) for source in sources))


def _sources(side: Source | Sequence[Source]) -> tuple[Source, ...]:
    """Return a side's captures or traces, each of which is known to be one."""
    several = tuple(side) if isinstance(side, list | tuple) else (side,)
    if not several:
        raise UsageError("compare needs at least one capture or trace a side, and one side is empty")
    for source in several:
        trace_of(source)
    return several


def _labels(a: Source, b: Source) -> tuple[str, str]:
    """Return the parts of two keys, or file names, that differ; the whole where one has none of its own."""
    one, other = _name(a), _name(b)
    if one == other:
        return "first", "second"
    parts = [name.split("_") for name in (one, other)]
    own = [
        "_".join(part for part in mine if part not in others)
        for mine, others in zip(parts, reversed(parts), strict=True)
    ]
    return (own[0], own[1]) if all(own) else (one, other)


def _name(source: Source) -> str:
    """Return the last part of a capture's key, or the name of a trace's file without its ending."""
    key = None if isinstance(source, Trace) else getattr(source, "key", None)
    return str(key).rpartition("/")[2] if key else PurePath(str(trace_of(source).file)).name.split(".")[0]
