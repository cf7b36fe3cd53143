"""The GPU's side by name: kernels, copies, and the devices they ran on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from . import categories as c
from .gpu import busy, clipped_busy, device_rows, idle_parts, impossible, overheads, sound_end, stream_numbers
from .intervals import Intervals, clip, gaps, intersect, measure, subtract, union
from .kernel_names import family
from .launches import latencies, unqueued
from .memo import per_trace

if TYPE_CHECKING:
    from .model import Trace

_COPY_KIND = re.compile(r"\b([HDPA]to[HDPA])\b", re.I)


def kernels(trace: Trace) -> list[dict[str, Any]]:
    """The contract's ``kernels``: by name, most time first; µs. Impossible durations are not ranked."""
    rows = trace.of_kind(c.KERNEL)
    rows = rows[~np.isin(rows, impossible(trace))]
    order = np.argsort(trace.name_id[rows], kind="stable")
    rows = rows[order]
    edges = np.flatnonzero(np.diff(trace.name_id[rows])) + 1
    found = []
    for part in np.split(rows, edges):
        if not len(part):
            continue
        dur = trace.dur[part]
        name = trace.name(part[0])
        found.append(
            {
                "name": name,
                "family": family(name),
                "count": len(part),
                "total_us": float(dur.sum()) / 1000,
                "mean_us": float(dur.mean()) / 1000,
                "median_us": float(np.median(dur)) / 1000,
                "min_us": float(dur.min()) / 1000,
                "max_us": float(dur.max()) / 1000,
            }
        )
    return sorted(found, key=lambda k: (-k["total_us"], k["name"]))


def copy_kind(name: str, kind: int) -> tuple[str, bool | None]:
    """("HtoD" …, whether a side of it is pageable host memory; None where the name does not say)."""
    if kind == c.MEMSET:
        return "Memset", None
    found = _COPY_KIND.search(name)
    if "Pageable" in name:
        pageable: bool | None = True
    else:
        pageable = False if "Pinned" in name else None
    return (found[1] if found else "Memcpy"), pageable


def copies(trace: Trace) -> list[dict[str, Any]]:
    """The contract's ``copies``: copies and memsets by kind, most time first; bytes None where unknown."""
    rows = trace.of_kind(c.MEMCPY, c.MEMSET)
    rows = rows[~np.isin(rows, impossible(trace))]
    size = dict(zip(trace.copy_rows.tolist(), trace.copy_bytes.tolist(), strict=True))
    kinds = {
        (n, k): copy_kind(trace.names[n], k)
        for n, k in set(zip(trace.name_id[rows].tolist(), trace.kind[rows].tolist(), strict=True))
    }
    found: dict[tuple[str, bool | None], dict[str, Any]] = {}
    for row, n, k in zip(rows.tolist(), trace.name_id[rows].tolist(), trace.kind[rows].tolist(), strict=True):
        key = kinds[n, k]
        entry = found.setdefault(
            key, {"kind": key[0], "pageable": key[1], "bytes": 0, "count": 0, "total_us": 0}
        )
        entry["count"] += 1
        entry["total_us"] += int(trace.dur[row])
        entry["bytes"] = None if entry["bytes"] is None or row not in size else entry["bytes"] + size[row]
    for entry in found.values():
        entry["total_us"] /= 1000  # summed in whole nanoseconds
    return sorted(found.values(), key=lambda e: (-e["total_us"], e["kind"]))


def device_name(trace: Trace, index: int) -> str | None:
    """Name of a device as the trace's properties give it for that index; None where they do not."""
    properties = trace.metadata.get("deviceProperties")
    named = (
        [p.get("name") for p in properties if isinstance(p, dict) and p.get("id") == index]
        if isinstance(properties, list)
        else []
    )
    return named[0] if len(named) == 1 and isinstance(named[0], str) and named[0] else None


