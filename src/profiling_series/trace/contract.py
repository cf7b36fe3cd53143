"""The reading as one dict: what ``profiling-series read --json`` prints (schema 1)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from ..format import visible
from . import categories as c
from . import host, work
from .gpu import impossible
from .launches import launches
from .load.single import as_int
from .pace import pace, settled
from .verdict import verdict, window

if TYPE_CHECKING:
    from .model import Trace

SCHEMA = 1


def as_dict(trace: Trace) -> dict[str, Any]:
    """Every measure of a trace under the contract's keys; times in µs. ``findings`` is filled later."""
    for shared in ("kind", "host_rows", "end"):
        getattr(trace, shared)  # both threads below need it: worked out once, before them
    with ThreadPoolExecutor(1) as pool:
        # The nesting of the host's events needs nothing that the GPU's side works out: side by side.
        ops = pool.submit(host.ops, trace)
        found = _measures(trace)
        found["ops"] = ops.result()
    return found


def _measures(trace: Trace) -> dict[str, Any]:
    over = window(trace)
    return {
        "schema": SCHEMA,
        "file": trace.file,
        "events": len(trace),
        "skipped_events": trace.skipped_events,
        "warnings": [*trace.warnings, *notes(trace)],
        "distributed": distributed(trace),
        "devices": work.devices(trace, (over.low, over.high) if over else None),
        "steps": [
            {
                "name": s.name,
                "pid": s.pid,
                "tid": s.tid,
                "ts_us": s.ts_us,
                "dur_us": s.dur_us,
                "period_us": s.period_us,
                "complete": s.complete,
                "gpu_events": s.gpu_events,
                "gpu_sum_us": s.gpu_sum_us,
                "gpu_busy_us": s.gpu_busy_us,
                "overhead_us": s.overhead_us,
            }
            for s in trace.steps
        ],
        "pace_us": pace(trace),
        "settled": settled(trace),
        "outside_steps": work.outside_steps(trace),
        "cpu_ops": len(trace.op_rows),
        "ops": [],
        "annotations": host.annotation_times(trace),
        "sync_wait_us": host.sync_wait(trace),
        "flush_sync_us": host.flush_sync(trace),
        "launches": launches(trace),
        "kernels": work.kernels(trace),
        "copies": work.copies(trace),
        "verdict": verdict(trace),
        "findings": [],
    }


def distributed(trace: Trace) -> dict[str, int | None] | None:
    """Rank, where the file says it, and world size (older torch did not: None)."""
    info = trace.metadata.get("distributedInfo")
    if not isinstance(info, dict):
        return None
    rank, world = (_whole(info.get(key)) for key in ("rank", "world_size"))
    return None if rank is None else {"rank": rank, "world_size": world}


def _whole(value: Any) -> int | None:
    """Number that is whole, or a text of one; None for all else."""
    if isinstance(value, bool) or as_int(value, -1) < 0 or as_int(value, -1) != float(value):
        return None
    return as_int(value, -1)


def notes(trace: Trace) -> list[str]:
    """What a reader of the numbers must know about this trace, one sentence each."""
    found = []
    if not len(trace.op_rows) and not len(trace.gpu_rows):
        found.append(
            "no operator was recorded: was the schedule active, and step() called once an iteration?"
        )
    empty = [s.name for s in trace.steps if s.empty]
    if empty:
        found.append(f"{', '.join(empty)} is empty (the last step() opened it) and is left out of means")
    if trace.step_table.borrowed:
        found.append(
            "launches of a process without steps of its own were given to the steps of the other process"
        )
    broken = impossible(trace)
    if len(broken):
        first = f"{visible(trace.name(broken[0]))}, {trace.dur[broken[0]] / 1000:,.3f} µs"
        found.append(
            f"{len(broken)} GPU event(s) of impossible duration (the first: {first}): "
            "clipped to the next start on their stream, not ranked"
        )
    other = {cat for cat in trace.cats if cat.lower().startswith("mtia")}
    if other:
        found.append(f"device events of other kinds are not measured: {visible(', '.join(sorted(other)))}")
    threads = _threads_without_ops(trace)
    if threads:
        found.append(
            f"{threads} thread(s) launch work without any recorded op: the profiler sees ops only on the "
            "threads it was started on, and on autograd's"
        )
    return found


def _threads_without_ops(trace: Trace) -> int:
    if not len(trace.op_rows):
        return 0
    launched = trace.launch_of[trace.gpu_rows]
    host = trace.host_rows[trace.kind[trace.host_rows] != c.CALL]
    return len(np.setdiff1d(trace.lane_id[launched[launched >= 0]], trace.lane_id[host]))
