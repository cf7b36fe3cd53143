"""Where the CPU waits for the GPU inside the window's steps, and what made it wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.findings import facts, idle
from profiling_series.measures.climb import outermost
from profiling_series.trace import categories as c
from profiling_series.trace import host
from profiling_series.trace.memo import per_trace

if TYPE_CHECKING:
    from profiling_series.trace import Trace

HIDDEN, EXPLICIT, PAGEABLE, BLOCKING = "hidden", "explicit", "pageable", "blocking"

# Ops whose purpose is to move data: a wait under one of them is a copy that blocks.
COPY_OPS = frozenset(
    f"aten::{name}"
    for name in (
        "to", "_to_copy", "copy_", "_copy_from", "cpu", "cuda", "clone", "contiguous", "pin_memory",
        "_pin_memory", "tensor", "scalar_tensor",
    )
)  # fmt: skip
# Ops that do nothing but read a value: without the read, all of their CPU time goes away.
READ_OPS = frozenset({"aten::item", "aten::_local_scalar_dense", "aten::is_nonzero"})


@dataclass(frozen=True)
class Wait:
    """One wait; times in ns.

    Attributes
    ----------
    owner, call : int
        Row of the outermost op that waits (of the call itself where no op is around it), and of its longest
        waiting call.
    start, end : int
        From the start of the owner to the end of its last waiting call.
    waited : int
        Time in the waiting calls.
    cost : int
        CPU time that goes away without the wait: the whole op where it only reads, else the waiting calls.
    kind : str
        `HIDDEN`, `EXPLICIT`, `PAGEABLE` or `BLOCKING`.
    """

    owner: int
    call: int
    start: int
    end: int
    waited: int
    cost: int
    kind: str


@per_trace
def waits(trace: Trace) -> tuple[Wait, ...]:
    """Return the waits of the window by their end, one an outermost op (or a call without one)."""
    rows = _calls(trace)
    if not len(rows):
        return ()
    owner = outermost(trace, rows, facts.aten(trace))
    owner = np.where(owner >= 0, owner, rows)
    order = np.lexsort((trace.ts[rows], owner))
    rows, owner = rows[order], owner[order]
    groups = np.split(rows, np.flatnonzero(np.diff(owner)) + 1)
    uploads = facts.pageable_calls(trace)
    found = [
        _wait(trace, int(owner[start]), group, uploads)
        for start, group in zip(_starts(groups), groups, strict=True)
    ]
    return tuple(sorted(found, key=lambda wait: wait.end))


def _starts(groups: list[np.ndarray]) -> list[int]:
    """Return the index of the first element of each group in their concatenation."""
    return np.cumsum([0, *map(len, groups[:-1])]).tolist()


def _calls(trace: Trace) -> np.ndarray:
    """Return the waiting calls of the window, without those of the profiler's own.

    When a recording begins, the profiler waits for the device at the start of the first recorded step, before
    any op (seen on an H100 and on an MI300 alike); when it ends, outside every step or annotation.
    """
    rows = host.waits(trace)
    rows = facts.in_window(trace, rows) if trace.steps else rows[trace.parent[rows] >= 0]
    return rows[~_never_waits(trace, rows) & ~_begins_recording(trace, rows)]


def _never_waits(trace: Trace, rows: np.ndarray) -> np.ndarray:
    """Return which calls only look as if they had waited: asynchronous copies that touch no pageable memory.

    Under the profiler such a call may return after its small copy has ended, without having waited for it.
    """
    copies = trace.named(lambda name: c.moves_memory(name) and "Async" in name, rows)
    gpu = trace.gpu_rows[trace.named(lambda name: "Pageable" in name, trace.gpu_rows)]
    return copies & ~np.isin(rows, trace.launch_of[gpu])


def _begins_recording(trace: Trace, rows: np.ndarray) -> np.ndarray:
    """Return which calls are device-wide waits directly under a step, with no op of the step before them."""
    step_rows = np.array([step.row for step in trace.steps] or [-1])[trace.step_index[rows]]
    direct = (trace.step_index[rows] >= 0) & (trace.parent[rows] == step_rows)
    ops = trace.ts[trace.op_rows]
    before = np.searchsorted(ops, trace.ts[rows]) - np.searchsorted(ops, trace.ts[step_rows])
    return direct & trace.named(_device_wide, rows) & (before <= 0)


def _device_wide(name: str) -> bool:
    return name.endswith(("DeviceSynchronize", "CtxSynchronize"))


def _wait(trace: Trace, owner: int, calls: np.ndarray, uploads: np.ndarray) -> Wait:
    name = trace.name(owner)
    kind = HIDDEN
    if trace.kind[owner] == c.CALL:
        kind = BLOCKING if c.moves_memory(name) else EXPLICIT
    elif name in COPY_OPS:
        mine = _inside(trace, uploads, owner)
        kind = PAGEABLE if len(mine) else BLOCKING
        # The driver stages pageable memory during the call that copies: the CPU is held up there as well.
        calls = np.union1d(calls, mine)
    waited = int(trace.dur[calls].sum())
    return Wait(
        owner=owner,
        call=int(calls[np.argmax(trace.dur[calls])]),
        start=int(trace.ts[owner]),
        end=int(trace.end[calls].max()),
        waited=waited,
        cost=int(trace.dur[owner]) if name in READ_OPS else waited,
        kind=kind,
    )


def _inside(trace: Trace, calls: np.ndarray, owner: int) -> np.ndarray:
    """Return those calls that run between the start and the end of an op on its thread."""
    same = trace.lane_id[calls] == trace.lane_id[owner]
    return calls[same & (trace.ts[calls] >= trace.ts[owner]) & (trace.ts[calls] < trace.end[owner])]


def stake_us(trace: Trace, kind: str) -> float:
    """Return the GPU idle time that goes away without the waits of one kind, mean of the devices, µs.

    Without a wait, the CPU is earlier by what the wait costs of its time, and the GPU waits less for it: by
    that much at most, and only for what is launched after this wait and before the end of the next (of any
    kind). So each wait counts min(its cost, the host idle time that ends with such launches).
    """
    found = waits(trace)
    if not any(wait.kind == kind for wait in found):
        return 0.0
    ends = np.array([wait.end for wait in found])
    costs = np.array([wait.cost if wait.kind == kind else 0 for wait in found])

    def saved(gaps: idle.Gaps) -> int:
        call = np.where(gaps.ender >= 0, trace.launch_of[gaps.ender], -1)
        after = np.searchsorted(ends, trace.ts[call], side="right") - 1
        mine = (call >= 0) & (after >= 0)
        waited = np.bincount(after[mine], weights=gaps.host_ns()[mine], minlength=len(found))
        return int(np.minimum(waited, costs).sum())

    return idle.mean_us(trace, saved)
