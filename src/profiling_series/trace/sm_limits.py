"""What one SM of an NVIDIA GPU can hold, from the trace's ``deviceProperties`` and the guide's tables.

Tables: `CUDA C++ Programming Guide, technical specifications per compute capability
<https://docs.nvidia.com/cuda/cuda-c-programming-guide/#compute-capabilities>`_ and ``cuda_occupancy.h`` (CUDA
13.0).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_KIB = 1024
_WARP = 32

#: Compute capability: blocks, threads and KiB of shared memory that an SM holds at most.
_BY_CAPABILITY = {
    (5, 0): (32, 2048, 64),
    (5, 2): (32, 2048, 96),
    (5, 3): (32, 2048, 64),
    (6, 0): (32, 2048, 64),
    (6, 1): (32, 2048, 96),
    (6, 2): (32, 2048, 64),
    (7, 0): (32, 2048, 96),
    (7, 2): (32, 2048, 96),
    (7, 5): (16, 1024, 64),
    (8, 0): (32, 2048, 164),
    (8, 6): (16, 1536, 100),
    (8, 7): (16, 1536, 164),
    (8, 9): (24, 1536, 100),
    (9, 0): (32, 2048, 228),
    (10, 0): (32, 2048, 228),
    (10, 3): (32, 2048, 228),
    (11, 0): (24, 1536, 228),
    (12, 0): (24, 1536, 100),
    (12, 1): (24, 1536, 100),
}
_REGISTERS = 64 * 1024  # of an SM, in each of these


class UnknownLimit(Exception):
    """A limit is neither in the trace nor in the tables; the message says which."""


@dataclass(frozen=True)
class SmLimits:
    """The limits of one SM.

    Attributes
    ----------
    max_warps, max_blocks, registers, shared_bytes : int
        What it holds at most.
    partitions : int
        Parts that its registers are split into; a warp's registers lie in one of them.
    shared_unit, reserved_shared : int
        Bytes: the unit in which a block gets shared memory, and what the driver takes of each block.
    sms : int or None
        SMs of the GPU.
    assumed : tuple of str
        Limits taken from the tables.
    """

    max_warps: int
    max_blocks: int
    registers: int
    shared_bytes: int
    partitions: int
    shared_unit: int
    reserved_shared: int
    sms: int | None
    assumed: tuple[str, ...]


def sm_limits(device: Mapping[str, Any] | None) -> SmLimits:
    """Return the limits of one SM of a device.

    Parameters
    ----------
    device : mapping or None
        An entry of ``deviceProperties``.

    Returns
    -------
    SmLimits
        From the trace, and from the tables where the trace is silent (``assumed`` names those).

    Raises
    ------
    UnknownLimit
        No properties, not an NVIDIA GPU, or a compute capability that the tables do not have.
    """
    if not device:
        raise UnknownLimit("the trace does not describe the device")
    if device.get("warpSize") not in (None, _WARP):
        raise UnknownLimit("the rules are known here for NVIDIA GPUs only (warps of 32 threads)")
    major, minor = device.get("computeMajor"), device.get("computeMinor")
    if (table := _BY_CAPABILITY.get((major, minor))) is None:  # type: ignore[arg-type]
        raise UnknownLimit(f"the limits of compute capability {major}.{minor} are not known here")
    blocks, threads, shared_kib = table
    assumed: list[str] = []

    def given(key: str, fallback: int) -> int:
        value = device.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        assumed.append(key)
        return fallback

    return SmLimits(
        max_warps=given("maxThreadsPerMultiprocessor", threads) // _WARP,
        max_blocks=blocks,
        registers=given("regsPerMultiprocessor", _REGISTERS),
        shared_bytes=given("sharedMemPerMultiprocessor", shared_kib * _KIB),
        partitions=2 if (major, minor) == (6, 0) else 4,
        shared_unit=128 if int(major or 0) >= 8 else 256,
        reserved_shared=_KIB if int(major or 0) >= 8 else 0,
        sms=device["numSms"] if isinstance(device.get("numSms"), int) else None,
        assumed=tuple(assumed),
    )
