"""Figures that differ from process to process: the median of several, with its range, in one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..format import shown
from ..trace.per_step import Figure
from .blocks import Column, Grid, html_of, text_of
from .compare_names import cell
from .markup import scrolling
from .pictures import page_svg
from .plot import MIN_WIDTH_PX, SERIES, axes_in_ink, legend
from .view import View

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Figures = Mapping[str, Sequence[float | None]]
WIDE = 20
"""From this ratio of the greatest to the least value on, the picture's axis is logarithmic."""


def over_processes(
    title: str, rows: Mapping[str, Figures], sources: Sequence[object], unit: str = "µs"
) -> View:
    """Return medians over processes, each with its least and greatest value: a table, and a picture of it.

    Parameters
    ----------
    title : str
        What the figures are.
    rows : mapping of str to mapping of str to sequence of float
        Row → column → one value a process; None where a process cannot tell.
    sources : sequence of Capture or Timing
        Where the values come from.
    unit : str
        Of all values.

    Returns
    -------
    View
        A column that a row lacks stays empty. In the picture each process is a mark of its own.

    Raises
    ------
    UsageError
        There is no row, or a row without values.

    Examples
    --------
    >>> view = over_processes("First step", {"cold": {"step": [262.0, 198.0, 204.0]}}, [])
    >>> print(view.text().splitlines()[2])
      cold          3  204 (198–262)
    """
    counts = {name: _count(name, figures) for name, figures in rows.items()}
    if not rows:
        raise UsageError("over_processes needs at least one row, as {label: {column: values}}")
    heads = list(dict.fromkeys(head for figures in rows.values() for head in figures))
    told = tuple(
        (shown(name, 60), str(counts[name]), *(_cell(figures.get(head)) for head in heads))
        for name, figures in rows.items()
    )
    columns = (Column("", figures=False), Column("processes"), *(Column(f"{head} {unit}") for head in heads))
    grid = Grid(
        shown(title, 120), columns, told, "Median over the processes; in brackets the least and the greatest."
    )
    names = ", ".join(shown(name, 40) for name in rows)
    label = f"{shown(title, 120)}: each process a mark, in rows for {names}"

    def picture() -> str:
        return page_svg(_figure(rows, heads, unit), label, MIN_WIDTH_PX)

    lines = dict.fromkeys(str(getattr(source, "source_line", source)) for source in sources)
    return View(
        kind="over-processes",
        provenance="; ".join(lines),
        to_text=lambda: text_of([grid]),
        to_html=lambda: f"{scrolling(label, picture())}\n{html_of([grid])}",
        to_figure=lambda: _figure(rows, heads, unit),
        to_picture=picture,
    )


def _figure(rows: Mapping[str, Figures], heads: Sequence[str], unit: str) -> Drawing:
    """Return the processes as marks, a lane a row, with a line from the least to the greatest."""
    import matplotlib as mpl
    from matplotlib.figure import Figure as Drawing

    figure = Drawing(figsize=(6.6, 0.9 + 0.5 * len(rows)), dpi=100, layout="constrained")
    with mpl.rc_context({"text.parse_math": False}):  # a $ in a name is no formula
        _draw(figure, rows, heads, unit)
    return figure


def _draw(figure: Drawing, rows: Mapping[str, Figures], heads: Sequence[str], unit: str) -> None:
    axes = axes_in_ink(figure, unit, "")
    axes.spines["left"].set_visible(False)
    axes.set_yticks([-at for at in range(len(rows))], [shown(name, 40) for name in rows])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(0.5 - len(rows), 0.5)
    every = [value for figures in rows.values() for values in figures.values() for value in values if value]
    if every and min(every) > 0 and max(every) > WIDE * min(every):
        axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    for column, head in enumerate(heads):
        colour, marker = SERIES[column % len(SERIES)]
        # Columns of a row lie a little apart, the first one above.
        apart = 0.5 * ((len(heads) - 1) / 2 - column) / len(heads)
        for at, figures in enumerate(rows.values()):
            values = [value for value in figures.get(head, ()) if value is not None]
            height = [apart - at] * len(values)
            axes.plot(values, height, color=colour, lw=1.4, alpha=0.7)
            axes.plot(
                values, height, ls="none", marker=marker, ms=6, mfc="none", mec=colour, mew=1.4,
                label=head if at == 0 else None,
            )  # fmt: skip
    if len(heads) > 1:
        legend(figure, loc="outside upper center", ncols=len(heads))


def figure_of(values: Sequence[float | None] | None) -> Figure | None:
    """Return the median of several values with their range; None where one is unknown, or there is none.

    Parameters
    ----------
    values : sequence of float or None
        One a process.
    """
    told = [value for value in values or () if value is not None]
    if not told or len(told) < len(values or ()):
        return None
    return Figure(float(median(told)), min(told), max(told))


def _count(name: str, figures: Figures) -> int:
    """Return how many processes are behind a row."""
    lengths = [len(values) for values in figures.values()]
    if not lengths or not max(lengths):
        raise UsageError(f"over_processes: the row {name!r:.60} has no values")
    return max(lengths)


def _cell(values: Sequence[float | None] | None) -> str:
    """Return a cell; one that the row does not have is empty, one that cannot be told says so."""
    if values is None:
        return ""
    return cell(figure_of(values)) or "unknown"