def communication(trace: Trace, rows: np.ndarray) -> tuple[int, int]:
    """(Time in communication kernels, the part of it during which nothing else ran), nanoseconds."""
    is_comm = trace.named(c.COMMUNICATION.search, rows)
    comm, rest = busy(trace, rows[is_comm]), busy(trace, rows[~is_comm])
    return measure(comm), measure(subtract(comm, rest))


def devices(trace: Trace, window: tuple[int, int] | None) -> list[dict[str, Any]]:
    """The contract's ``devices``: each device that has events; times in µs.

    Parameters
    ----------
    trace : Trace
        A trace.
    window : (int, int) or None
        The verdict's window, over which idle time is told apart; None where there is none.
    """
    fast = unqueued(trace)
    unqueued_ns = float(np.median(latencies(trace)[fast])) if fast.any() else None
    steps = trace.step_table.rows
    wide = (int(trace.ts[steps].min()), int(trace.end[steps].max())) if len(steps) else None
    return [
        _ran(trace, index, rows, wide) | _waited(trace, rows, window, unqueued_ns)
        for index, rows in device_rows(trace).items()
    ]


def _ran(trace: Trace, index: int, rows: np.ndarray, steps: tuple[int, int] | None) -> dict[str, Any]:
    """What a device did over the whole file; ``steps`` from the first one's start to the last one's end."""
    start, end = trace.ts[rows], sound_end(trace)[rows]
    low, high = int(start.min()), int(end.max())
    ran = busy(trace, rows)
    wide = (min(low, steps[0]), max(high, steps[1])) if steps else (low, high)
    under = intersect(gaps(ran, *wide), clip(overheads(trace), *wide))
    comm, exposed = communication(trace, rows)
    kind = trace.kind[rows]
    return {
        "index": index,
        "name": device_name(trace, index),
        "gpu_events": len(rows),
        "kernels": int((kind == c.KERNEL).sum()),
        "memcpy": int((kind == c.MEMCPY).sum()),
        "memset": int((kind == c.MEMSET).sum()),
        "streams": len(np.unique(stream_numbers(trace, rows))),
        "sum_us": float((end - start).sum()) / 1000,
        "busy_us": measure(ran) / 1000,
        "span_us": (high - low) / 1000,
        "idle_us": (high - low - measure(ran)) / 1000,
        "idle_under_overhead_us": measure(under) / 1000,
        "host_idle_us": None,
        "queued_idle_us": None,
        "comm_us": comm / 1000,
        "exposed_comm_us": exposed / 1000,
        "window": None,
    }


def _waited(
    trace: Trace, rows: np.ndarray, window: tuple[int, int] | None, unqueued_ns: float | None
) -> dict[str, Any]:
    """What a device waited for inside the verdict's window."""
    if window is None:
        return {}
    parts = idle_parts(trace, rows, window, unqueued_ns)
    return {
        "host_idle_us": parts.host / 1000,
        "queued_idle_us": parts.queued / 1000,
        "window": {
            "busy_us": clipped_busy(trace, rows, window) / 1000,
            "idle_us": parts.idle / 1000,
            "idle_under_overhead_us": parts.overhead / 1000,
            "unexplained_idle_us": parts.unexplained / 1000,
            "loader_idle_us": measure(intersect(parts.host_at, loading(trace))) / 1000,
        },
    }


def outside_steps(trace: Trace) -> dict[str, Any]:
    """The contract's ``outside_steps``: GPU events that no step launched, number and sum in µs."""
    rows = trace.gpu_rows
    rows = rows[trace.step_index[rows] < 0]
    return {
        "gpu_events": len(rows),
        "gpu_sum_us": float((sound_end(trace)[rows] - trace.ts[rows]).sum()) / 1000,
    }


@per_trace
def loading(trace: Trace) -> Intervals:
    """Union of the times in which a data loader was awaited."""
    host = trace.host_rows
    rows = host[trace.named(c.DATA_LOADER.search, host) & (trace.kind[host] != c.CALL)]
    return union(trace.ts[rows], trace.end[rows])
