"""The footprint of a launch on one SM: theoretical occupancy, what limits it, and waves.

The arithmetic is that of NVIDIA's occupancy calculator (``cuda_occupancy.h`` of the CUDA toolkit, 13.0) and
of the `CUDA C++ Programming Guide
<https://docs.nvidia.com/cuda/cuda-c-programming-guide/#compute-capabilities>`_: registers go to warps in
units of 256, from the SM's four partitions; shared memory goes to blocks in units of 128 bytes (256 before
compute capability 8), after a reserve of 1 KiB a block on compute capability 8 and later.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from profiling_series.trace.sm_limits import SmLimits, UnknownLimit, sm_limits

_WARP = 32
_REGISTER_UNIT = 256
_DEFAULT_SHARED_BYTES = 48 * 1024  # what a kernel may use without asking for more

_ESTIMATE = "est. achieved occupancy %"


@dataclass(frozen=True)
class Footprint:
    """What one block of a kernel takes of an SM, and how many blocks fit.

    Attributes
    ----------
    registers_per_thread, shared_bytes, threads, blocks : int or None
        Of the launch, as the trace says: registers of a thread, shared memory of a block, threads of a block,
        blocks.
    blocks_per_sm, warps_per_sm : int or None
        Blocks, and their warps, that fit on one SM at once.
    max_warps_per_sm : int or None
        Warps that the SM can hold.
    occupancy_percent : float or None
        ``warps_per_sm`` of ``max_warps_per_sm``.
    limited_by : tuple of str
        What allows the fewest blocks: ``"registers"``, ``"shared memory"``, ``"warps"``, ``"blocks"``;
        several on a tie.
    waves : float or None
        Blocks of the launch ÷ blocks that the whole GPU holds at once; below 1, SMs stay empty.
    estimate_percent : float or None
        The trace's own estimate; None where it has none or where it was not measured.
    estimate_note : str
        Why there is no estimate, or an empty string.
    why : str
        Why the occupancy is not known, or an empty string.
    assumed : tuple of str
        Limits that came from the guide's tables because the trace lacks them.
    """

    registers_per_thread: int | None
    shared_bytes: int | None
    threads: int | None
    blocks: int | None
    blocks_per_sm: int | None = None
    warps_per_sm: int | None = None
    max_warps_per_sm: int | None = None
    occupancy_percent: float | None = None
    limited_by: tuple[str, ...] = ()
    waves: float | None = None
    estimate_percent: float | None = None
    estimate_note: str = ""
    why: str = ""
    assumed: tuple[str, ...] = ()


def footprint(args: Mapping[str, Any], device: Mapping[str, Any] | None) -> Footprint:
    """Return the footprint of a kernel.

    Parameters
    ----------
    args : mapping
        The kernel event's ``args``, as the trace holds them.
    device : mapping or None
        The entry of the trace's ``deviceProperties`` for the kernel's device.

    Returns
    -------
    Footprint
        With ``occupancy_percent`` None and the reason in ``why`` where the trace cannot tell. Clusters,
        barriers and tensor memory may allow fewer blocks; traces do not hold them.

    Examples
    --------
    >>> h200 = {"computeMajor": 9, "computeMinor": 0, "warpSize": 32, "numSms": 132}
    >>> launch = {"registers per thread": 255, "shared memory": 49152, "block": [128, 1, 1]}
    >>> found = footprint(launch, h200)
    >>> found.blocks_per_sm, found.warps_per_sm, found.occupancy_percent, found.limited_by
    (2, 8, 12.5, ('registers',))
    """
    registers, shared = _count(args.get("registers per thread")), _count(args.get("shared memory"))
    threads, blocks = _volume(args.get("block")), _volume(args.get("grid"))
    estimate = args.get(_ESTIMATE)
    measured = estimate_is_measured(args)
    said = Footprint(
        registers_per_thread=registers,
        shared_bytes=shared,
        threads=threads,
        blocks=blocks,
        estimate_percent=float(estimate) if measured and estimate is not None else None,
        estimate_note=_estimate_note(estimate, measured),
    )
    if registers is None or shared is None or not threads:
        return replace(said, why="the trace does not give the kernel's registers, shared memory and block")
    try:
        limits = sm_limits(device)
        allowed = _blocks_allowed(registers, shared, threads, limits)
    except UnknownLimit as reason:
        return replace(said, why=str(reason))
    fit = min(allowed.values())
    if fit < 1:
        return replace(said, why="by these limits not one block fits, and yet it ran", assumed=limits.assumed)
    warps = fit * math.ceil(threads / _WARP)
    return replace(
        said,
        blocks_per_sm=fit,
        warps_per_sm=warps,
        max_warps_per_sm=limits.max_warps,
        occupancy_percent=100.0 * warps / limits.max_warps,
        limited_by=tuple(name for name, count in allowed.items() if count == fit),
        waves=blocks / (fit * limits.sms) if blocks and limits.sms else None,
        assumed=limits.assumed,
    )


def estimate_is_measured(args: Mapping[str, Any]) -> bool:
    """Whether the trace's ``est. achieved occupancy %`` says something about this kernel.

    It reads 0 for every kernel above 48 KiB of shared memory: the estimate is made without the larger limit
    that such a kernel asks for, so that not one block seems to fit. That 0 is a gap, not an occupancy.

    Parameters
    ----------
    args : mapping
        The kernel event's ``args``.

    Returns
    -------
    bool
        False also where there is no estimate.

    Examples
    --------
    >>> estimate_is_measured({"shared memory": 164308, "est. achieved occupancy %": 0})
    False
    >>> estimate_is_measured({"shared memory": 49152, "est. achieved occupancy %": 13})
    True
    """
    estimate = args.get(_ESTIMATE)
    if isinstance(estimate, bool) or not isinstance(estimate, int | float) or not math.isfinite(estimate):
        return False
    shared = _count(args.get("shared memory"))
    return not (estimate == 0 and shared is not None and shared > _DEFAULT_SHARED_BYTES)


def _estimate_note(estimate: Any, measured: bool) -> str:
    if measured:
        return ""
    if estimate is None:
        return "the trace has no estimate"
    return (
        "not measured: the estimate does not know the larger limit of kernels above 48 KiB of shared memory"
    )


def _blocks_allowed(registers: int, shared: int, threads: int, limits: SmLimits) -> dict[str, int]:
    """Return how many blocks each resource allows on one SM; one that is not used allows any number."""
    warps = math.ceil(threads / _WARP)
    allowed = {"warps": limits.max_warps // warps, "blocks": limits.max_blocks}
    if registers:
        per_warp = _round_up(registers * _WARP, _REGISTER_UNIT)
        partitions = limits.partitions
        allowed["registers"] = limits.registers // partitions // per_warp * partitions // warps
    if taken := _round_up(shared + limits.reserved_shared, limits.shared_unit):
        allowed["shared memory"] = limits.shared_bytes // taken
    return allowed


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _count(value: Any) -> int | None:
    """Return a count; None where the trace holds none, or no sensible one."""
    if isinstance(value, str):
        value = int(value) if value.isascii() and value.isdigit() and len(value) < 16 else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value) if 0 <= value < 2**53 else None


def _volume(sides: Any) -> int | None:
    """Return the number of threads or blocks of ``[x, y, z]``."""
    if not isinstance(sides, list | tuple) or not sides:
        return None
    counts = [_count(side) for side in sides]
    return None if None in counts else math.prod(count for count in counts if count is not None)
