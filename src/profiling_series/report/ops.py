"""The ops of a trace by name, with what each launched itself: which do the work, which only lead to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..trace import categories as c
from .blocks import Column, Grid, html_of, text_of
from .format import count, number, shown
from .source import Source, provenance_of, trace_of
from .view import View

if TYPE_CHECKING:
    from ..trace import Trace

MAX_ROWS = 20
NOTHING = "nothing"


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


def ops(x: Source) -> View:
    """Return the ops of a capture or a trace, most GPU time first, then most CPU time of their own.

    Parameters
    ----------
    x : Capture or Trace
        What to read.

    Returns
    -------
    View
        Calls, CPU time, and the launches and the GPU time of each op's own calls: an op that only calls
        another, or returns a view of its input, launches nothing itself.
    """
    trace = trace_of(x)
    return View(
        kind="ops",
        provenance=provenance_of(x),
        to_text=lambda: text_of([_table(trace)]),
        to_html=lambda: html_of([_table(trace)]),
    )


def op_work(trace: Trace) -> list[OpWork]:
    """Return every op's share of a trace, most GPU time first, then most CPU time of its own.

    Parameters
    ----------
    trace : Trace
        A trace.
    """
    rows = trace.gpu_rows[trace.launch_of[trace.gpu_rows] >= 0]
    launches: dict[str, set[int]] = {}
    gpu_ns: dict[str, int] = {}
    for row, call in zip(rows.tolist(), trace.launch_of[rows].tolist(), strict=True):
        if (name := _owner(trace, call)) is not None:
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


def _owner(trace: Trace, call: int) -> str | None:
    """Return the op that made a call: the nearest one around it on its thread."""
    above = [row for row in trace.ancestors(call) if trace.kind[row] == c.OP]
    return trace.name(above[-1]) if above else None


def _table(trace: Trace) -> Grid:
    every = op_work(trace)
    on_gpu = bool(np.any(trace.launch_of[trace.gpu_rows] >= 0))
    rows = []
    for op in every[:MAX_ROWS]:
        cells = [shown(op.name, 80), f"{op.count:,}", number(op.self_us), number(op.total_us)]
        if on_gpu:
            cells += [
                f"{op.launches:,}" if op.launches else NOTHING,
                number(op.gpu_us) if op.launches else "",
            ]
        rows.append(tuple(cells))
    heads = ["calls", "self µs", "total µs", *(["launches itself", "GPU µs"] if on_gpu else [])]
    columns = (Column("Op", figures=False, flexible=True), *map(Column, heads))
    note = "Over all recorded steps; total counts what an op called, launches and GPU time do not."
    if not on_gpu:
        note = "Over all recorded steps; this trace holds no GPU work."
    if len(every) > MAX_ROWS:
        note += f" {count(len(every) - MAX_ROWS, 'further op')} not listed."
    return Grid("Ops, and what each launched itself", columns, tuple(rows), note)
