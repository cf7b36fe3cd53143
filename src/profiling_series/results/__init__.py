"""What a run leaves, and what it was asked for: typed data, kept in files; nothing here measures anything."""

from __future__ import annotations

from profiling_series.results.capture import Capture
from profiling_series.results.figures import AnyFigures, Ceilings, Timing
from profiling_series.results.points import Point, SweepRequest
from profiling_series.results.provenance import Machine, Provenance
from profiling_series.results.request import AnyRequest, CeilingsRequest, Request, TimingRequest
from profiling_series.results.schedule import Schedule
from profiling_series.results.sweep import Sweep, Swept

__all__ = [
    "AnyFigures",
    "AnyRequest",
    "Capture",
    "Ceilings",
    "CeilingsRequest",
    "Machine",
    "Point",
    "Provenance",
    "Request",
    "Schedule",
    "Sweep",
    "SweepRequest",
    "Swept",
    "Timing",
    "TimingRequest",
]
