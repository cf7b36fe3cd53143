"""What some steps of a trace took: of a recording that holds more than one workload, one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .gpu import clipped_busy, device_rows, sound_end
from .pace import pace
from .verdict import GPU_BOUND_SHARE, OVERHEAD_BOUND_SHARE

if TYPE_CHECKING:
    from .model import Trace


@dataclass(frozen=True)
class Stretch:
    """Steps that follow each other; times in µs, None where the trace cannot tell.

    Attributes
    ----------
    steps : int
        How many.
    cpu_us : float
        Median duration of a step, the CPU's side only.
    step_us : float
        What a step costs in a run: the larger median of start-to-start and of GPU end-to-end times.
    gpu_events : float or None
        Median number of GPU events that a step launches.
    gpu_sum_us : float or None
        Median time that the GPU works for a step.
    gpu_busy_share : float or None
        Part of the time in which a GPU worked, from the first step's start to the end of all that the steps
        launched.
    """

    steps: int
    cpu_us: float
    step_us: float
    gpu_events: float | None
    gpu_sum_us: float | None
    gpu_busy_share: float | None

    @property
    def regime(self) -> str:
        """Return the verdict's word by the busy share alone; ``"undetermined"`` without one."""
        if self.gpu_busy_share is None:
            return "undetermined"
        if self.gpu_busy_share >= GPU_BOUND_SHARE:
            return "gpu-bound"
        return "overhead-bound" if self.gpu_busy_share < OVERHEAD_BOUND_SHARE else "mixed"


def after_annotation(trace: Trace, name: str, count: int) -> list[int]:
    """Return the indices of up to `count` steps that follow the one that holds an annotation.

    Parameters
    ----------
    trace : Trace
        A trace.
    name : str
        Of the annotation; its first occurrence counts.
    count : int
        How many steps to take.
    """
    rows = trace.annotation_rows
    found = rows[trace.named(lambda other: other == name, rows)]
    inside = trace.step_index[found]
    if not len(inside) or inside[0] < 0:
        return []
    first = int(inside[0]) + 1
    return [at for at in range(first, min(first + count, len(trace.steps))) if trace.steps[at].complete]


def measure_steps(trace: Trace, chosen: list[int]) -> Stretch:
    """Return what the chosen steps took.

    Parameters
    ----------
    trace : Trace
        A trace.
    chosen : list of int
        Indices of steps that follow each other, at least one.
    """
    steps = [trace.steps[at] for at in chosen]
    cpu_us = float(np.median([step.dur_us for step in steps]))
    events = [step.gpu_events for step in steps if step.gpu_events is not None]
    sums = [step.gpu_sum_us for step in steps if step.gpu_sum_us is not None]
    return Stretch(
        steps=len(steps),
        cpu_us=cpu_us,
        step_us=pace(trace, chosen) or cpu_us,
        gpu_events=float(np.median(events)) if len(events) == len(steps) else None,
        gpu_sum_us=float(np.median(sums)) if len(sums) == len(steps) else None,
        gpu_busy_share=_busy_share(trace, chosen),
    )


def _busy_share(trace: Trace, chosen: list[int]) -> float | None:
    """Return the part of the stretch in which a GPU worked; None without GPU events launched in it."""
    launched = trace.gpu_rows[np.isin(trace.step_index[trace.gpu_rows], chosen)]
    if not len(launched):
        return None
    rows = trace.step_table.rows[chosen]
    low = int(trace.ts[rows].min())
    high = max(int(trace.end[rows].max()), int(sound_end(trace)[launched].max()))
    parts = device_rows(trace)
    busy = sum(clipped_busy(trace, events, (low, high)) for events in parts.values())
    return busy / (high - low) / len(parts) if high > low else None
