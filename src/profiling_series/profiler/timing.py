"""What a step costs without the profiler: timed by ``torch.utils.benchmark`` in a fresh process."""

from __future__ import annotations

import os
from collections.abc import Callable

from profiling_series.errors import UsageError
from profiling_series.profiler.obtain import obtain
from profiling_series.results import Timing, TimingRequest
from profiling_series.results.asked import whole_number
from profiling_series.workloads import AnyWorkload


def time_workload(
    workload: AnyWorkload,
    *,
    compile: str | None = None,
    seed: int = 0,
    source: str = "auto",
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Timing:
    """Return how long a step of a workload takes without the profiler, timed in a fresh process.

    The timer is ``torch.utils.benchmark.Timer.blocked_autorange``, after three calls that are not timed.

    Parameters
    ----------
    workload : Workload
        What to time.
    compile : str, optional
        A mode of ``torch.compile``; None for eager.
    seed : int
        Seed of the workload's data.
    source : {"auto", "cuda", "cpu", "recorded", "replay", "record"}
        As `capture` takes it.
    out : path-like, optional
        Folder in which to keep the figures.
    progress : callable, optional
        Called with a few words at each stage.

    Returns
    -------
    Timing
        Median, spread and each block's mean, µs.

    Raises
    ------
    UsageError
        A parameter is out of range, does not fit into memory, or asks for what this machine lacks.
    RecordingMissing
        There is no recording of these parameters.
    CaptureError
        The process that measured failed.
    """
    request = TimingRequest(workload, compile, seed)
    timing: Timing = obtain([request], source=source, out=out, progress=progress)[0]
    return timing


def time_runs(
    workload: AnyWorkload,
    n: int = 5,
    *,
    compile: str | None = None,
    seed: int = 0,
    source: str = "auto",
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[Timing]:
    """Return the timings of `n` fresh processes that all do the same; the first is that of `time_workload`.

    Parameters
    ----------
    workload : Workload
        What to time.
    n : int
        How many processes, at least 1.
    compile, seed, source, out, progress
        As `time_workload` takes them.

    Returns
    -------
    list of Timing
        One a process.

    Raises
    ------
    UsageError
        As `time_workload`, and where `n` is less than 1.
    RecordingMissing
        There is no recording of one of them.
    CaptureError
        A process that measured failed.
    """
    if whole_number("n", n) < 1:
        raise UsageError("time_runs: n must be at least 1, not 0")
    requests = [TimingRequest(workload, compile, seed, run) for run in range(n)]
    return obtain(requests, source=source, out=out, progress=progress)
