"""Measures of rows on the CPU's side by their names: ops, annotations, calls, and the profiler's overhead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from ..trace import Trace
from ..trace import categories as c
from .model import Measured, measure
from .subjects import Run

KINDS = {"op": c.OP, "annotation": c.ANNOTATION, "call": c.CALL, "overhead": c.OVERHEAD}


@dataclass(frozen=True)
class Rows:
    """Rows of the CPU's side: those of a run, or one group a step."""

    trace: Trace
    groups: tuple[np.ndarray, ...]
    kind: str = ""

    @property
    def told(self) -> bool:
        """Return whether the trace could hold such rows: calls and overhead come with a GPU's records."""
        trace = self.trace
        by_gpu = self.kind in ("call", "overhead")
        return bool(self.groups) and len(trace) > 0 and (not by_gpu or len(trace.gpu_rows) > 0)


def host_rows(trace: Trace, parts: Sequence[str] = (), kind: str = "") -> np.ndarray:
    """Return the rows of a kind whose name has one of some parts in it, in time order; the steps apart.

    Parameters
    ----------
    trace : Trace
        A trace.
    parts : sequence of str
        Of names; none of them for every name.
    kind : {"", "op", "annotation", "call", "overhead"}
        Nothing for every kind.

    Raises
    ------
    UsageError
        No such kind.
    """
    if kind and kind not in KINDS:
        raise UsageError(f"no kind {kind!r:.40} of rows; there are {', '.join(KINDS)}")
    found = trace.of_kind(*([KINDS[kind]] if kind else KINDS.values()))
    found = found[~np.isin(found, trace.step_table.rows)]
    return found[trace.named(lambda name: not parts or any(part in name for part in parts), found)]


@measure()
def rows(run: Run, *parts: str, kind: str = "") -> Rows:
    """Return the rows of the CPU's side whose name has one of the parts in it.

    `kind` takes ``"op"``, ``"annotation"``, ``"call"`` or ``"overhead"`` alone. The steps' own are left out.
    """
    return Rows(run.trace, (host_rows(run.trace, parts, kind),), kind)


def _all(of: Rows) -> list[int]:
    return [row for group in of.groups for row in group.tolist()]


def _names(of: Rows) -> Counter[str]:
    return Counter(of.trace.name(row) for row in _all(of))


@measure()
def count(of: Rows) -> list[float] | None:
    """Return how many there are, of a step or of the run."""
    return [float(len(group)) for group in of.groups] if of.told else None


@measure("µs", over="row")
def dur(of: Rows) -> list[float]:
    """Return how long one of them takes."""
    return [float(of.trace.dur[row]) / 1000 for row in _all(of)]


@measure("µs")
def total(of: Rows) -> list[float] | None:
    """Return how long they take together, of a step or of the run."""
    return [float(of.trace.dur[group].sum()) / 1000 for group in of.groups] if of.told else None


@measure()
def distinct(of: Rows) -> int | None:
    """Return how many different names they have."""
    return len(_names(of)) if of.told else None


@measure()
def names(of: Rows) -> str | None:
    """Return their different names, in order of appearance; the profiler's overhead first."""
    overhead = [row for row in _all(of) if of.trace.kind[row] == c.OVERHEAD]
    return ", ".join(dict.fromkeys(of.trace.name(row) for row in (*overhead, *_all(of)))) or None


@measure()
def counts(of: Rows) -> str | None:
    """Return their different names, each with how often it comes."""
    return ", ".join(f"{number} × {name}" for name, number in _names(of).items()) or None


@measure()
def op(of: Rows) -> Measured | None:
    """Return the innermost op, of any thread, that runs when the first of them begins."""
    trace, mine = of.trace, _all(of)
    if not mine:
        return None
    ops, at = trace.op_rows, trace.ts[mine[0]]
    around = ops[(trace.ts[ops] <= at) & (at < trace.end[ops])]
    return Measured(trace.name(int(around[-1]))) if len(around) else None
