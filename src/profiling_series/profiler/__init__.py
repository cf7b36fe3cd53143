"""Running something under ``torch.profiler`` and keeping what comes of it, with its provenance."""

from __future__ import annotations

from profiling_series.profiler.best_rates import ceilings
from profiling_series.profiler.capturing import capture, capture_runs
from profiling_series.profiler.recorder import Recorder, record, record_callable
from profiling_series.profiler.sources import SOURCES, cuda_available, has_gpu, resolve
from profiling_series.profiler.sweeping import sweep
from profiling_series.profiler.timing import time_runs, time_workload

__all__ = [
    "SOURCES",
    "Recorder",
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
