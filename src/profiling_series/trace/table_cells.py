"""One cell of torch's text table: its text, its value, its unit."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TIME = re.compile(r"(-?\d+(?:\.\d+)?) ?(ns|us|µs|μs|ms|s)")
_TIME_US = {"ns": 1e-3, "us": 1.0, "µs": 1.0, "μs": 1.0, "ms": 1e3, "s": 1e6}
_PERCENT = re.compile(r"(-?\d+(?:\.\d+)?) ?%")
_MEMORY = re.compile(r"(-?\d+(?:\.\d+)?) ?([KMGT]?)[bB]")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_POWER = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_FLOPS = re.compile(r"Total ([KMGTP]?)FLOPs")

#: Columns that hold text, whatever their cells look like.
TEXT_COLUMNS = frozenset({"Name", "Overload Name", "Input Shapes", "Source Location"})


@dataclass(frozen=True)
class Cell:
    """A cell.

    Attributes
    ----------
    text : str
        As printed.
    value : float or None
        The number: times in µs, memory in bytes, shares in percent, FLOPs as such, calls as they are; None
        where the cell holds no number (``--``, ``NaN``, a name).
    unit : str or None
        The unit as printed: ``s``, ``ms``, ``us``, ``%``, ``Kb``, …; None without one.
    """

    text: str
    value: float | None = None
    unit: str | None = None


def parse_cell(column: str, text: str) -> Cell:
    """Return the cell that a text is in a column.

    Parameters
    ----------
    column : str
        The column's name; it tells text from numbers, and scales FLOPs.
    text : str
        The cell's text, trimmed.

    Returns
    -------
    Cell
        With its value in the one unit of its kind.

    Examples
    --------
    >>> parse_cell("Self CPU", "-2.500ms")
    Cell(text='-2.500ms', value=-2500.0, unit='ms')
    >>> parse_cell("CPU Mem", "-4.00 Kb").value
    -4096.0
    """
    if column in TEXT_COLUMNS or not text:
        return Cell(text)
    if match := _TIME.fullmatch(text):
        return Cell(text, _scaled(match.group(1), match.group(2)), match.group(2))
    if match := _PERCENT.fullmatch(text):
        return Cell(text, float(match.group(1)), "%")
    if match := _MEMORY.fullmatch(text):
        unit = text[match.end(1) :].strip()
        return Cell(text, float(match.group(1)) * 1024.0 ** _POWER[match.group(2)], unit)
    if _NUMBER.fullmatch(text):
        flops = _FLOPS.fullmatch(column)
        return Cell(text, float(text) * 1000.0 ** _POWER[flops.group(1)] if flops else float(text))
    return Cell(text)


def time_us(text: str) -> float | None:
    """Return a time with its unit in µs, or None.

    Examples
    --------
    >>> time_us("1.201s"), time_us("fast")
    (1201000.0, None)
    """
    match = _TIME.fullmatch(text)
    return _scaled(match.group(1), match.group(2)) if match else None


def _scaled(number: str, unit: str) -> float:
    """Return µs; rounded to what three printed decimals can hold, so that 1.201 s is 1201000."""
    return round(float(number) * _TIME_US[unit], 6)
