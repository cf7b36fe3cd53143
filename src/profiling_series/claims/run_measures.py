"""Measures of a run: its steps, launches, totals, and what the profiler itself costs."""

from __future__ import annotations

from statistics import median
from typing import Any

import numpy as np

from ..errors import UsageError
from ..report.source import table_text_of, trace_of
from ..trace import categories as c
from ..trace.pace import steady
from .registry import UNTOLD, Measured, measure, median_of, of_steps

BUFFER_REQUEST = "Activity Buffer Request"


@measure
def _launches_per_step(x: Any) -> Measured:
    """Return how many calls of a step put work on the GPU."""
    trace = trace_of(x)
    launch = trace.launch_of[trace.gpu_rows]
    calls = np.unique(launch[launch >= 0])
    if not len(calls):
        return UNTOLD
    return of_steps(trace, lambda at: int((trace.step_index[calls] == at).sum()))


@measure
def _gpu_events_per_step(x: Any) -> Measured:
    """Return how many kernels, copies and memsets a step launches."""
    trace = trace_of(x)
    return of_steps(trace, lambda at: trace.steps[at].gpu_events)


@measure
def _gpu_sum_per_step_us(x: Any) -> Measured:
    """Return how long the GPU works for a step, µs, the durations summed."""
    trace = trace_of(x)
    return of_steps(trace, lambda at: trace.steps[at].gpu_sum_us)


@measure
def _copy_us_per_step(x: Any) -> Measured:
    """Return how long the copies of a step take, µs; memsets apart."""
    trace = trace_of(x)
    rows = trace.of_kind(c.MEMCPY)
    if not len(trace.gpu_rows):
        return UNTOLD
    return of_steps(trace, lambda at: float(trace.dur[rows[trace.step_index[rows] == at]].sum()) / 1000)


@measure
def _step_cpu_us(x: Any) -> Measured:
    """Return the CPU's time of a steady step, µs."""
    trace = trace_of(x)
    return median_of([trace.steps[at].dur_us for at in steady(trace)])


@measure
def _first_to_third_factor(x: Any) -> Measured:
    """Return the first complete step's CPU time over the third one's, or over the second's of two."""
    times = [step.dur_us for step in trace_of(x).steps if step.complete][:3]
    return Measured(times[0] / times[-1]) if len(times) > 1 else UNTOLD


@measure
def _launch_latency_us(x: Any) -> Measured:
    """Return the median time from a launch call's start to that of its work, µs."""
    return Measured((trace_of(x).launches["latency_us"] or {}).get("median"))


@measure
def _launch_latency_max_us(x: Any) -> Measured:
    """Return the longest time from a launch call's start to that of its work, µs."""
    return Measured((trace_of(x).launches["latency_us"] or {}).get("max"))


@measure
def _first_step_factor(x: Any) -> Measured:
    """Return the first complete step's CPU time over the median of the later ones'."""
    times = [step.dur_us for step in trace_of(x).steps if step.complete]
    return Measured(times[0] / median(times[1:])) if len(times) > 1 else UNTOLD


@measure
def _regime(x: Any) -> Measured:
    """Return the verdict's word."""
    word = trace_of(x).verdict["regime"]
    return UNTOLD if word == "undetermined" else Measured(word)


def _table_total(x: Any, which: str) -> Measured:
    """Return one of the totals that close torch's table, µs."""
    from ..trace.table import parse_table

    try:
        text = table_text_of(x)
    except UsageError:
        # A bare trace: the table is not in it.
        return UNTOLD
    return Measured(getattr(parse_table(text), which))


@measure
def _self_cpu_total_us(x: Any) -> Measured:
    """Return ``Self CPU time total`` of torch's table, µs."""
    return _table_total(x, "self_cpu_total_us")


@measure
def _self_device_total_us(x: Any) -> Measured:
    """Return ``Self CUDA time total`` of torch's table, µs."""
    return _table_total(x, "self_device_total_us")


def _dead_windows(x: Any) -> list[float]:
    """Return the dead windows of the workload's annotation, in order."""
    wanted = getattr(getattr(x, "workload", None), "annotation", None)
    for found in trace_of(x).annotations:
        if found["first_op"] and wanted in (None, found["name"]):
            return [window for window in found["dead_windows_us"] if window is not None]
    return []


@measure
def _dead_window_first_us(x: Any) -> Measured:
    """Return the time from the first annotation's start to its first op, µs."""
    windows = _dead_windows(x)
    return Measured(windows[0]) if windows else UNTOLD


@measure
def _dead_window_later_us(x: Any) -> Measured:
    """Return the same of the later steps, µs."""
    return median_of(_dead_windows(x)[1:])


@measure
def _lane_offset_us(x: Any) -> Measured:
    """Return the time from the first step's start to the first GPU event launched in a step, µs."""
    trace = trace_of(x)
    rows = trace.gpu_rows[trace.step_index[trace.gpu_rows] >= 0]
    if not len(rows):
        return UNTOLD
    return Measured(float(trace.ts[rows].min() - trace.ts[trace.steps[0].row]) / 1000)


@measure
def _flush_sync_us(x: Any) -> Measured:
    """Return the length of the profiler's own last device sync, µs."""
    return Measured(trace_of(x).as_dict()["flush_sync_us"])


def _request_times_us(x: Any) -> list[float]:
    """Return the durations of the profiler's buffer requests, µs."""
    trace = trace_of(x)
    rows = trace.overhead_rows[trace.named(lambda name: name == BUFFER_REQUEST)[trace.overhead_rows]]
    return [float(value) / 1000 for value in trace.dur[rows]]


@measure
def _buffer_requests(x: Any) -> Measured:
    """Return how often the profiler asked for a buffer."""
    return Measured(float(len(_request_times_us(x)))) if len(trace_of(x).gpu_rows) else UNTOLD


@measure
def _buffer_request_us(x: Any) -> Measured:
    """Return the longest buffer request, µs."""
    requests = _request_times_us(x)
    return Measured(max(requests)) if requests else UNTOLD


@measure
def _occupancy_queries_per_step(x: Any) -> Measured:
    """Return how many occupancy queries a step makes."""
    trace = trace_of(x)
    if not len(trace.gpu_rows):
        return UNTOLD
    rows = trace.call_rows[trace.named(lambda name: "Occupancy" in name)[trace.call_rows]]
    return of_steps(trace, lambda at: int((trace.step_index[rows] == at).sum()))
