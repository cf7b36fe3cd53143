"""Learn to read what ``torch.profiler`` gives back, and have your own traces read with you.

The names below are loaded when they are first used: importing this package loads neither torch nor matplotlib
nor numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from profiling_series import handed
from profiling_series._version import __version__ as __version__

# The parts know those below them; what the profiler looks up in the recordings is put together here.
handed.recordings = lambda: import_module("profiling_series.recordings")

_HOMES = {
    "profiling_series.errors": (
        "CaptureError",
        "ProfilingSeriesError",
        "RecordingMissing",
        "TraceError",
        "UsageError",
    ),
    "profiling_series.workloads": ("WORKLOADS", "MatmulAdd", "SmallMatmuls"),
    "profiling_series.results": ("Capture", "Point", "Schedule"),
    "profiling_series.profiler": (
        "capture",
        "capture_runs",
        "ceilings",
        "has_gpu",
        "record",
        "record_callable",
        "sweep",
        "time_runs",
        "time_workload",
    ),
    "profiling_series.trace": ("Trace", "read"),
    "profiling_series.report.compare": ("compare",),
    "profiling_series.report.comparison": ("comparison",),
    "profiling_series.report.chain": ("dispatch_chain",),
    "profiling_series.report.distribution": ("distribution",),
    "profiling_series.report.footprints": ("footprints",),
    "profiling_series.report.kernel_names": ("kernel_names",),
    "profiling_series.report.launches": ("launches",),
    "profiling_series.report.ops": ("ops",),
    "profiling_series.report.over_processes": ("over_processes",),
    "profiling_series.report.roofline": ("roofline",),
    "profiling_series.report.view": ("show",),
    "profiling_series.report.side_by_side": ("side_by_side",),
    "profiling_series.report.step_times": ("step_times",),
    "profiling_series.report.summary": ("summary",),
    "profiling_series.report.table": ("table",),
    "profiling_series.report.timeline.view": ("timeline",),
    "profiling_series.claims": ("check",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [*sorted(_HOME_OF), "__version__"]

if TYPE_CHECKING:
    from profiling_series.claims import check as check
    from profiling_series.errors import CaptureError as CaptureError
    from profiling_series.errors import ProfilingSeriesError as ProfilingSeriesError
    from profiling_series.errors import RecordingMissing as RecordingMissing
    from profiling_series.errors import TraceError as TraceError
    from profiling_series.errors import UsageError as UsageError
    from profiling_series.profiler import capture as capture
    from profiling_series.profiler import capture_runs as capture_runs
    from profiling_series.profiler import ceilings as ceilings
    from profiling_series.profiler import has_gpu as has_gpu
    from profiling_series.profiler import record as record
    from profiling_series.profiler import record_callable as record_callable
    from profiling_series.profiler import sweep as sweep
    from profiling_series.profiler import time_runs as time_runs
    from profiling_series.profiler import time_workload as time_workload
    from profiling_series.report.chain import dispatch_chain as dispatch_chain
    from profiling_series.report.compare import compare as compare
    from profiling_series.report.comparison import comparison as comparison
    from profiling_series.report.distribution import distribution as distribution
    from profiling_series.report.footprints import footprints as footprints
    from profiling_series.report.kernel_names import kernel_names as kernel_names
    from profiling_series.report.launches import launches as launches
    from profiling_series.report.ops import ops as ops
    from profiling_series.report.over_processes import over_processes as over_processes
    from profiling_series.report.roofline import roofline as roofline
    from profiling_series.report.side_by_side import side_by_side as side_by_side
    from profiling_series.report.step_times import step_times as step_times
    from profiling_series.report.summary import summary as summary
    from profiling_series.report.table import table as table
    from profiling_series.report.timeline.view import timeline as timeline
    from profiling_series.report.view import show as show
    from profiling_series.results import Capture as Capture
    from profiling_series.results import Point as Point
    from profiling_series.results import Schedule as Schedule
    from profiling_series.trace import Trace as Trace
    from profiling_series.trace import read as read
    from profiling_series.workloads import WORKLOADS as WORKLOADS
    from profiling_series.workloads import MatmulAdd as MatmulAdd
    from profiling_series.workloads import SmallMatmuls as SmallMatmuls


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
