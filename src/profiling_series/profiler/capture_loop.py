"""One capture, in the fresh process: the workload's steps under the profiler."""

from __future__ import annotations

from pathlib import Path

from profiling_series.errors import CaptureError
from profiling_series.profiler import names
from profiling_series.profiler.prepare import Progress, chosen_device, prepared
from profiling_series.profiler.window import Windows
from profiling_series.results import Request
from profiling_series.workloads import Step


def profile_capture(request: Request, device: str, out: str, progress: Progress) -> list[Path]:
    """Return the paths of the traces, one a window of the schedule, recorded in this process.

    Parameters
    ----------
    request : Request
        What to measure.
    device : {"auto", "cuda", "cpu"}
        Where; "auto" is CUDA if there is one.
    out : str
        Absolute path of the folder to write to.
    progress : callable
        Called with a few words at each stage.
    """
    device = chosen_device(device)
    step = prepared(request.workload, request.compile, request.seed, device, progress, warm=request.warm)
    compiling = " (the first compiles)" if request.compile is not None and not request.warm else ""
    windows = Windows(
        out=out,
        key=request.key,
        annotation=request.workload.annotation,
        schedule=request.schedule,
        device=device,
        request=request,
    )
    progress(f"profiling {request.schedule.steps} steps{compiling}: {request.schedule}")
    profile_steps(step, windows)
    return [capture.trace_path for capture in windows.captures]


def profile_steps(step: Step, windows: Windows) -> None:
    """Return None with every window recorded: the loop that a reader would write, and no more.

    The profiler itself waits for the device when a window closes; a synchronization of ours would be one more
    call in the last step.
    """
    from torch.profiler import ProfilerActivity, profile, record_function, schedule

    activities = [ProfilerActivity.CPU]
    if windows.device == "cuda":
        activities.append(ProfilerActivity.CUDA)
    annotation = names.safe(windows.annotation)
    terms = schedule(**windows.schedule.params())
    with profile(activities=activities, schedule=terms, on_trace_ready=windows.close) as prof:
        try:
            for _ in range(windows.schedule.steps):
                with record_function(annotation):
                    step()
                prof.step()
        except BaseException:
            windows.abandoned = True
            raise
    if len(windows.captures) != windows.schedule.repeat:
        raise CaptureError(
            f"torch closed {len(windows.captures)} of {windows.schedule.repeat} windows of the schedule"
        )
