"""The one call of the package: measure a workload, and get its trace, its table and where they come from."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from profiling_series.profiler import spawn, store
from profiling_series.profiler.captured import Capture, from_files, keep
from profiling_series.profiler.request import Request
from profiling_series.profiler.schedule import Schedule
from profiling_series.profiler.sources import resolve
from profiling_series.profiler.window import combined
from profiling_series.workloads import Workload

_DEFAULT_SCHEDULE = Schedule()


def capture(
    workload: Workload,
    *,
    warm: bool = True,
    compile: str | None = None,
    schedule: Schedule = _DEFAULT_SCHEDULE,
    seed: int = 0,
    source: str = "auto",
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Capture:
    """Return the capture of a workload, measured in a fresh process or taken from the recordings.

    Parameters
    ----------
    workload : Workload
        What to measure, such as ``MatmulAdd(size=64)``.
    warm : bool
        Whether three calls come before the profiler. Without them the capture is cold, which also means that
        the compilers' caches start empty.
    compile : {None, "default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"}
        A mode of ``torch.compile``; None for eager.
    schedule : Schedule
        Which steps are recorded.
    seed : int
        Seed of the workload's data.
    source : {"auto", "cuda", "cpu", "recorded", "replay"}
        "auto": CUDA if there is one, else this CPU (or what the environment variable
        ``PROFILING_SERIES_SOURCE`` says). "recorded": the recording of exactly these parameters, made on a
        GPU. "replay": CUDA if there is one, else the recording.
    out : path-like, optional
        Folder in which to keep trace, table and provenance; without it they live as long as this process.
    progress : callable, optional
        Called with a few words at each stage.

    Returns
    -------
    Capture
        The last window of the schedule, and all of them in its ``cycles`` where the schedule repeats.

    Raises
    ------
    UsageError
        A parameter is out of range, does not fit into memory, or asks for what this machine lacks.
    RecordingMissing
        There is no recording of these parameters.
    CaptureError
        The process that measured failed.
    """
    request = Request(workload=workload, warm=warm, compile=compile, schedule=schedule, seed=seed)
    chosen = resolve(source)
    if out is not None:
        store.place(out, request.key)  # told now, not after the measurement
    if chosen == "recorded":
        from profiling_series.recordings import load

        recorded = keep(load(request))
        return recorded if out is None else recorded.save(out)
    # Measured into a folder of its own: a capture that fails half-way leaves the files of an older one alone.
    fresh = Path(tempfile.mkdtemp(dir=_scratch()))
    started = time.monotonic()
    traces = spawn.run(request, device=chosen, out=fresh, progress=progress)
    elapsed = round(time.monotonic() - started, 3)
    measured = keep(combined([_timed(from_files(path, source="live"), elapsed) for path in traces]))
    return measured if out is None else measured.save(out)


def _timed(measured: Capture, elapsed: float) -> Capture:
    """Return the capture with the time of its whole process, importing torch included."""
    return replace(measured, provenance={**measured.provenance, "elapsed_s": elapsed})


@cache
def _scratch() -> str:
    # For the life of the process, not of the Capture: a Trace reads its file when an argument is asked for.
    folder = tempfile.mkdtemp(prefix="profiling_series_")
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked child, whose parent still reads there
        shutil.rmtree(folder, ignore_errors=True)
