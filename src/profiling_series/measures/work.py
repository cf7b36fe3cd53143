"""Measures of GPU work: kernels by role, op, family or name, and copies; with what launched them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..trace import Trace
from ..trace import categories as c
from ..trace.gpu import sound_end
from ..trace.groups import groups
from ..trace.kernel_names import decode, family
from .climb import nearest
from .model import Measured, measure
from .roles import of_role
from .subjects import Run


@dataclass(frozen=True)
class Work:
    """Some GPU events of a run, by their rows; of a role's nth in each step."""

    run: Run
    rows: np.ndarray
    nth: int = 0


def in_steps(trace: Trace, *kinds: int) -> np.ndarray:
    """Return the GPU events that steps launched, in order of their launches; without steps all.

    Parameters
    ----------
    trace : Trace
        A trace.
    *kinds : int
        Of `profiling_series.trace.categories`.
    """
    rows = trace.of_kind(*kinds)
    if trace.steps:
        rows = rows[trace.step_index[rows] >= 0]
    launch = trace.launch_of[rows]
    began = np.where(launch >= 0, trace.ts[launch], trace.ts[rows])
    return rows[np.lexsort((trace.ts[rows], began))]


@measure()
def kernel(run: Run, role: str = "", nth: int = 0, *, op: str = "", family: str = "", name: str = "") -> Work:
    """Return the kernels of the steps that fit all of what is given.

    `role` is ``"product"``, ``"attention"``, ``"softmax"`` or ``"addition"`` (see `ROLES`); `op` the name of
    an op above their launch; `family` and `name` a part of what the kernel-name decoder calls them, and of
    their name. `nth` takes the nth of these in each step, counted from 1, or from the end with -1.
    """
    trace = run.trace
    rows = in_steps(trace, c.KERNEL)
    if role:
        rows = of_role(trace, rows, role)
    if op:
        ops = (trace.kind == c.OP) & trace.named(lambda other: other == op)
        rows = rows[nearest(trace, trace.launch_of[rows], ops) >= 0]
    rows = rows[trace.named(lambda other: name in other and family in _family(other), rows)]
    return Work(run, _nth(trace, rows, nth), nth)


_family = family


def _nth(trace: Trace, rows: np.ndarray, nth: int) -> np.ndarray:
    """Return the nth row of each step, or all of them for 0."""
    if not nth or not len(rows):
        return rows
    at = nth - 1 if nth > 0 else nth
    parts = (part for part in groups(trace.step_index[rows]) if -len(part) <= at < len(part))
    chosen = [int(rows[part[at]]) for part in parts]
    return np.array(sorted(chosen), np.int64)


@measure()
def copy(run: Run, name: str = "") -> Work:
    """Return the copies of the steps whose name has the part in it, such as ``"DtoD"``."""
    rows = in_steps(run.trace, c.MEMCPY)
    return Work(run, rows[run.trace.named(lambda other: name in other, rows)])


@measure()
def count(work: Work) -> int | None:
    """Return how many there are in all steps."""
    return len(work.rows) if len(work.run.trace.gpu_rows) else None


@measure("µs", over="run")
def dur(work: Work) -> list[float]:
    """Return how long one of them runs."""
    return [float(value) / 1000 for value in work.run.trace.dur[work.rows]]


@measure("µs")
def total(work: Work) -> float | None:
    """Return how long they run in all, impossible durations clipped."""
    trace = work.run.trace
    spent = sound_end(trace)[work.rows] - trace.ts[work.rows]
    return float(spent.sum()) / 1000 if len(work.rows) else None


@measure("TFLOP/s")
def tflops(work: Work) -> float | None:
    """Return the rate: the workload's FLOPs over the median time that these take in a step; no nth."""
    flops, trace = getattr(work.run.workload, "flops", lambda: None)(), work.run.trace
    if not flops or work.nth or not len(work.rows):
        return None
    times = [float(trace.dur[work.rows[part]].sum()) for part in groups(trace.step_index[work.rows])]
    return float(flops / np.median(times) / 1000)


def same(work: Work, take: Callable[[int], Any]) -> Any:
    """Return what the last step's have in common; None where they differ: ask for the nth.

    Parameters
    ----------
    work : Work
        Some GPU events.
    take : callable
        The row of one → what to tell of it.
    """
    trace, rows = work.run.trace, work.rows
    last = rows[trace.step_index[rows] == trace.step_index[rows[-1]]] if len(rows) else rows
    said = {take(int(row)) for row in last}
    return said.pop() if len(said) == 1 else None


@measure()
def name(work: Work) -> str | None:
    """Return the name that all of a step have."""
    return same(work, work.run.trace.name)


def path(trace: Trace, row: int) -> tuple[str, ...]:
    """Return the names that lead to a GPU event, the step left out: annotation, ops, and last the call.

    Parameters
    ----------
    trace : Trace
        A trace.
    row : int
        Of the GPU event.
    """
    call = int(trace.launch_of[row])
    if call < 0:
        return ()
    names = (trace.name(at) for at in (*trace.ancestors(call), call))
    return tuple(name for name in names if not c.STEP.match(name))


def _path(work: Work) -> tuple[str, ...]:
    return same(work, lambda row: path(work.run.trace, row)) or ()


@measure()
def chain(work: Work) -> str | None:
    """Return what leads from the annotation to their launch, the call itself left out."""
    return " → ".join(_path(work)[:-1]) or None


@measure()
def op(work: Work) -> str | None:
    """Return the op that launches them."""
    return _path(work)[-2] if len(_path(work)) > 1 else None


@measure()
def call(work: Work) -> str | None:
    """Return the runtime or driver call that launches them."""
    return _path(work)[-1] if _path(work) else None


@measure()
def before(work: Work) -> str | None:
    """Return the names of what the same call of their op launched before them."""
    trace = work.run.trace
    every = in_steps(trace, *c.GPU_KINDS)
    owner = nearest(trace, trace.launch_of[every], trace.kind == c.OP)
    place = {int(row): at for at, row in enumerate(every)}

    def names(row: int) -> str:
        at = place[row]
        mine = every[:at][owner[:at] == owner[at]] if owner[at] >= 0 else every[:0]
        return ", ".join(dict.fromkeys(trace.name(one) for one in mine))

    return same(work, names) or None


@measure()
def tensor_cores(work: Work) -> Measured | None:
    """Return ``"yes"`` or ``"no"``: whether they run on tensor cores, where their name says it."""
    uses = same(work, lambda row: decode(work.run.trace.name(row)).tensor_cores)
    return None if uses is None else Measured("yes" if uses else "no")


@measure()
def epilogue(work: Work) -> str | None:
    """Return what their name says is done before the output is written, such as ``"badd"``."""
    return same(work, lambda row: decode(work.run.trace.name(row)).epilogue)
