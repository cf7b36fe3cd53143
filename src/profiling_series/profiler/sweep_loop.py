"""The sweep's loop, in the fresh process: all points in one window, one allocated at a time."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

from profiling_series.errors import CaptureError, UsageError
from profiling_series.profiler import names
from profiling_series.profiler.failure import explain
from profiling_series.profiler.prepare import Progress, chosen_device, prepared
from profiling_series.profiler.window import Windows
from profiling_series.results import Point, Schedule, SweepRequest

if TYPE_CHECKING:
    from torch.profiler import profile


def profile_sweep(request: SweepRequest, device: str, out: str, progress: Progress) -> list[Path]:
    """Return the path of the sweep's trace, recorded in this process.

    Parameters
    ----------
    request : SweepRequest
        What to sweep over.
    device : {"auto", "cuda", "cpu"}
        Where; "auto" is CUDA if there is one.
    out : str
        Absolute path of the folder to write to.
    progress : callable
        Called with a few words at each stage.

    Raises
    ------
    UsageError
        None of the points can be measured here; the message has the reason of the first.
    """
    device = chosen_device(device)
    windows = Windows(
        out=out,
        key=request.key,
        annotation=request.points[0].workload.annotation,
        # Each point's steps, and before them one in which it is made ready.
        schedule=Schedule(active=len(request.points) * (1 + request.steps)),
        device=device,
        request=request,
    )
    _profile(request, windows, progress)
    return [capture.trace_path for capture in windows.captures]


def _profile(request: SweepRequest, windows: Windows, progress: Progress) -> None:
    import torch
    from torch.profiler import ProfilerActivity, profile, schedule

    activities = [ProfilerActivity.CPU]
    if windows.device == "cuda":
        activities.append(ProfilerActivity.CUDA)
        torch.cuda.synchronize()  # the device's first use is no part of the first point
    terms = windows.schedule
    with profile(
        activities=activities, schedule=schedule(**terms.params()), on_trace_ready=windows.close
    ) as prof:
        try:
            for _ in range(terms.wait + terms.warmup):
                prof.step()
            for at, point in enumerate(request.points, 1):
                progress(f"profiling {point.label}: {at} of {len(request.points)}")
                try:
                    _run(point, request, windows.device, prof)
                except Exception as error:
                    _note(error, point, windows)
                    prof.step()  # the next point begins a step of its own
                _free(point, windows.device)
        except BaseException:
            windows.abandoned = True
            raise
        windows.abandoned = len(windows.failed) == len(request.points)
    if windows.abandoned:
        raise UsageError(f"sweep: no point can be measured here: {windows.failed[request.points[0].label]}")
    if len(windows.captures) != 1:
        raise CaptureError("torch closed no window of the sweep")


def _run(point: Point, request: SweepRequest, device: str, prof: profile) -> None:
    """Make a point ready under its label, and run its steps; what it allocated ends with this call."""
    from torch.profiler import record_function

    workload = point.workload
    with record_function(names.safe(point.label)):
        step = prepared(workload, point.compile, request.seed, device, lambda _: None, warm=True)
    prof.step()
    annotation = names.safe(workload.annotation)
    for _ in range(request.steps):
        with record_function(annotation):
            step()
        prof.step()


def _note(error: Exception, point: Point, windows: Windows) -> None:
    """Note why this machine cannot measure a point; any other error ends the sweep."""
    known = explain(error)
    if not isinstance(known, UsageError):
        raise error
    windows.failed[point.label] = str(known)


def _free(point: Point, device: str) -> None:
    """Give back what a point held, code that was compiled for its shapes included."""
    import torch

    if point.compile is not None:
        torch.compiler.reset()
    gc.collect()
    if device == "cuda":
        torch.cuda.empty_cache()
