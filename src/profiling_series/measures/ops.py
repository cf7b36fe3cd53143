"""Measures of ops: their time, and the GPU work of their own launches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..trace import Trace
from ..trace import categories as c
from ..trace.host import self_times
from ..trace.memo import per_trace
from .climb import nearest
from .model import Measured, measure
from .steps import step as nth_step
from .subjects import Run


@dataclass(frozen=True)
class OpWork:
    """One op's share of a trace.

    Attributes
    ----------
    name : str
        Of the op.
    count : int
        How often it was called.
    self_us, total_us : float
        CPU time, without and with what it called.
    launches : int
        Calls of its own, not of the ops below it, that put work on a GPU.
    gpu_us : float
        How long the GPU worked for these.
    """

    name: str
    count: int
    self_us: float
    total_us: float
    launches: int
    gpu_us: float


@per_trace
def op_work(trace: Trace) -> list[OpWork]:
    """Return every op's share of a trace, most GPU time first, then most CPU time of its own.

    Parameters
    ----------
    trace : Trace
        A trace.
    """
    rows = trace.gpu_rows[trace.launch_of[trace.gpu_rows] >= 0]
    owners = nearest(trace, trace.launch_of[rows], trace.kind == c.OP)
    launches: dict[str, set[int]] = {}
    gpu_ns: dict[str, int] = {}
    for row, call, owner in zip(rows.tolist(), trace.launch_of[rows].tolist(), owners.tolist(), strict=True):
        if owner >= 0:
            name = trace.name(owner)
            launches.setdefault(name, set()).add(call)
            gpu_ns[name] = gpu_ns.get(name, 0) + int(trace.dur[row])
    found = [
        OpWork(
            op["name"],
            op["count"],
            op["self_us"],
            op["total_us"],
            len(launches.get(op["name"], ())),
            gpu_ns.get(op["name"], 0) / 1000,
        )
        for op in trace.ops
    ]
    return sorted(found, key=lambda op: (-op.gpu_us, -op.self_us, op.name))


@dataclass(frozen=True)
class Op:
    """Calls of one op."""

    trace: Trace
    rows: np.ndarray


@measure()
def op(run: Run, name: str = "", step: int = 0) -> Op | None:
    """Return the calls of an op: in the trace, or in the nth complete step alone.

    Without a name the hot spot: the op whose own launches keep a GPU longest; untold without GPU work.
    """
    trace = run.trace
    if not name:
        first = next(iter(op_work(trace)), None)
        if first is None or not first.gpu_us:
            return None
        name = first.name
    rows = trace.op_rows
    rows = rows[trace.named(lambda other: other == name, rows)]
    if step:
        rows = rows[np.isin(trace.step_index[rows], nth_step(run, step).at)]
    return Op(trace, rows) if len(trace.op_rows) else None


@measure()
def name(op: Op) -> str | None:
    """Return its name."""
    return op.trace.name(op.rows[0]) if len(op.rows) else None


@measure()
def count(op: Op) -> int:
    """Return how often it is called."""
    return len(op.rows)


@measure("µs")
def total(op: Op) -> float | None:
    """Return its CPU time with what it calls, added up; a call inside one of its own name counts once."""
    trace, mine = op.trace, set(op.rows.tolist())
    outer = [row for row in mine if not mine & set(trace.ancestors(row))]
    place = np.searchsorted(trace.host_rows, outer)
    return float((trace.host_end[place] - trace.ts[outer]).sum()) / 1000 if mine else None


@measure("µs")
def self(op: Op) -> float | None:
    """Return its CPU time without what it calls, added up; runtime and driver calls are called, too."""
    place = np.searchsorted(op.trace.host_rows, op.rows)
    return float(self_times(op.trace)[place].sum()) / 1000 if len(op.rows) else None


def _work(op: Op) -> np.ndarray:
    """Return the GPU events of the launches that it made itself."""
    trace = op.trace
    owner = nearest(trace, trace.launch_of[trace.gpu_rows], trace.kind == c.OP)
    found: np.ndarray = trace.gpu_rows[np.isin(owner, op.rows)]
    return found


@measure()
def launches(op: Op) -> int | None:
    """Return how many launch calls it makes itself, not the ops below it."""
    return len(np.unique(op.trace.launch_of[_work(op)])) if len(op.rows) else None


@measure("µs")
def gpu_time(op: Op) -> float | None:
    """Return how long the GPU works for these launches."""
    return float(op.trace.dur[_work(op)].sum()) / 1000 if len(op.trace.gpu_rows) else None


@measure("%")
def gpu_share(op: Op) -> float | None:
    """Return the part of all GPU time that ops launched which is this op's own."""
    every, own = sum(one.gpu_us for one in op_work(op.trace)), gpu_time(op)
    return 100 * own / every if every and own is not None else None


@measure()
def parent(op: Op) -> str | None:
    """Return what calls it, where that is the same at each call."""
    above = {int(row) for row in op.trace.parent[op.rows]}
    names = {op.trace.name(row) for row in above if row >= 0}
    return names.pop() if len(names) == 1 and -1 not in above else None


def _calls(op: Op) -> np.ndarray:
    rows = op.trace.call_rows
    found: np.ndarray = rows[np.isin(op.trace.parent[rows], op.rows)]
    return found


@measure()
def call(op: Op) -> str | None:
    """Return the runtime or driver call that it makes itself, where it makes one each time."""
    calls = _calls(op)
    return op.trace.name(calls[0]) if len(calls) and len(calls) == len(op.rows) else None


@measure("µs")
def call_time(op: Op) -> float | None:
    """Return how long that call takes, added up."""
    return float(op.trace.dur[_calls(op)].sum()) / 1000 if call(op) else None


VIEWS = ("expand", "view", "reshape", "as_strided", "_unsafe_view", "transpose", "unsqueeze")
"""Ops that only describe the same memory anew."""


@measure()
def silent_views(run: Run) -> Measured | None:
    """Return the ops that only describe memory anew and launched nothing; untold where no op launches."""
    every = op_work(run.trace)
    if not any(one.launches for one in every):
        return None
    names = (one.name.removeprefix("aten::") for one in every if not one.launches)
    return Measured(", ".join(name for name in names if name in VIEWS) or None)
