"""What to capture of a planted fault: the faulty twin and the healthy one."""

from __future__ import annotations

from profiling_series.results.request import Request
from profiling_series.results.schedule import Schedule
from profiling_series.workloads.faults import Fault

SCHEDULE = Schedule(wait=1, warmup=2, active=8)
"""Enough steps after the first for a median that one odd step does not move."""


def twins(fault: Fault) -> tuple[Request, Request]:
    """Return the requests of the faulty and of the healthy twin."""
    faulty, healthy = (
        Request(workload, warm=True, compile=fault.compile, schedule=SCHEDULE)
        for workload in (fault.faulty, fault.healthy)
    )
    return faulty, healthy
