"""The sweep's loop, in the fresh process: all workloads in one window of the profiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from profiling_series import workloads
from profiling_series.errors import CaptureError, UsageError
from profiling_series.profiler import names
from profiling_series.profiler.child import chosen_device, prepared
from profiling_series.profiler.schedule import Schedule
from profiling_series.profiler.sweeping import SweepRequest, label
from profiling_series.profiler.window import Windows
from profiling_series.workloads import Step
from profiling_series.workloads.memory import free_bytes, human_bytes

Progress = Callable[[str], None]


def profile_sweep(request: SweepRequest, device: str, out: str, progress: Progress) -> list[str]:
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
    """
    device = chosen_device(device)
    _check_all_fit(request, device)
    progress(f"preparing and warming up {len(request.workloads)} workloads on {device}")
    ready = [
        prepared(one, None, request.seed, device, lambda _: None, warm=True) for one in request.workloads
    ]
    first = request.workloads[0]
    windows = Windows(
        out=out,
        key=request.key,
        annotation=first.annotation,
        # Each workload's steps, and before them one that waits for the device.
        schedule=Schedule(active=len(ready) * (1 + request.steps)),
        device=device,
        facts={
            **request.to_json(),
            "workload": None,
            "warm": True,
            "compile": None,
            "digest": request.digest,
            "code": workloads.code_digest(first),
        },
    )
    progress(f"profiling {request.steps} steps of each")
    _profile(ready, request, windows)
    return [str(capture.trace_path) for capture in windows.captures]


def _check_all_fit(request: SweepRequest, device: str) -> None:
    needed, free = sum(one.required_bytes() for one in request.workloads), free_bytes(device)
    if free is not None and needed > free:
        raise UsageError(
            f"sweep: all its data needs {human_bytes(needed)} on {device}, where {human_bytes(free)} are "
            "free; leave out the largest size"
        )


def _profile(ready: Sequence[Step], request: SweepRequest, windows: Windows) -> None:
    import torch
    from torch.profiler import ProfilerActivity, profile, record_function, schedule

    on_gpu = windows.device == "cuda"
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if on_gpu else [])]
    synchronize = torch.cuda.synchronize if on_gpu else lambda: None
    annotation, terms = names.safe(windows.annotation), windows.schedule
    with profile(
        activities=activities, schedule=schedule(**terms.params()), on_trace_ready=windows.close
    ) as prof:

        def run(step: Step) -> None:
            with record_function(annotation):
                step()
            prof.step()

        try:
            for _ in range(terms.wait + terms.warmup):
                run(ready[0])
            for workload, step in zip(request.workloads, ready, strict=True):
                with record_function(names.safe(label(workload))):
                    synchronize()
                prof.step()
                for _ in range(request.steps):
                    run(step)
        except BaseException:
            windows.abandoned = True
            raise
    if len(windows.captures) != 1:
        raise CaptureError("torch closed no window of the sweep")
