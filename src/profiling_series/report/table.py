"""The table that torch prints, as HTML: every cell as it was printed, and the rows that mislead marked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..format import escape, prose, shown, visible
from .blocks import scroll_box
from .source import Source, provenance_of, table_text_of
from .view import View

if TYPE_CHECKING:
    from ..trace.table import ProfilerTable, Row

CAPTION = "torch's own table, each row all calls of one name"
FLAG_NOTES = {
    "cut": "name cut by torch",
    "span": "span of the annotation on the GPU lane, not work",
    "negative-self": "negative self time",
}
"""What a row's flag (see `trace.table.Row`) tells a reader."""
_TOTAL = re.compile(r"^Self .*total:")
_NAME_LIMIT = 300


def table(x: Source) -> View:
    """Return torch's own table, ``key_averages().table(...)``, as it was printed when the capture was made.

    Parameters
    ----------
    x : Capture
        What to show. A bare trace has no table.

    Returns
    -------
    View
        Its text is torch's, character by character but for those that steer a terminal.

    Raises
    ------
    UsageError
        A trace was given.
    """
    text = table_text_of(x)
    return View(
        kind="table",
        provenance=provenance_of(x),
        to_text=lambda: "\n".join(visible(line) for line in text.split("\n")),
        to_html=lambda: _html(text),
    )


def _html(text: str) -> str:
    """Return the parsed table with its marks, torch's closing lines, and what reading it warned of."""
    from ..trace.table import parse_table

    parsed = parse_table(text)
    figures = _figure_columns(parsed)
    head = "".join(f'<th scope="col"{_align(name in figures)}>{escape(name)}</th>' for name in parsed.columns)
    body = "\n".join(_row(parsed.columns, figures, row) for row in parsed.rows)
    totals = [line.strip() for line in text.split("\n") if _TOTAL.match(line.strip())]
    closing = "".join(f"<div>{escape(line)}</div>" for line in totals)
    notes = "".join(f"<li>{prose(shown(warning, 400))}</li>" for warning in parsed.warnings)
    return (
        f'{scroll_box(CAPTION)}<table class="ps-grid"><caption>{CAPTION}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
        + (f'\n<div class="ps-totals">{closing}</div>' if closing else "")
        + (f'\n<ul class="ps-notes">{notes}</ul>' if notes else "")
    )


def _figure_columns(parsed: ProfilerTable) -> frozenset[str]:
    """Return the columns that hold figures; the name, shapes and source lines do not."""
    return frozenset(
        name for name in parsed.columns[1:] if any(row[name].value is not None for row in parsed.rows)
    )


def _row(columns: tuple[str, ...], figures: frozenset[str], row: Row) -> str:
    """Return one row, its name as header."""
    cells = [f'<th scope="row"{_align(False)}>{_name(row)}</th>']
    for name in columns[1:]:
        cell = row[name]
        # What is nothing is set back, so that the eye finds what is something.
        zero = name in figures and cell.value == 0
        cells.append(f"<td{_align(name in figures, zero)}>{escape(shown(cell.text, _NAME_LIMIT))}</td>")
    marked = ' class="ps-marked"' if "span" in row.flags else ""
    return f"<tr{marked}>{''.join(cells)}</tr>"


def _name(row: Row) -> str:
    """Return a row's name and what must be known about it."""
    text = f"{row.name.removesuffix('...')}…" if "cut" in row.flags else row.name
    tags = "".join(
        f' <span class="ps-tag">{note}</span>' for flag, note in FLAG_NOTES.items() if flag in row.flags
    )
    return f"<code>{escape(shown(text, _NAME_LIMIT))}</code>{tags}"


def _align(figure: bool, zero: bool = False) -> str:
    """Return how a cell is set: figures right, words left."""
    if not figure:
        return ' style="text-align:left"'
    return f' class="ps-num{" ps-zero" if zero else ""}" style="text-align:right"'
