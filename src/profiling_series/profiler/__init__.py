"""Running something under ``torch.profiler`` and keeping what comes of it, with its provenance."""

from __future__ import annotations

from profiling_series.profiler.captured import Capture
from profiling_series.profiler.capturing import capture
from profiling_series.profiler.recorder import Recorder, record, record_callable
from profiling_series.profiler.request import COMPILE_MODES, WARM_CALLS, Request
from profiling_series.profiler.schedule import Schedule
from profiling_series.profiler.sources import SOURCES, cuda_available, has_gpu, resolve

__all__ = [
    "COMPILE_MODES",
    "SOURCES",
    "WARM_CALLS",
    "Capture",
    "Recorder",
    "Request",
    "Schedule",
    "capture",
    "cuda_available",
    "has_gpu",
    "record",
    "record_callable",
    "resolve",
]
