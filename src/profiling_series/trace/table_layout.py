"""Where the columns of torch's text table are: by its header and its lines of dashes."""

from __future__ import annotations

import re
from dataclasses import dataclass

_RULER = re.compile(r" *-{5,}(?: +-{3,})+ *")
_DASHES = re.compile(r"-+")
_CELL = re.compile(r"\S+(?: \S+)*")  # cells are set apart by two spaces or more


@dataclass(frozen=True)
class Layout:
    """The columns of one table.

    Attributes
    ----------
    columns : tuple of str
        Names.
    spans : tuple of tuple of int
        Begin and end of each column by the line of dashes; empty where that line does not fit the header.
    name_end : int
        Where the first column ends.
    first, last : int
        The rows are ``lines[first:last]``.
    warnings : tuple of str
        What is odd about it.
    """

    columns: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    name_end: int
    first: int
    last: int
    warnings: tuple[str, ...] = ()

    def split(self, line: str) -> list[str] | None:
        """Return one text for each column, or None where the line does not fit them."""
        name, found = self._name_and_cells(line)
        wanted = len(self.columns) - 1
        if len(found) == wanted:
            return [name, *(cell.group() for cell in found)]
        if not self.spans or not found:
            return None
        # A cell is empty, or holds two spaces: go by the place of each.
        texts = [""] * wanted
        for cell in found:
            column = self._column_at(cell.start(), cell.end())
            texts[column] = f"{texts[column]}  {cell.group()}" if texts[column] else cell.group()
        return [name, *texts]

    def continuation(self, line: str) -> str | None:
        """Return the source line that alone stands in a row: torch prints a stack below its first line."""
        if not self.spans or "Source Location" not in self.columns:
            return None
        column = self.columns.index("Source Location")
        found = list(_CELL.finditer(line))
        return line.strip() if found and found[0].start() >= self.spans[column][0] else None

    def _name_and_cells(self, line: str) -> tuple[str, list[re.Match[str]]]:
        """Return the name and the other cells; a name may hold two spaces, so its width counts first."""
        if line[self.name_end : self.name_end + 2].strip() == "" and line[: self.name_end].strip():
            return line[: self.name_end].strip(), list(_CELL.finditer(line, self.name_end))
        found = list(_CELL.finditer(line))
        return (found[0].group(), found[1:]) if found else ("", [])

    def _column_at(self, begin: int, end: int) -> int:
        """Return which column (after the name) a cell overlaps most, or is nearest to."""
        shared = [min(end, right) - max(begin, left) for left, right in self.spans[1:]]
        return shared.index(max(shared))


def find_layout(lines: list[str], start: int = 0) -> Layout | None:
    """Return the layout of the first table at or after a line; None without one."""
    for at in range(start, len(lines) - 2):
        if _RULER.fullmatch(lines[at]) and _RULER.fullmatch(lines[at + 2]) and lines[at + 1].strip():
            return _layout(lines, at)
    return None


def _layout(lines: list[str], at: int) -> Layout:
    """Return the layout of the table whose header stands below line `at`."""
    spans = [match.span() for match in _DASHES.finditer(lines[at])]
    columns = _header(lines[at + 1])
    first = at + 3
    last = next((n for n in range(first, len(lines)) if _RULER.fullmatch(lines[n])), None)
    warnings = []
    if last is None:
        warnings.append(
            "the table's closing line of dashes is missing: it may be cut, and its totals with it"
        )
    if len(spans) != len(columns):
        warnings.append(
            f"the header names {len(columns)} columns, the dashes {len(spans)}: read by the header"
        )
    return Layout(
        columns=columns,
        spans=tuple(spans) if len(spans) == len(columns) else (),
        name_end=spans[0][1],
        first=first,
        last=len(lines) if last is None else last,
        warnings=tuple(warnings),
    )


def _header(line: str) -> tuple[str, ...]:
    """Return the columns' names; ``Self  XPU`` is one name, and a repeated name gets a number."""
    names: list[str] = []
    pieces = [cell.group() for cell in _CELL.finditer(line)]
    while pieces:
        name = pieces.pop(0)
        if name == "Self" and pieces:
            name = f"Self {pieces.pop(0)}"
        repeats = sum(1 for known in names if known == name or known.startswith(f"{name} ("))
        names.append(f"{name} ({repeats + 1})" if repeats else name)
    return tuple(names)
