"""The arguments of an event that are worth a reader's time, a line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...format import shown, size, us

if TYPE_CHECKING:
    from ...trace import Trace

_KERNEL = (
    ("grid", "grid"),
    ("block", "block"),
    ("registers per thread", "registers per thread"),
    ("shared memory", "shared memory"),
    ("est. achieved occupancy %", "estimated occupancy"),
)
_OP = (("Input Dims", "input shapes"), ("Input type", "input types"), ("Concrete Inputs", "concrete inputs"))
_VALUE_LIMIT = 80


def details(trace: Trace, rows: Sequence[int]) -> list[tuple[str, ...]]:
    """Return for each event what its arguments say that its name and times do not.

    Parameters
    ----------
    trace : Trace
        A trace.
    rows : sequence of int
        Rows of it; the file is read once for all.
    """
    return [_detail(trace, row, args) for row, args in zip(rows, trace.args_of(rows), strict=True)]


def _detail(trace: Trace, row: int, args: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the lines of one event."""
    lines = [f"{label}: {_value(key, args[key])}" for key, label in _KERNEL + _OP if _tells(args.get(key))]
    if "bytes" in args:
        lines.append(f"size: {_value('bytes', args['bytes'])}")
    launch = int(trace.launch_of[row])
    if launch >= 0:
        call = trace.event(launch)
        lag_us = (int(trace.ts[row]) - int(trace.ts[launch])) / 1000
        lines.append(f"launched by {shown(call.name, 60)}, which began {us(lag_us)} before it")
    return tuple(lines)


def _tells(value: Any) -> bool:
    """Return whether an argument holds anything."""
    return value not in (None, "", [], {})


def _value(key: str, value: Any) -> str:
    """Return an argument's value in a line's length, with its unit."""
    if key in ("bytes", "shared memory") and isinstance(value, int | float):
        return size(value)
    if key == "est. achieved occupancy %":
        return f"{shown(str(value), 12)} %"
    if key in ("grid", "block") and isinstance(value, list):
        return " × ".join(shown(str(part), 12) for part in value)
    return shown(str(value) if not isinstance(value, Mapping) else "…", _VALUE_LIMIT)
