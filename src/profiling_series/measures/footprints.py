"""Measures of a kernel's footprint: what a block of it takes of an SM, and how many fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..trace import Trace
from ..trace.footprint import Footprint, footprint
from ..trace.sm_limits import UnknownLimit, sm_limits
from .model import measure
from .work import Work, same


def device_properties(trace: Trace, row: int) -> dict[str, Any] | None:
    """Return what the trace says of the device that a GPU event ran on.

    Parameters
    ----------
    trace : Trace
        A trace.
    row : int
        Of the GPU event.
    """
    number = trace.device_of(row)
    properties = trace.metadata.get("deviceProperties")
    known = properties if isinstance(properties, list) else []
    return next((one for one in known if isinstance(one, dict) and one.get("id") == number), None)


def kernel_footprint(trace: Trace, row: int) -> Footprint:
    """Return the footprint of a kernel, by its arguments and its device's properties.

    Parameters
    ----------
    trace : Trace
        A trace.
    row : int
        Of the kernel.
    """
    return footprint(trace.args(row), device_properties(trace, row))


def _footprint(work: Work, take: Callable[[Footprint], Any]) -> Any:
    return same(work, lambda row: take(kernel_footprint(work.run.trace, row)))


@measure()
def registers(work: Work) -> int | None:
    """Return the registers of a thread."""
    return _footprint(work, lambda found: found.registers_per_thread)


@measure("B")
def shared_memory(work: Work) -> int | None:
    """Return the shared memory of a block."""
    return _footprint(work, lambda found: found.shared_bytes)


@measure()
def threads(work: Work) -> int | None:
    """Return the threads of a block."""
    return _footprint(work, lambda found: found.threads)


@measure()
def blocks_per_sm(work: Work) -> int | None:
    """Return how many of its blocks fit on an SM at once."""
    return _footprint(work, lambda found: found.blocks_per_sm)


@measure()
def warps_per_sm(work: Work) -> int | None:
    """Return how many of its warps fit on an SM at once."""
    return _footprint(work, lambda found: found.warps_per_sm)


@measure()
def max_warps_per_sm(work: Work) -> int | None:
    """Return how many warps the SM can hold."""
    return _footprint(work, lambda found: found.max_warps_per_sm)


@measure("%")
def occupancy(work: Work) -> float | None:
    """Return the warps that fit on an SM, of those that it can hold: the theoretical occupancy."""
    return _footprint(work, lambda found: found.occupancy_percent)


@measure()
def limited_by(work: Work) -> str | None:
    """Return what keeps another block off the SM: registers, shared memory, warps or blocks."""
    return " and ".join(_footprint(work, lambda found: found.limited_by) or ()) or None


@measure()
def estimate_is_gap(work: Work) -> bool | None:
    """Return whether the trace's own estimate of the occupancy reads 0 because it was not made."""
    note = _footprint(work, lambda found: found.estimate_note)
    return None if note is None else "not measured" in note


@measure()
def sm_registers(work: Work) -> int | None:
    """Return the registers of an SM of the GPU that they run on."""

    def take(row: int) -> int | None:
        try:
            return sm_limits(device_properties(work.run.trace, row)).registers
        except UnknownLimit:
            return None

    return same(work, take)
