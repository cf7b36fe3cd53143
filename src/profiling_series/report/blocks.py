"""The parts that a written reading is made of, each as plain text and as HTML.

`Facts` names and values, `Grid` is a table, `Notes` a list of sentences, `Folded` one to open. A view builds
them once and renders them twice, so that page and terminal cannot say different things.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from ..format import elide, readable, visible
from .markup import render, scrolling

WIDTH = 100
"""Columns of a terminal that the text keeps to."""
_LEAST_FLEX, _LEAST = 26, 10
LONGEST_NAME = 120
"""Characters of a kernel's name in a table of a page."""


@dataclass(frozen=True)
class Facts:
    """Names with their values, in reading order."""

    title: str
    pairs: tuple[tuple[str, str], ...]

    def text(self) -> str:
        """Return one line a pair, values aligned, long ones wrapped below themselves."""
        lead = max((len(name) for name, _ in self.pairs), default=0) + 4
        lines = [self.title]
        for name, value in self.pairs:
            head = f"  {name:<{lead - 2}}"
            lines.append(_wrap(value, head, " " * lead))
        return "\n".join(lines)

    def html(self) -> str:
        """Return a titled definition list."""
        return render("facts", block=self)


@dataclass(frozen=True)
class Column:
    """A column of a `Grid`: its head, and whether it holds figures (set right) or names.

    One column may be `flexible`: in a terminal it gives way, its cells losing their middle. A `kernel` column
    holds names of kernels, set as code; a terminal shows them without namespaces and parameters.
    """

    head: str
    figures: bool = True
    flexible: bool = False
    kernel: bool = False


@dataclass(frozen=True)
class Grid:
    """A table with a title and, below it, an optional note.

    Every row has one string a column.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def text(self) -> str:
        """Return the table in at most `WIDTH` columns."""
        rows = [tuple(map(_plain, row, self.columns)) for row in self.rows]
        widths = self._widths(rows)
        lines = [self.title, self._line(tuple(column.head for column in self.columns), widths)]
        lines += [self._line(row, widths) for row in rows]
        if self.note:
            lines.append(_wrap(self.note, "  ", "  "))
        return "\n".join(lines)

    def _widths(self, rows: list[tuple[str, ...]]) -> list[int]:
        """Return the width of each column, the flexible one cut to what is left."""
        widths = [
            max([len(column.head), *(len(row[at]) for row in rows)]) for at, column in enumerate(self.columns)
        ]
        over = 2 + sum(widths) + 2 * (len(widths) - 1) - WIDTH
        for at, column in enumerate(self.columns):
            if column.flexible and over > 0:
                widths[at] = max(widths[at] - over, _LEAST_FLEX)
        # Where that is not enough the widest gives way, a little at a time.
        while 2 + sum(widths) + 2 * (len(widths) - 1) > WIDTH and max(widths) > _LEAST:
            widths[widths.index(max(widths))] -= 1
        return widths

    def _line(self, cells: tuple[str, ...], widths: list[int]) -> str:
        """Return one row, aligned."""
        parts = []
        for cell, width, column in zip(cells, widths, self.columns, strict=True):
            fitted = elide(cell, width)
            parts.append(fitted.rjust(width) if column.figures else fitted.ljust(width))
        return ("  " + "  ".join(parts)).rstrip()

    def html(self) -> str:
        """Return a captioned table in a container that scrolls, and can be scrolled by keyboard."""
        table = render("grid", block=self, short=lambda name: elide(visible(name), LONGEST_NAME))
        return render("block", inner=scrolling(self.title, table), note=self.note)


@dataclass(frozen=True)
class Notes:
    """Sentences under a title."""

    title: str
    items: tuple[str, ...]

    def text(self) -> str:
        """Return one item a paragraph, hung on its dash."""
        return "\n".join([self.title, *(_wrap(item, "  - ", "    ") for item in self.items)])

    def html(self) -> str:
        """Return a titled list."""
        return render("notes", block=self)


@dataclass(frozen=True)
class Folded:
    """Sentences that a page folds away under their title; a terminal, which cannot fold, lists them."""

    title: str
    items: tuple[str, ...]

    def text(self) -> str:
        """Return the title and the sentences below it."""
        return Notes(self.title, self.items).text()

    def html(self) -> str:
        """Return the list behind its title, closed."""
        return render("folded", block=self)


Block = Facts | Grid | Notes | Folded


def text_of(blocks: Iterable[Block]) -> str:
    """Return the blocks as text, a blank line between two.

    Parameters
    ----------
    blocks : iterable of Facts, Grid, Notes or Folded
        In reading order.
    """
    return "\n\n".join(block.text() for block in blocks)


def html_of(blocks: Iterable[Block]) -> str:
    """Return the blocks as HTML.

    Parameters
    ----------
    blocks : iterable of Facts, Grid, Notes or Folded
        In reading order.
    """
    return "\n".join(block.html() for block in blocks)


def _plain(cell: str, column: Column) -> str:
    """Return a cell as a terminal shows it."""
    return readable(visible(cell)) if column.kernel else visible(cell)


def _wrap(value: str, head: str, hang: str) -> str:
    """Return a value wrapped at `WIDTH`, its first line behind `head`."""
    return textwrap.fill(
        visible(value), WIDTH, initial_indent=head, subsequent_indent=hang, break_on_hyphens=False
    )
