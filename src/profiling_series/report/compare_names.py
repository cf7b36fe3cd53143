"""Cells and tables of a comparison: figures, GPU work by name, and the CPU rows that one side alone has."""

from __future__ import annotations

from collections.abc import Callable

from ..format import count, number, readable, shown
from ..trace.per_step import Figure, PerStep, Work
from .blocks import Column, Grid
from .comparison import Comparison, Side

MAX_ROWS = 14
"""Rows of a table; of more, those that take most time."""


def plain(value: float) -> str:
    """Return a count as a whole number, a time with its decimals.

    Parameters
    ----------
    value : float
        A median, which is no whole number where steps differ.
    """
    return f"{value:,.0f}" if value == int(value) else number(value)


def cell(figure: Figure | None) -> str:
    """Return a figure with its range over several processes, where they differ; nothing for None.

    Parameters
    ----------
    figure : Figure or None
        Over the processes of a side.
    """
    if figure is None:
        return ""
    low, high = plain(figure.low), plain(figure.high)
    return plain(figure.median) + ("" if low == high else f" ({low}–{high})")


def median_of(figure: Figure | None) -> float | None:
    """Return a figure's median, None where the trace cannot tell.

    Parameters
    ----------
    figure : Figure or None
        Over the steps of a trace.
    """
    return None if figure is None else figure.median


def gpu_work(found: Comparison) -> Grid | None:
    """Return each kernel, copy and memset by name, its count and its time on both sides.

    Parameters
    ----------
    found : Comparison
        Two sides.

    Returns
    -------
    Grid or None
        None where neither side has GPU work.
    """
    sides = [medians(side, lambda run: run.gpu_work) for side in (found.before, found.after)]
    names = list(dict.fromkeys([*sides[0], *sides[1]]))
    if not names:
        return None
    kept = _longest(names, lambda name: max(side.get(name, (0.0, 0.0))[1] for side in sides))
    rows = tuple((_short(name), *_pair(sides[0].get(name)), *_pair(sides[1].get(name))) for name in kept)
    columns = (
        Column("GPU work of one step", figures=False, flexible=True, kernel=True),
        *(Column(f"{side.label} {unit}") for side in (found.before, found.after) for unit in ("count", "µs")),
    )
    left = f"{count(len(names) - len(kept), 'shorter row')} not listed." if len(kept) < len(names) else ""
    return Grid("Kernels, copies and memsets", columns, rows, left)


def medians(side: Side, take: Callable[[PerStep], dict[str, Work]]) -> dict[str, tuple[float, float]]:
    """Return count and time of each name in a step, over the processes of a side.

    Parameters
    ----------
    side : Side
        One program.
    take : callable
        A process's steps → its work by name.

    Returns
    -------
    dict
        Name → count and µs, names left out that most processes lack.
    """
    names = dict.fromkeys(name for run in side.runs for name in take(run))

    def over(name: str, pick: Callable[[Work], Figure]) -> float:
        figure = side.over_runs(lambda run: pick(take(run)[name]).median if name in take(run) else 0.0)
        return figure.median if figure else 0.0

    found = {name: (over(name, lambda w: w.count), over(name, lambda w: w.time_us)) for name in names}
    return {name: pair for name, pair in found.items() if pair[0]}


def _short(name: str) -> str:
    """Return a kernel's name; of a C++ template without its namespaces and parameters."""
    return shown(readable(name) if "<" in name else name, 400)


def _longest(names: list[str], time: Callable[[str], float]) -> list[str]:
    """Return the names that take most time, in the order in which they came."""
    kept = set(sorted(names, key=time, reverse=True)[:MAX_ROWS])
    return [name for name in names if name in kept]


def _pair(work: tuple[float, float] | None) -> tuple[str, str]:
    return ("", "") if work is None else (plain(work[0]), number(work[1]))


def one_sided(found: Comparison) -> Grid | None:
    """Return the ops and annotations that only one side has.

    Parameters
    ----------
    found : Comparison
        Two sides.

    Returns
    -------
    Grid or None
        None where both have the same.
    """
    sides = [(side.label, medians(side, lambda run: run.host)) for side in (found.before, found.after)]
    rows = [
        (name, label, *work)
        for (label, mine), (_, other) in zip(sides, reversed(sides), strict=True)
        for name, work in mine.items()
        if name not in other
    ]
    if not rows:
        return None
    kept = set(sorted(rows, key=lambda row: row[3], reverse=True)[:MAX_ROWS])
    cells = tuple(
        (shown(n, 400), side, plain(c), number(us)) for n, side, c, us in rows if (n, side, c, us) in kept
    )
    heads = ("CPU row", "only in", "count", "self µs")
    columns = tuple(Column(h, figures=at > 1, flexible=at == 0, kernel=at == 0) for at, h in enumerate(heads))
    note = "Self time: without what a row calls; the profiler's own cost of each row is in it."
    return Grid("Rows of the CPU that one side alone has, in one step", columns, cells, note)
