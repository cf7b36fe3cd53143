"""The one call of the package: measure a workload, and get its trace, its table and where they come from."""

from __future__ import annotations

import os
from collections.abc import Callable

from profiling_series.errors import UsageError
from profiling_series.profiler.obtain import obtain
from profiling_series.results import Capture, Request, Schedule
from profiling_series.results.asked import whole_number
from profiling_series.workloads import AnyWorkload

_DEFAULT_SCHEDULE = Schedule()


def capture(
    workload: AnyWorkload,
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
    source : {"auto", "cuda", "cpu", "recorded", "replay", "record"}
        "auto": CUDA if there is one, else this CPU (or what the environment variable
        ``PROFILING_SERIES_SOURCE`` says). "recorded": the recording of exactly these parameters, made on a
        GPU. "replay": CUDA if there is one, else the recording. "record": the recording, which is made
        on this GPU if there is none of today's code.
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
    captured: Capture = obtain([request], source=source, out=out, progress=progress)[0]
    return captured


def capture_runs(
    workload: AnyWorkload,
    n: int = 5,
    *,
    warm: bool = True,
    compile: str | None = None,
    schedule: Schedule = _DEFAULT_SCHEDULE,
    seed: int = 0,
    source: str = "auto",
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[Capture]:
    """Return the captures of `n` fresh processes that all do the same; the first is that of `capture`.

    What the CPU does differs between two processes on one machine: a figure for people is the median of
    several, with its range (see `spread`). The processes import torch side by side, and measure one after the
    other.

    Parameters
    ----------
    workload : Workload
        What to measure.
    n : int
        How many processes, at least 1.
    warm, compile, schedule, seed, source, out, progress
        As `capture` takes them.

    Returns
    -------
    list of Capture
        In the order in which they ran; their keys end in ``_run1`` and so on from the second.

    Raises
    ------
    UsageError
        As `capture`, and where `n` is less than 1.
    RecordingMissing
        There is no recording of one of them.
    CaptureError
        A process that measured failed.
    """
    if whole_number("n", n) < 1:
        raise UsageError("capture_runs: n must be at least 1, not 0")
    requests = [Request(workload, warm, compile, schedule, seed, run) for run in range(n)]
    return obtain(requests, source=source, out=out, progress=progress)
