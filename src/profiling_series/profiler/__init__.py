"""Running something under ``torch.profiler`` and keeping what comes of it, with its provenance."""

from __future__ import annotations

from profiling_series.profiler.best_rates import Ceilings, CeilingsRequest, ceilings
from profiling_series.profiler.captured import Capture
from profiling_series.profiler.capturing import capture, capture_runs
from profiling_series.profiler.recorder import Recorder, record, record_callable
from profiling_series.profiler.request import COMPILE_MODES, WARM_CALLS, Request
from profiling_series.profiler.schedule import Schedule
from profiling_series.profiler.sources import SOURCES, cuda_available, has_gpu, resolve
from profiling_series.profiler.sweeping import Sweep, SweepRequest, sweep
from profiling_series.profiler.timing import Timing, TimingRequest, time_runs, time_workload

__all__ = [
    "COMPILE_MODES",
    "SOURCES",
    "WARM_CALLS",
    "Capture",
    "Ceilings",
    "CeilingsRequest",
    "Recorder",
    "Request",
    "Schedule",
    "Sweep",
    "SweepRequest",
    "Timing",
    "TimingRequest",
    "capture",
    "capture_runs",
    "ceilings",
    "cuda_available",
    "has_gpu",
    "record",
    "record_callable",
    "resolve",
    "sweep",
    "time_runs",
    "time_workload",
]
