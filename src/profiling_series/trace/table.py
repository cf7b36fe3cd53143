"""torch's own text table (``key_averages().table()``), read back into numbers.

The columns are found by the table's header, not by fixed places: which there are depends on the torch
version, the device and the options (memory, shapes, stacks, FLOPs). Each cell has a unit of its own. What the
table can print is defined by ``_build_table`` in `torch/autograd/profiler_util.py
<https://github.com/pytorch/pytorch/blob/main/torch/autograd/profiler_util.py>`_.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from profiling_series.errors import UsageError
from profiling_series.trace.table_cells import Cell, parse_cell, time_us
from profiling_series.trace.table_layout import Layout, find_layout
from profiling_series.trace.table_rows import mark_rows

_TOTAL = re.compile(r"(?:Self )?(\S+) time total: *(\S+)")
_DEVICE_COLUMN = re.compile(r"Self (?!CPU\b)(.+?)(?: total)?")


class TableError(UsageError):
    """The text is not a table of torch.profiler."""


@dataclass(frozen=True)
class Row:
    """One row: all calls of one name, as torch grouped them.

    Attributes
    ----------
    name : str
        The name; two rows may share it, above all where torch cut it.
    cells : mapping of str to Cell
        One cell for each column, in the table's order.
    flags : tuple of str
        ``"cut"``: the name ends in ``...``, so that an equal name need not be the same row;
        ``"negative-self"``: a self time below zero; ``"span"``: the GPU side of an annotation, which is no
        work and is left out of sums.
    stack : tuple of str
        The source lines, with stacks recorded.
    """

    name: str
    cells: Mapping[str, Cell]
    flags: tuple[str, ...] = ()
    stack: tuple[str, ...] = ()

    def __getitem__(self, column: str) -> Cell:
        return self.cells[column]


@dataclass(frozen=True)
class ProfilerTable:
    """A table of torch.profiler.

    Attributes
    ----------
    columns : tuple of str
        The header's names, spaces made single.
    rows : tuple of Row
        The rows in the table's order; none is ever merged with another.
    self_cpu_total_us, self_device_total_us : float or None
        The totals below the table, µs; None where it prints none.
    device : str or None
        The device as the columns name it (``"CUDA"``, also on ROCm; ``"XPU"``); None without device columns.
    warnings : tuple of str
        What must be known before numbers are taken from it.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    self_cpu_total_us: float | None
    self_device_total_us: float | None
    device: str | None
    warnings: tuple[str, ...]


def parse_table(text: str) -> ProfilerTable:
    """Return the table that a text holds; the first one, if it holds several.

    Parameters
    ----------
    text : str
        What ``print(prof.key_averages().table())`` wrote, with or without other lines around it.

    Returns
    -------
    ProfilerTable
        Rows with values in µs, bytes and percent.

    Raises
    ------
    TableError
        No table is in the text, or it holds no row that can be read.
    """
    if not text.strip():
        raise TableError("the table is empty: torch.profiler prints nothing when it recorded no events")
    lines = [line.rstrip("\r") for line in text.split("\n")]
    layout = find_layout(lines)
    if layout is None:
        raise TableError(
            "not a table of torch.profiler: no header between two lines of dashes; "
            "give it what print(prof.key_averages().table()) writes"
        )
    rows, warnings = _rows(lines, layout)
    if not rows:
        raise TableError(f"the table in line {layout.first - 1} has a header and no rows that can be read")
    rows, notes = mark_rows(rows, layout.columns)
    totals = _totals(lines[layout.last + 1 : layout.last + 6])
    device = _device(layout.columns)
    others = [value for name, value in totals.items() if name != "CPU"]
    if find_layout(lines, layout.last + 1):
        warnings.append("the text holds more than one table; the first was read")
    return ProfilerTable(
        columns=layout.columns,
        rows=tuple(rows),
        self_cpu_total_us=totals.get("CPU"),
        self_device_total_us=others[0] if others else None,
        device=device or next((name for name in totals if name != "CPU"), None),
        warnings=(*layout.warnings, *warnings, *notes),
    )


def _rows(lines: list[str], layout: Layout) -> tuple[list[Row], list[str]]:
    """Return the rows, and a warning for every line among them that is none."""
    rows: list[Row] = []
    warnings: list[str] = []
    for number in range(layout.first, layout.last):
        line = lines[number]
        if not line.strip():
            continue
        if rows and (more := layout.continuation(line)):
            last = rows[-1]
            rows[-1] = Row(last.name, last.cells, stack=(*last.stack, more))
            continue
        texts = layout.split(line)
        if texts is None:
            warnings.append(f"line {number + 1} does not fit the columns and was left out")
            continue
        cells = {column: parse_cell(column, cell) for column, cell in zip(layout.columns, texts, strict=True)}
        source = cells.get("Source Location")
        rows.append(Row(texts[0], cells, stack=(source.text,) if source and source.text else ()))
    return rows, warnings


def _totals(lines: list[str]) -> dict[str, float]:
    """Return the totals below the table by device, µs."""
    found: dict[str, float] = {}
    for line in lines:
        match = _TOTAL.fullmatch(line.strip())
        value = time_us(match.group(2)) if match else None
        if match and value is not None:
            found.setdefault(match.group(1), value)
    return found


def _device(columns: tuple[str, ...]) -> str | None:
    """Return the device that the self-time column names."""
    for column in columns:
        if column.endswith(("%", "Mem")):
            continue
        if match := _DEVICE_COLUMN.fullmatch(column):
            return match.group(1)
    return None
