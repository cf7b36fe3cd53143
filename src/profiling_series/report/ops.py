"""The ops of a trace by name, with what each launched itself: which do the work, which only lead to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..format import count, number, shown
from ..measures.ops import op_work
from .blocks import Column, Grid, html_of, text_of
from .source import Source, provenance_of, trace_of
from .view import View

if TYPE_CHECKING:
    from ..trace import Trace

MAX_ROWS = 20
NOTHING = "nothing"


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
