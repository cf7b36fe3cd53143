"""The CPU's side: ops with self and total time, annotations with their dead window, waits for the GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import categories as c
from .gpu import sound_end
from .groups import groups
from .intervals import measure, union
from .launches import first_events
from .losses import launch_calls
from .memo import per_trace

if TYPE_CHECKING:
    from .model import Trace

DEEP = 64  # levels of nesting that are climbed one by one


def self_times(trace: Trace) -> np.ndarray:
    """Self time of each event of ``host_rows``: its duration less that of its children, ns, never negative.

    Runtime and driver calls count as children, as in torch's table.
    """
    rows = trace.host_rows
    own = trace.host_end - trace.ts[rows]
    parent = trace.host_parent
    inside = parent >= 0
    np.subtract.at(own, parent[inside], own[inside].copy())
    return np.maximum(own, 0, out=own)


def _same_name_above(trace: Trace, is_op: np.ndarray) -> np.ndarray:
    """Which of ``host_rows`` stand anywhere below an op of their own name (whose total holds their time)."""
    name, parent = trace.name_id[trace.host_rows], trace.host_parent
    found = np.zeros(len(name), bool)
    left = np.flatnonzero(parent >= 0).astype(np.int32)
    above = parent[left]
    for _ in range(DEEP):
        if not len(left):
            return found
        same = (name[above] == name[left]) & is_op[above]
        found[left[same]] = True
        above = parent[above]
        going = ~same & (above >= 0)
        left, above = left[going], above[going]
    # Deeper ones all at once: events of a thread nest, so an op that began before and is not over is around.
    key = name.astype(np.int64) * (len(trace.lanes) + 1) + trace.lane_id[trace.host_rows]
    start, reach = trace.ts[trace.host_rows], np.where(is_op, trace.host_end, trace.ts[trace.host_rows])
    around = np.zeros(len(name), bool)
    for part in groups(key):
        around[part[1:]] = np.maximum.accumulate(reach[part])[:-1] > start[part[1:]]
    found[left] = around[left]
    return found


def ops(trace: Trace) -> list[dict[str, Any]]:
    """The contract's ``ops``: CPU ops by name, most self time first; times in µs.

    Total time counts an op inside one of its own name once.
    """
    rows = trace.host_rows
    is_op = trace.kind[rows] == c.OP
    own = self_times(trace)[is_op]
    total = np.where(_same_name_above(trace, is_op), 0, trace.host_end - trace.ts[rows])[is_op]
    rows = rows[is_op]
    ids = trace.name_id[rows]
    n = len(trace.names)
    count, self_ns, total_ns = np.bincount(ids, minlength=n), np.zeros(n, np.int64), np.zeros(n, np.int64)
    np.add.at(self_ns, ids, own)
    np.add.at(total_ns, ids, total)
    found = [
        {
            "name": trace.names[i],
            "count": int(count[i]),
            "self_us": float(self_ns[i]) / 1000,
            "total_us": float(total_ns[i]) / 1000,
        }
        for i in np.flatnonzero(count)
    ]
    return sorted(found, key=lambda o: (-o["self_us"], o["name"]))


@per_trace
def dead_windows(trace: Trace) -> dict[int, tuple[int, int]]:
    """First op inside each annotation that has one, on its thread, and ns from its start to the op's."""
    rows, every = trace.annotation_rows, trace.op_rows
    found: dict[int, tuple[int, int]] = {}
    of_lane = {int(trace.lane_id[every[part[0]]]): every[part] for part in groups(trace.lane_id[every])}
    for part in groups(trace.lane_id[rows]):
        here = rows[part]
        inside = of_lane.get(int(trace.lane_id[here[0]]), every[:0])
        place = np.searchsorted(trace.ts[inside], trace.ts[here], side="left")
        known = np.flatnonzero(place < len(inside))
        first = inside[place[known]]
        wait = trace.ts[first] - trace.ts[here[known]]
        reached = wait < np.maximum(trace.dur[here[known]], 1)
        found |= {
            row: (op, ns)
            for row, op, ns in zip(
                here[known][reached].tolist(), first[reached].tolist(), wait[reached].tolist(), strict=True
            )
        }
    return found


def annotation_times(trace: Trace) -> list[dict[str, Any]]:
    """The contract's ``annotations``: those of people (not the steps) by name, in order of appearance.

    The dead window is that of the first occurrence, µs: from its start to that of the first op on its thread.
    """
    rows = trace.annotation_rows
    rows = rows[~np.isin(rows, trace.step_table.rows)]
    dead = dead_windows(trace)
    found: dict[int, dict[str, Any]] = {}
    for row in rows.tolist():
        key = int(trace.name_id[row])
        if key not in found:
            op, ns = dead.get(row, (None, None))
            found[key] = {
                "name": trace.names[key],
                "count": 0,
                "total_ns": 0,
                "dead_window_us": None if ns is None else ns / 1000,
                "first_op": None if op is None else trace.name(op),
                "dead_windows_us": [],
            }
        found[key]["count"] += 1
        found[key]["total_ns"] += int(trace.dur[row])
        found[key]["dead_windows_us"].append(dead[row][1] / 1000 if row in dead else None)
    return [
        {
            "name": a["name"],
            "count": a["count"],
            "total_us": a["total_ns"] / 1000,
            "dead_window_us": a["dead_window_us"],
            "first_op": a["first_op"],
            "dead_windows_us": a["dead_windows_us"],
        }
        for a in found.values()
    ]


def waits(trace: Trace) -> np.ndarray:
    """Rows of the calls that wait for the GPU: ``*Synchronize``, and copies that outlast their GPU event.

    Copies within a GPU, between GPUs and memsets never wait (`CUDA runtime, API synchronization behavior
    <https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html>`_): where the call of one returns
    late, the copy was short and the call, under a profiler, slow.
    """
    calls = trace.call_rows
    syncs = calls[trace.named(c.SYNCHRONIZE.search, calls)]
    owner, events = first_events(trace)
    copies = trace.named(c.moves_memory, owner) & (trace.kind[events] != c.MEMSET)
    copies &= ~trace.named(c.WITHIN_GPUS.search, events)
    owner, events = owner[copies], events[copies]
    blocking = owner[trace.end[owner] >= sound_end(trace)[events]]
    return np.union1d(syncs, blocking)


def sync_wait(trace: Trace) -> float | None:
    """Time that the steps' threads spend waiting for the GPU, µs; None without steps."""
    if not trace.steps:
        return None
    rows = waits(trace)
    rows = rows[trace.step_index[rows] >= 0]
    total = 0
    for part in groups(trace.lane_id[rows]):
        total += measure(union(trace.ts[rows[part]], trace.end[rows[part]]))
    return total / 1000


def flush_sync(trace: Trace) -> float | None:
    """Length of the profiler's own device sync after the last step, µs; None where there is none."""
    rows = trace.call_rows
    rows = rows[trace.named(lambda n: n.endswith(("DeviceSynchronize", "CtxSynchronize")), rows)]
    if trace.steps:
        rows = rows[trace.step_index[rows] < 0]
        rows = (
            rows[trace.ts[rows] >= trace.end[trace.step_table.rows[~trace.step_table.empty]].max()]
            if not trace.step_table.empty.all()
            else rows
        )
    # Work that comes after it, no profiler launches: such a sync is the code's own.
    later = launch_calls(trace)
    rows = rows[trace.ts[rows] >= (trace.ts[later].max() if len(later) else 0)]
    return float(trace.dur[rows[-1]]) / 1000 if len(rows) else None
