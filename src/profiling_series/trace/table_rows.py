"""The rows of torch's text table that mislead: cut names, negative self times, spans of annotations."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from profiling_series.trace.table import Row

_SHOWN = 3  # names that a warning lists


def mark_rows(rows: list[Row], columns: tuple[str, ...]) -> tuple[list[Row], list[str]]:
    """Return the rows with their flags, and one warning for each kind of flag that occurs.

    Parameters
    ----------
    rows : list of Row
        The rows as read.
    columns : tuple of str
        The table's columns.

    Returns
    -------
    tuple of list
        Rows and warnings.
    """
    spans = _spans(rows, columns)
    marked = [replace(row, flags=_flags(row, columns, is_span=at in spans)) for at, row in enumerate(rows)]
    return marked, _warnings(marked)


def _flags(row: Row, columns: tuple[str, ...], is_span: bool) -> tuple[str, ...]:
    """Return the flags of one row."""
    negative = any((row[column].value or 0) < 0 for column in columns if _is_self_time(column))
    applies = {"cut": row.name.endswith("..."), "negative-self": negative, "span": is_span}
    return tuple(flag for flag, holds in applies.items() if holds)


def _is_self_time(column: str) -> bool:
    """Whether it holds self times (or their shares); memory may well be negative: freed by the operator."""
    return column.startswith("Self ") and not column.endswith("Mem")


def _spans(rows: list[Row], columns: tuple[str, ...]) -> frozenset[int]:
    """Return the indexes of the rows that are the GPU side of an annotation.

    torch prints an annotation twice: once with its CPU time, once with device time alone. The latter is the
    span from its first to its last kernel, no work of its own; its share of the device's total may pass 100
    %. A Triton kernel too has the name of a CPU row, Inductor's launcher; but the launcher has the kernel's
    time as its own device time, while the CPU row of an annotation has none.
    """
    shares = [
        c for c in columns if c.startswith("Self ") and c.endswith("%") and not c.startswith("Self CPU")
    ]
    cpu = next((c for c in ("CPU total", "Self CPU", "Self CPU total") if c in columns), None)
    device = [c for c in columns if _is_self_time(c) and not c.startswith("Self CPU") and not c.endswith("%")]
    if cpu is None or not device:
        return frozenset()

    def has_device_time(row: Row) -> bool:
        return any(row[c].value for c in device)

    on_cpu = [row for row in rows if row[cpu].value and not row.name.endswith("...")]
    annotations = {row.name for row in on_cpu} - {row.name for row in on_cpu if has_device_time(row)}

    def is_span(row: Row) -> bool:
        if row[cpu].value or not has_device_time(row):
            return False
        return row.name in annotations or any((row[c].value or 0) > 100 for c in shares)

    return frozenset(at for at, row in enumerate(rows) if is_span(row))


def _warnings(rows: list[Row]) -> list[str]:
    """Return one sentence for each kind of flag."""
    told = []
    if names := [row.name for row in rows if "span" in row.flags]:
        told.append(
            f"{_listed(names)}: the row without CPU time is the span of the annotation on the GPU, not work; "
            "leave it out of sums"
        )
    if names := [row.name for row in rows if "negative-self" in row.flags]:
        told.append(
            f"{_listed(names)}: a self time below zero; its children were recorded as longer than itself, "
            "so read its total instead"
        )
    cut = [row.name for row in rows if "cut" in row.flags]
    if shared := [name for name, count in Counter(cut).items() if count > 1]:
        told.append(
            f"{_listed(shared)}: torch cut these names, so rows of one name may be different kernels; "
            "they are kept apart (table(max_name_column_width=…) prints more)"
        )
    return told


def _listed(names: list[str]) -> str:
    """Return a few names, and how many more there are."""
    unique = list(dict.fromkeys(names))
    more = len(unique) - _SHOWN
    return ", ".join(unique[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
