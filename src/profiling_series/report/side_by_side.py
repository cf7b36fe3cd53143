"""Several programs in one table, a row each: what a step costs the CPU, and what it gives the GPU to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import UsageError
from .blocks import Column, Grid, html_of, text_of
from .compare_names import cell, median_of
from .comparison import FACTOR_RUNS, Side, side_of
from .source import Source, provenance_of
from .view import View


def side_by_side(programs: Mapping[str, Source | Sequence[Source]]) -> View:
    """Return several programs in one table, a row each, every figure that of one step.

    Parameters
    ----------
    programs : mapping of str to Capture or Trace, or to a sequence of them
        Label → program; several captures are processes of the same program.

    Returns
    -------
    View
        Medians of the steady steps and, of several processes, the median over these with their range.

    Raises
    ------
    UsageError
        There is no program, or one of them has no steps.
    """
    if not programs:
        raise UsageError("side_by_side needs at least one program, as {label: capture}")
    sides = [side_of(label, program) for label, program in programs.items()]
    lines = dict.fromkeys(provenance_of(source) for side in sides for source in side.sources)
    return View(
        kind="side-by-side",
        provenance="; ".join(lines),
        to_text=lambda: text_of([_table(sides)]),
        to_html=lambda: html_of([_table(sides)]),
    )


def _table(sides: list[Side]) -> Grid:
    heads = ("processes", "CPU step µs", "launch calls", "GPU events", "GPU sum µs")
    columns = (Column("Program", figures=False), *(Column(head) for head in heads))
    note = "Medians of the steady steps; in brackets the range over the processes."
    if any(len(side.runs) < FACTOR_RUNS for side in sides):
        note += (
            f" Where there are fewer than {FACTOR_RUNS} processes the CPU's time shows and does not measure: "
            "another process may differ."
        )
    return Grid("Each program, one step", columns, tuple(_row(side) for side in sides), note)


def _row(side: Side) -> tuple[str, ...]:
    figures = (
        side.over_runs(lambda run: run.cpu_us.median),
        side.over_runs(lambda run: sum(count.median for count in run.calls.values())),
        side.over_runs(lambda run: median_of(run.gpu_events)),
        side.over_runs(lambda run: median_of(run.gpu_sum_us)),
    )
    return side.label, str(len(side.runs)), *(cell(figure) or "none" for figure in figures)
