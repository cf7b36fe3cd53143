"""The launches of one step: the call, what ties it to its GPU work, and the footprint of each kernel."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ..format import number, readable, share, shown, size, us
from ..measures.footprints import kernel_footprint
from ..trace import categories as c
from ..trace.footprint import Footprint
from .blocks import Block, Column, Facts, Grid, Notes, html_of, text_of
from .source import Source, provenance_of, trace_of
from .timeline.window import choose_steps
from .view import View

if TYPE_CHECKING:
    from ..trace import Trace

MAX_LAUNCHES = 8


def launches(x: Source, step: int | None = None, *, footprints: bool = True) -> View:
    """Return the runtime and driver calls of one step, and each launch of it with its footprint.

    Parameters
    ----------
    x : Capture or Trace
        What to read.
    step : int, optional
        Which recorded step, counted from 0; by default the last complete one.
    footprints : bool
        Whether to tell each launch by itself, too.

    Returns
    -------
    View
        Calls by name, and for each launch: correlation, latency, grid, block, registers, shared memory, the
        occupancy that these allow and what limits it.

    Raises
    ------
    UsageError
        No such step.
    """
    trace = trace_of(x)
    chosen = choose_steps(trace, step)
    index = chosen[-1] if chosen else -1
    return View(
        kind="launches",
        provenance=provenance_of(x),
        to_text=lambda: text_of(_blocks(trace, index, footprints)),
        to_html=lambda: html_of(_blocks(trace, index, footprints)),
    )


def calls_of(trace: Trace, index: int) -> Counter[str]:
    """Return how often a step makes each runtime and driver call.

    Parameters
    ----------
    trace : Trace
        A trace.
    index : int
        Of the step; -1 for a trace without steps, all of it.
    """
    rows = trace.call_rows
    inside = rows if index < 0 else rows[trace.step_index[rows] == index]
    return Counter(trace.name(int(row)) for row in inside)


def _blocks(trace: Trace, index: int, footprints: bool) -> list[Block]:
    rows = trace.gpu_rows
    inside = [int(row) for row in rows if index < 0 or trace.step_index[row] == index]
    launched = [row for row in inside if trace.launch_of[row] >= 0]
    where = shown(trace.steps[index].name, 40) if index >= 0 else "the trace"
    calls = calls_of(trace, index)
    if not calls:
        return [Notes(f"Launches of {where}", ("No runtime or driver call: this trace holds no GPU work.",))]
    found: list[Block] = [_calls(trace, calls, index, where)]
    if not footprints:
        return found
    found += [_launch(trace, row) for row in launched[:MAX_LAUNCHES]]
    if len(launched) > MAX_LAUNCHES:
        found.append(Notes("Not shown", (f"{len(launched) - MAX_LAUNCHES} further launches of this step.",)))
    return found


def _calls(trace: Trace, calls: Counter[str], index: int, where: str) -> Grid:
    rows = []
    for name, times in calls.most_common():
        mine = trace.rows(name=name)
        mine = mine[(trace.kind[mine] == c.CALL) & ((trace.step_index[mine] == index) | (index < 0))]
        kind = (
            "puts work on the GPU" if c.is_launch(name) else "waits" if c.SYNCHRONIZE.search(name) else "asks"
        )
        rows.append((shown(name, 70), str(times), number(float(trace.dur[mine].sum()) / 1000), kind))
    columns = (
        Column("Call", figures=False),
        Column("times"),
        Column("µs"),
        Column("what it does", figures=False),
    )
    return Grid(f"Runtime and driver calls of {where}", columns, tuple(rows))


def _launch(trace: Trace, row: int) -> Facts:
    """Return what is known of one piece of GPU work and of its launch."""
    call, args = int(trace.launch_of[row]), trace.args(row)
    latency = (int(trace.ts[row]) - int(trace.ts[call])) / 1000
    pairs = [
        ("Launched by", f"{shown(trace.name(call), 60)}, {us(int(trace.dur[call]) / 1000)}"),
        ("Correlation", f"{args.get('correlation', 'none')}, in the call's arguments and in these"),
        ("Began", f"{us(latency)} after the call did, and ran for {us(int(trace.dur[row]) / 1000)}"),
    ]
    if trace.kind[row] == c.KERNEL:
        pairs += _footprint_pairs(args, kernel_footprint(trace, row))
    elif "bytes" in args:
        pairs.append(("Bytes", size(float(args["bytes"]))))
    return Facts(shown(readable(trace.name(row)), 100), tuple(pairs))


def _footprint_pairs(args: dict[str, Any], found: Footprint) -> list[tuple[str, str]]:
    grid, block = ("×".join(map(str, args.get(key, ()))) or "unknown" for key in ("grid", "block"))
    pairs = [
        ("Grid, block", f"{grid} blocks of {block} threads"),
        ("Registers", f"{_told(found.registers_per_thread)} a thread"),
        ("Shared memory", f"{size(found.shared_bytes)} a block"),
    ]
    if found.occupancy_percent is None:
        return [*pairs, ("Occupancy", f"unknown: {found.why}")]
    fits = "1 block fits" if found.blocks_per_sm == 1 else f"{found.blocks_per_sm} blocks fit"
    warps = f"{found.warps_per_sm} of its {found.max_warps_per_sm} warps"
    limits = " and ".join(found.limited_by)
    told = f"{share(found.occupancy_percent / 100)}: {fits} on an SM, {warps}; limited by {limits}"
    pairs.append(("Occupancy", told))
    if found.waves is not None:
        pairs.append(
            ("Waves", f"{found.waves:.2g}: blocks of the launch over blocks that the GPU holds at once")
        )
    estimate = found.estimate_note or f"{share((found.estimate_percent or 0) / 100)}"
    pairs.append(("In the trace", f"est. achieved occupancy: {estimate}"))
    return pairs


def _told(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"
