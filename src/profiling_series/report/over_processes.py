"""Figures that differ from process to process: the median of several, with its range, in one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from ..errors import UsageError
from ..trace.per_step import Figure
from .blocks import Column, Grid, html_of, text_of
from .compare_names import cell
from .format import shown
from .view import View

Figures = Mapping[str, Sequence[float | None]]


def over_processes(
    title: str, rows: Mapping[str, Figures], sources: Sequence[object], unit: str = "µs"
) -> View:
    """Return a table of medians over processes, each with its least and greatest value.

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
        A column that a row lacks stays empty.

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
    lines = dict.fromkeys(str(getattr(source, "source_line", source)) for source in sources)
    return View(
        kind="over-processes",
        provenance="; ".join(lines),
        to_text=lambda: text_of([grid]),
        to_html=lambda: html_of([grid]),
    )


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
