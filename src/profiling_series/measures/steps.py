"""Measures of steps: each is the median over them, and untold where one of them cannot tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..trace import Trace
from ..trace import categories as c
from ..trace.losses import launch_calls
from .model import measure
from .rows import Rows, host_rows
from .subjects import Run


@dataclass(frozen=True)
class Steps:
    """Some steps of a trace, by their indices."""

    trace: Trace
    at: tuple[int, ...]


def complete(trace: Trace) -> list[int]:
    """Return the indices of the complete steps.

    Parameters
    ----------
    trace : Trace
        A trace.
    """
    return [at for at, step in enumerate(trace.steps) if step.complete]


@measure()
def steps(run: Run, first: int = 1, last: int = 0) -> Steps:
    """Return the complete steps from `first` to `last`, counted from 1; to the end for 0."""
    chosen = complete(run.trace)[first - 1 : last or None]
    return Steps(run.trace, tuple(chosen))


@measure()
def step(run: Run, nth: int) -> Steps:
    """Return the nth complete step, counted from 1; the last one is -1."""
    whole = complete(run.trace)
    at = nth - 1 if nth > 0 else nth
    return Steps(run.trace, tuple(whole[at : at + 1 or None]))


def _each(of: Steps, take: Callable[[int], float | None]) -> list[float] | None:
    values = [take(at) for at in of.at]
    told = [float(value) for value in values if value is not None]
    return told if len(told) == len(values) else None


@measure()
def count(of: Steps) -> int | None:
    """Return how many steps these are."""
    return len(of.at) or None


@measure("µs")
def dur(of: Steps) -> list[float] | None:
    """Return how long a step takes the CPU: from ``prof.step()`` to the next."""
    return _each(of, lambda at: of.trace.steps[at].dur_us)


@measure("µs")
def gpu_sum(of: Steps) -> list[float] | None:
    """Return how long the GPU works for what a step launched, the durations added up."""
    return _each(of, lambda at: of.trace.steps[at].gpu_sum_us)


@measure("µs")
def gpu_busy(of: Steps) -> list[float] | None:
    """Return for how long a GPU works at what a step launched: the union of the durations."""
    return _each(of, lambda at: of.trace.steps[at].gpu_busy_us)


@measure()
def gpu_events(of: Steps) -> list[float] | None:
    """Return how many pieces of GPU work a step launches: kernels, copies and memsets."""
    return _each(of, lambda at: of.trace.steps[at].gpu_events)


def _of_kind(of: Steps, kind: int) -> list[float] | None:
    rows = of.trace.of_kind(kind)
    if any(of.trace.steps[at].gpu_events is None for at in of.at):
        return None
    return _each(of, lambda at: int((of.trace.step_index[rows] == at).sum()))


@measure()
def kernels(of: Steps) -> list[float] | None:
    """Return how many kernels a step launches."""
    return _of_kind(of, c.KERNEL)


@measure()
def copies(of: Steps) -> list[float] | None:
    """Return how many copies a step launches."""
    return _of_kind(of, c.MEMCPY)


@measure()
def memsets(of: Steps) -> list[float] | None:
    """Return how many memsets a step launches."""
    return _of_kind(of, c.MEMSET)


@measure("µs")
def copy_time(of: Steps) -> list[float] | None:
    """Return how long the copies of a step take, added up; memsets apart."""
    trace, rows = of.trace, of.trace.of_kind(c.MEMCPY)
    if not len(trace.gpu_rows):
        return None
    return _each(of, lambda at: float(trace.dur[rows[trace.step_index[rows] == at]].sum()) / 1000)


@measure()
def launches(of: Steps) -> list[float] | None:
    """Return how many launch calls a step makes: those that put work on a GPU."""
    calls = launch_calls(of.trace)
    if not len(calls):
        return None
    return _each(of, lambda at: int((of.trace.step_index[calls] == at).sum()))


def _first_event(of: Steps, at: int) -> tuple[int, int] | None:
    """Return the first GPU event that a step launched, and its launch call."""
    rows = of.trace.gpu_rows
    mine = rows[of.trace.step_index[rows] == at]  # by its launch: so there is one
    return (int(mine[0]), int(of.trace.launch_of[mine[0]])) if len(mine) else None


@measure("µs")
def offset(of: Steps) -> list[float] | None:
    """Return the time from a step's start to that of the first GPU event that it launched."""

    def take(at: int) -> float | None:
        first = _first_event(of, at)
        return None if first is None else _since_start(of, at, first[0])

    return _each(of, take)


@measure("µs")
def prepare(of: Steps) -> list[float] | None:
    """Return the part of `offset` before the launch call of that event."""

    def take(at: int) -> float | None:
        first = _first_event(of, at)
        return None if first is None else _since_start(of, at, first[1])

    return _each(of, take)


@measure("µs")
def latency(of: Steps) -> list[float] | None:
    """Return the rest of `offset`: the launch latency of that event."""
    whole, before = offset(of), prepare(of)
    return None if whole is None or before is None else [a - b for a, b in zip(whole, before, strict=True)]


@measure("µs")
def offset_overhead(of: Steps) -> list[float] | None:
    """Return the profiler's overhead that begins within `offset`, added up."""
    trace = of.trace

    def take(at: int) -> float | None:
        first = _first_event(of, at)
        if first is None:
            return None
        rows, start = trace.overhead_rows, trace.ts[trace.steps[at].row]
        inside = rows[(trace.ts[rows] >= start) & (trace.ts[rows] < trace.ts[first[0]])]
        return float(trace.dur[inside].sum()) / 1000

    return _each(of, take)


def _since_start(of: Steps, at: int, row: int) -> float:
    return float(of.trace.ts[row] - of.trace.ts[of.trace.steps[at].row]) / 1000


@measure()
def rows(of: Steps, *parts: str, kind: str = "") -> Rows:
    """Return the rows of the CPU's side in a step whose name has one of the parts in it, as of a run."""
    trace = of.trace
    found = host_rows(trace, parts, kind)
    start = trace.ts[trace.step_table.rows]
    # Overhead rows belong to no thread, and so to no step by themselves: by their start.
    over = np.searchsorted(start, trace.ts[found], side="right") - 1
    late = (over < 0) | (trace.ts[found] >= trace.end[trace.step_table.rows[np.maximum(over, 0)]])
    over[late] = -1
    index = np.where(trace.kind[found] == c.OVERHEAD, over, trace.step_index[found])
    return Rows(trace, tuple(found[index == at] for at in of.at), kind)
