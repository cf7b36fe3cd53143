"""Measures of a run as a whole: its pace and verdict, its launches and annotations, its table's totals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..trace import Trace, host
from ..trace import categories as c
from ..trace.launches import latencies, unqueued
from ..trace.pace import pace as pace_of
from ..trace.pace import steady as steady_steps
from ..trace.table import parse_table
from .model import measure
from .steps import Steps
from .subjects import Run


@measure()
def source(run: Run) -> str | None:
    """Return ``"live"`` or ``"recorded"``; untold for a bare trace."""
    return getattr(run.source, "source", None)


@measure("µs")
def pace(run: Run) -> float | None:
    """Return what a step costs in a run: the larger median of start-to-start and of GPU end-to-end times."""
    return pace_of(run.trace)


@measure()
def steady(run: Run) -> Steps:
    """Return the complete steps less the first of each unbroken run; a lone step stays."""
    return Steps(run.trace, tuple(steady_steps(run.trace)))


@measure()
def regime(run: Run) -> str | None:
    """Return the verdict's word."""
    word = str(run.trace.verdict["regime"])
    return None if word == "undetermined" else word


@measure("%")
def busy_share(run: Run) -> float | None:
    """Return the part of the verdict's window in which a GPU worked."""
    share: float | None = run.trace.verdict["gpu_busy_share"]
    return None if share is None else 100 * share


@measure("µs")
def gpu_sum(run: Run) -> float | None:
    """Return how long all GPUs worked, over the whole trace, the durations added up."""
    return sum(device["sum_us"] for device in run.trace.devices) if run.trace.devices else None


@measure("µs", over="launch")
def launch_latency(run: Run) -> list[float]:
    """Return the time from a launch call's start to that of its (first) GPU event."""
    return [float(value) / 1000 for value in latencies(run.trace)]


@measure("µs", over="launch")
def unqueued_latency(run: Run) -> list[float]:
    """Return the same of the launches that found the device idle."""
    return [float(value) / 1000 for value in latencies(run.trace)[unqueued(run.trace)]]


@measure("µs")
def flush_sync(run: Run) -> float | None:
    """Return the length of the profiler's own device sync after the last step."""
    return host.flush_sync(run.trace)


def _table(run: Run, total: str) -> float | None:
    text = getattr(run.source, "table", None)
    found: float | None = getattr(parse_table(text), total) if isinstance(text, str) else None
    return found


@measure("µs")
def self_cpu_total(run: Run) -> float | None:
    """Return ``Self CPU time total`` of torch's table; a bare trace has no table."""
    return _table(run, "self_cpu_total_us")


@measure("µs")
def self_device_total(run: Run) -> float | None:
    """Return ``Self CUDA time total`` of torch's table; a bare trace has no table."""
    return _table(run, "self_device_total_us")


@dataclass(frozen=True)
class Annotation:
    """Occurrences of an annotation."""

    trace: Trace
    name: str
    facts: dict[str, Any]
    first: int
    last: int


@measure()
def annotation(run: Run, name: str = "", first: int = 1, last: int = 0) -> Annotation | None:
    """Return an annotation's occurrences from `first` to `last`, counted from 1; to the end for 0.

    Without a name it is the workload's, or else the first that has an op in it.
    """
    wanted = name or getattr(run.workload, "annotation", "")
    for found in host.annotation_times(run.trace):
        if found["name"] == wanted or (not wanted and found["first_op"]):
            return Annotation(run.trace, found["name"], found, first, last)
    return None


@measure("µs")
def dead_window(annotation: Annotation) -> list[float]:
    """Return the time from an occurrence's start to that of the first op on its thread."""
    windows = annotation.facts["dead_windows_us"][annotation.first - 1 : annotation.last or None]
    return [window for window in windows if window is not None]


@measure()
def count(annotation: Annotation) -> int:
    """Return how often it occurs in the trace."""
    return int(annotation.facts["count"])


@measure("µs")
def gpu_span(annotation: Annotation) -> float | None:
    """Return its spans on the GPU's lane, added up: from the first kernel's start to the last one's end."""
    trace = annotation.trace
    rows = trace.of_kind(c.GPU_ANNOTATION)
    rows = rows[trace.named(lambda name: name == annotation.name, rows)]
    return float(trace.dur[rows].sum()) / 1000 if len(rows) else None
