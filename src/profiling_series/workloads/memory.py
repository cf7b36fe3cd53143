"""Will it fit? Free memory of a device, and the refusal that comes before any allocation."""

from __future__ import annotations

import os
from pathlib import Path

from profiling_series.errors import UsageError
from profiling_series.workloads.base import Workload

_MEMINFO = Path("/proc/meminfo")
_CGROUP_V2 = Path("/sys/fs/cgroup")
_CGROUP_V1 = Path("/sys/fs/cgroup/memory")


def check_fits(workload: Workload, device: str) -> None:
    """Return None if the workload's data fits on `device`; raise `UsageError` with both figures if not.

    Where the free memory cannot be told (no ``/proc``, no ``sysconf``) nothing is refused.
    """
    needed, free = workload.required_bytes(), free_bytes(device)
    if free is not None and needed > free:
        raise UsageError(
            f"{workload.name}: these sizes need {human_bytes(needed)} ({needed} bytes) on {device}, where "
            f"{human_bytes(free)} ({free} bytes) are free; choose a smaller size"
        )


def free_bytes(device: str) -> int | None:
    """Return the bytes that can be allocated on `device`, ``"cpu"`` or ``"cuda"``; None if unknown."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    known = [value for value in (_meminfo_available(), _cgroup_left()) if value is not None]
    return min(known) if known else _physical_memory()


def human_bytes(count: int) -> str:
    """Return a byte count in decimal units with three digits, ``"1.50 GB"``."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB", "TB", "PB"):
        if value < 1000:
            return f"{count} B" if unit == "B" else f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} EB"


def _meminfo_available() -> int | None:
    try:
        lines = _MEMINFO.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _cgroup_left() -> int | None:
    # A container's limit is below what /proc/meminfo shows, which is the host's. File cache that the kernel
    # may drop counts as used there, so it is given back.
    for root, limit, used, cache in (
        (_CGROUP_V2, "memory.max", "memory.current", "inactive_file"),
        (_CGROUP_V1, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        try:
            limit_bytes = int((root / limit).read_text())
            used_bytes = int((root / used).read_text())
            stat = dict(line.split() for line in (root / "memory.stat").read_text().splitlines())
        except (OSError, ValueError):  # no such group, or the limit is the word "max"
            continue
        return max(0, limit_bytes - used_bytes + int(stat.get(cache, 0)))
    return None


def _physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
