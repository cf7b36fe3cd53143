"""Several points in one process and one recording: how a step changes with its size, its type, its form."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from profiling_series.profiler.obtain import obtain
from profiling_series.results import Point, Sweep, SweepRequest
from profiling_series.results.points import STEPS, points_of
from profiling_series.results.sweep import check_places
from profiling_series.workloads import AnyWorkload


def sweep(
    points: Sequence[AnyWorkload | Point],
    *,
    x: str = "size",
    series: str | Sequence[str] = "dtype",
    steps: int = STEPS,
    seed: int = 0,
    source: str = "auto",
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Sweep:
    """Return the steps of several workloads, recorded in one process and one window of the profiler.

    One point after the other is made ready, called three times, recorded and freed, so that each has the
    device for itself; one window, because each further one in a process makes launches slower (see
    `profiling_series.profiler.child`). A point that this machine cannot measure (it does not fit into memory,
    say) is a result as well, with its reason, and the others go on.

    Parameters
    ----------
    points : sequence of Workload or Point
        All of one kind of workload, in the order in which they run; a `Point` adds a mode of
        ``torch.compile``.
    x : str
        The workloads' field along which the points lie, a number.
    series : str or sequence of str
        The fields, or ``"compile"``, that tell one line of points from another.
    steps : int
        Recorded steps of each, of which the first five do not count.
    seed : int
        Seed of the data.
    source : {"auto", "cuda", "cpu", "recorded", "replay", "record"}
        As `capture` takes it.
    out : path-like, optional
        Folder in which to keep the recording.
    progress : callable, optional
        Called with a few words at each stage.

    Returns
    -------
    Sweep
        A point for each that was asked for, and the capture that they come from.

    Raises
    ------
    UsageError
        They cannot be swept over together, two have the same place, or none can be measured here.
    RecordingMissing
        There is no recording of these parameters.
    CaptureError
        The process that measured failed.
    """
    request = SweepRequest(points_of(points), steps, seed)
    lines = (series,) if isinstance(series, str) else tuple(series)
    check_places(request, x, lines)  # told now, not after the measurement
    (capture,) = obtain([request], source=source, out=out, progress=progress)
    return Sweep(capture, request, x, lines)
