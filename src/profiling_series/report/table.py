"""The table that torch prints, as HTML: every cell as it was printed, and the rows that mislead marked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..format import shown, visible
from .markup import render, scrolling
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
    body = render(
        "table",
        caption=CAPTION,
        parsed=parsed,
        figures=_figure_columns(parsed),
        flag_notes=FLAG_NOTES,
        name_of=_name,
        limit=_NAME_LIMIT,
    )
    totals = [line.strip() for line in text.split("\n") if _TOTAL.match(line.strip())]
    return render("table_view", table=scrolling(CAPTION, body), totals=totals, warnings=parsed.warnings)


def _figure_columns(parsed: ProfilerTable) -> frozenset[str]:
    """Return the columns that hold figures; the name, shapes and source lines do not."""
    return frozenset(
        name for name in parsed.columns[1:] if any(row[name].value is not None for row in parsed.rows)
    )


def _name(row: Row) -> str:
    """Return a row's name, with an ellipsis where torch cut it."""
    text = f"{row.name.removesuffix('...')}…" if "cut" in row.flags else row.name
    return shown(text, _NAME_LIMIT)
