"""The verdict: which side a run waits for, over a stated window, with the thresholds beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..format import share
from . import categories as c
from .gpu import sound_end
from .losses import lost_launches
from .memo import per_trace
from .pace import steady
from .work import devices

if TYPE_CHECKING:
    from .model import Trace

GPU_BOUND_SHARE = 0.90
OVERHEAD_BOUND_SHARE = 0.50
QUEUED_IDLE_SHARE = 0.50  # idle of which this much is queued or unexplained is no overhead of the host
LOADER_IDLE_SHARE = 0.50
EXPOSED_COMM_SHARE = 0.50
THRESHOLDS = {
    "gpu_bound_share": GPU_BOUND_SHARE,
    "overhead_bound_share": OVERHEAD_BOUND_SHARE,
    "queued_idle_share": QUEUED_IDLE_SHARE,
    "loader_idle_share": LOADER_IDLE_SHARE,
    "exposed_comm_share": EXPOSED_COMM_SHARE,
}


@dataclass(frozen=True)
class Window:
    """What a verdict is over: nanoseconds since the trace's base, in words, and the steps in it."""

    low: int
    high: int
    over: str
    steps: tuple[int, ...]


@per_trace
def window(trace: Trace) -> Window | None:
    """Start of the first steady step → the later of the last one's end and of the GPU work launched in them.

    Without steps, the span of the GPU events; None without either.
    """
    rows = trace.gpu_rows
    chosen = steady(trace)
    if chosen:
        table = trace.step_table
        low = int(trace.ts[table.rows[chosen]].min())
        high = int(trace.end[table.rows[chosen]].max())
        launched = rows[np.isin(trace.step_index[rows], chosen)]
        if len(launched):
            high = max(high, int(sound_end(trace)[launched].max()))
        names = [trace.steps[i].name for i in chosen]
        over = names[0] if len(names) == 1 else f"{names[0]} to {names[-1].removeprefix('ProfilerStep')}"
        return Window(low, high, f"{over} ({len(names)} steady step{'s' * (len(names) != 1)})", tuple(chosen))
    if not len(rows):
        return None
    over = "the GPU span (no complete step)" if trace.steps else "the GPU span (no steps)"
    return Window(int(trace.ts[rows].min()), int(sound_end(trace)[rows].max()), over, ())


@per_trace
def verdict(trace: Trace) -> dict[str, Any]:
    """The contract's ``verdict``, with the definitions of `GPU_BOUND_SHARE` and its neighbours."""
    over = window(trace)
    found: dict[str, Any] = {
        "regime": "undetermined",
        "gpu_busy_share": None,
        "gpu_work_ratio": None,
        "gpu_limit": None,
        "over": over.over if over else "nothing",
        "window_us": (over.high - over.low) / 1000 if over else None,
        "steps_used": len(over.steps) if over else 0,
        "thresholds": dict(THRESHOLDS),
        "because": "",
    }
    reason = why_undetermined(trace)
    if over is not None and len(trace.gpu_rows):
        found["gpu_work_ratio"] = _work_ratio(trace, over)
        if over.high > over.low and reason is None:
            _decide(trace, over, found)
            return found
    found["because"] = reason or "the window holds no time"
    return found


def why_undetermined(trace: Trace) -> str | None:
    """Why no verdict can be given, or None."""
    if not len(trace):
        return "the trace holds no events: was the schedule ever active, and step() called once an iteration?"
    if not len(trace.gpu_rows):
        calls = trace.call_rows[trace.named(c.launches_kernel, trace.call_rows)]
        if len(calls):
            return (
                f"{len(calls)} kernel launches but no GPU event: the GPU side was not recorded "
                "(CUPTI held by another tool or not permitted, WSL, a container without the privilege)"
            )
        other = sum("mtia" in cat.lower() for cat in trace.cats)
        return (
            "the device events are of a kind (MTIA) that no verdict is defined for"
            if other
            else "CPU only: no GPU event and no kernel launch in the trace"
        )
    lost = lost_launches(trace)
    if len(lost):
        return (
            f"{len(lost)} kernel launch{'es' * (len(lost) != 1)} without a GPU event: kernels were lost, "
            "so the GPU's share is not known"
        )
    return None


def _work_ratio(trace: Trace, over: Window) -> float | None:
    """Median over the steps of a step's GPU sum ÷ its duration."""
    ratios = [
        s.gpu_sum_us / s.dur_us
        for i in over.steps
        if (s := trace.steps[i]).gpu_sum_us is not None and s.dur_us > 0
    ]
    return float(np.median(ratios)) if ratios else None


def _ns(devices: list[dict[str, Any]], key: str) -> int:
    """Sum over devices in whole nanoseconds, so that a share on a threshold is not rounded off it."""
    return sum(round(d[key] * 1000) for d in devices)


def _decide(trace: Trace, over: Window, found: dict[str, Any]) -> None:
    every = devices(trace, (over.low, over.high))
    # A device that did nothing in the window took no part in the run: it is listed, and not averaged in.
    parts = [d for d in every if d["window"]["busy_us"] > 0] or every
    inside = [d["window"] for d in parts]
    busy = _ns(inside, "busy_us") / ((over.high - over.low) * len(parts))
    host, idle, loading = _ns(parts, "host_idle_us"), _ns(inside, "idle_us"), _ns(inside, "loader_idle_us")
    other = _ns(parts, "queued_idle_us") + _ns(inside, "unexplained_idle_us")
    exposed, worked = _ns(parts, "exposed_comm_us"), _ns(parts, "busy_us")
    found["gpu_busy_share"] = busy
    told = f"{share(busy)} of the time" + (f" (mean of {len(parts)} devices)" if len(parts) > 1 else "")
    says = f"the GPU was busy {told} over {over.over}"
    if worked and exposed >= EXPOSED_COMM_SHARE * worked:
        found["regime"] = "comm-bound"
        alone = f"{share(exposed / worked)} of the GPU's busy time"
        says = f"{alone} is communication that nothing overlaps; {says}"
    elif busy >= GPU_BOUND_SHARE:
        found["regime"] = "gpu-bound"
        says += f" (at least {share(GPU_BOUND_SHARE)})"
    elif host and loading >= LOADER_IDLE_SHARE * host:
        found["regime"] = "input-bound"
        waited = f"{share(min(loading / host, 1))} of the time in which it waited for the host"
        says += f"; {waited}, a data loader was awaited"
    elif busy < OVERHEAD_BOUND_SHARE and other < QUEUED_IDLE_SHARE * idle:
        found["regime"] = "overhead-bound"
        says += f" (less than {share(OVERHEAD_BOUND_SHARE)}) and otherwise waited"
        says += ", mostly for the CPU to launch work"
    else:
        found["regime"] = "mixed"
        if busy < OVERHEAD_BOUND_SHARE:
            says += f", but {share(other / idle)} of its idle time"
            says += " was spent with work queued or cannot be explained"
        else:
            says += f" (between {share(OVERHEAD_BOUND_SHARE)} and {share(GPU_BOUND_SHARE)})"
    found["because"] = says
