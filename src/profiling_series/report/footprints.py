"""What each kernel takes of an SM, and the occupancy that this allows, beside the trace's own estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..format import count, readable, share, shown, size
from ..measures.footprints import kernel_footprint
from ..trace import categories as c
from ..trace.footprint import Footprint
from .blocks import Block, Column, Grid, Notes, html_of, text_of
from .source import Source, provenance_of, trace_of
from .view import View

if TYPE_CHECKING:
    from ..trace import Trace

MAX_KERNELS = 12
"""Footprints of one view; a kernel that is launched in several forms has several."""
MAX_LAUNCHES = 20_000
"""Kernels whose arguments are read, the longest first."""
_NOTE = (
    "Registers of a thread, shared memory of a block. Occupancy: warps that fit on an SM, of those that it "
    "can hold. In the trace: its own estimate, which is less where the launch is too small to fill the GPU."
)


@dataclass(frozen=True)
class _Form:
    """Launches of one kernel that are alike."""

    name: str
    grid: str
    block: str
    total_us: float
    footprint: Footprint


def footprints(x: Source) -> View:
    """Return the footprint of each kernel, those with most time first.

    Parameters
    ----------
    x : Capture or Trace
        What to read.

    Returns
    -------
    View
        Grid, block, registers, shared memory, the occupancy that these allow with the resource that limits
        it, and the trace's own estimate, or ``not measured`` where that reads 0 for want of a limit.
    """
    trace = trace_of(x)
    return View(
        kind="footprints",
        provenance=provenance_of(x),
        to_text=lambda: text_of([_block(trace)]),
        to_html=lambda: html_of([_block(trace)]),
    )


def _block(trace: Trace) -> Block:
    forms, unread = _forms(trace)
    if not forms:
        return Notes("Footprints", ("This trace holds no kernel.",))
    columns = (
        Column("Kernel", figures=False, flexible=True, kernel=True),
        Column("grid"),
        Column("block"),
        Column("regs"),
        Column("shared"),
        Column("occupancy"),
        Column("limited by", figures=False),
        Column("in the trace"),
    )
    notes = [_NOTE]
    if len(forms) > MAX_KERNELS:
        notes.append(f"{count(len(forms) - MAX_KERNELS, 'further footprint')} with less time not listed.")
    if unread:
        notes.append(f"{count(unread, 'shorter kernel')} not looked at.")
    notes += sorted({f"Unknown: {form.footprint.why}." for form in forms if form.footprint.why})
    rows = tuple(map(_row, forms[:MAX_KERNELS]))
    return Grid("Footprints of the kernels", columns, rows, " ".join(notes))


def _row(form: _Form) -> tuple[str, ...]:
    found = form.footprint
    occupancy, estimate = found.occupancy_percent, found.estimate_percent
    missing = "not measured" if found.estimate_note.startswith("not measured") else "none"
    return (
        shown(readable(form.name), 90),
        form.grid,
        form.block,
        "unknown" if found.registers_per_thread is None else f"{found.registers_per_thread:,}",
        size(found.shared_bytes),
        "unknown" if occupancy is None else share(occupancy / 100),
        ", ".join(limit.removesuffix(" memory") for limit in found.limited_by),
        missing if estimate is None else share(estimate / 100),
    )


def _forms(trace: Trace) -> tuple[list[_Form], int]:
    """Return the kernels by name and footprint, most time first, and how many were not looked at."""
    rows = trace.gpu_rows[trace.kind[trace.gpu_rows] == c.KERNEL]
    rows = rows[np.argsort(-trace.dur[rows], kind="stable")]
    found: dict[tuple[Any, ...], list[int]] = {}
    for row in rows[:MAX_LAUNCHES].tolist():
        args = trace.args(row)
        key = (trace.name(row), _sides(args, "grid"), _sides(args, "block"), args.get("registers per thread"))
        found.setdefault((*key, str(args.get("shared memory")), str(args.get("device"))), []).append(row)
    forms = [
        _Form(
            name,
            grid,
            block,
            float(trace.dur[mine].sum()) / 1000,
            kernel_footprint(trace, mine[0]),
        )
        for (name, grid, block, *_), mine in found.items()
    ]
    return sorted(forms, key=lambda form: -form.total_us), max(len(rows) - MAX_LAUNCHES, 0)


def _sides(args: dict[str, Any], key: str) -> str:
    """Return the extents of a grid or a block, those of 1 at the end left out."""
    sides = args.get(key)
    if not isinstance(sides, list | tuple) or not sides:
        return "unknown"
    told = [str(side)[:12] for side in sides[:3]]
    while len(told) > 1 and told[-1] == "1":
        told.pop()
    return "×".join(told)
