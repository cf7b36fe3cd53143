"""Results as a run would leave them, of a made-up machine: their traces say nothing of importance."""

from __future__ import annotations

from profiling_series.results import Machine, Provenance, Schedule, SweepRequest, Timing, store
from profiling_series.results.provenance import code_of

H200 = Machine(device="cuda", gpu="NVIDIA H200", torch="2.11.0+cu130", date="2026-11-29T18:00:00+00:00")


def provenance(request=None, **facts):
    """Where the result of a request comes from, or that of somebody's own code."""
    known = {"key": "k", "machine": H200}
    if request is not None:
        schedule = Schedule() if isinstance(request, SweepRequest) else getattr(request, "schedule", None)
        known |= {"key": request.key, "request": request, "digest": request.digest}
        known |= {"code": code_of(request), "schedule": schedule}
    return Provenance(**{**known, **facts})


def store_capture(folder, request, trace=b'{"traceEvents": []}', **facts):
    """Store a capture as a run leaves it, and return its files."""
    files = store.place(folder, request.key)
    store.write(files, store.compress(trace), "table", provenance(request, **facts))
    return files


def store_timing(folder, request, **facts):
    """Store figures under the key of any request that leaves some, and return their file."""
    path = store.place_figures(folder, request.key)
    store.write_figures(path, Timing(provenance(request, **facts), (1.0,), 1))
    return path
