"""The fresh process of a measurement: ``python -m profiling_series.profiler.child``, told by JSON.

As a process's fifth profile, the first launch of a step took 280–309 µs on an NVIDIA H200 where it took 41–69
as its first; so each capture gets a process of its own. Standard output carries one JSON object a line:
``{"progress": …}`` while it runs, then ``{"done": [path, …]}`` or ``{"error": …, "kind": …}``. A process that
is one of several says ``{"ready": true}`` when torch is imported, and waits for a second line on its stdin
before it touches the device.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import IO, Any

from profiling_series import workloads
from profiling_series.errors import CaptureError, UsageError
from profiling_series.profiler import names
from profiling_series.profiler.captured import Capture
from profiling_series.profiler.failure import explain
from profiling_series.profiler.request import WARM_CALLS, Request
from profiling_series.profiler.window import Windows
from profiling_series.workloads import Step
from profiling_series.workloads.memory import check_fits

Progress = Callable[[str], None]


#: Kind of request: the module that describes it, and the module and the function that measure it.
WORK = {
    "capture": ("request", "child", "capture_files"),
    "timing": ("timing", "bench", "time_step"),
    "ceilings": ("best_rates", "bench", "find_ceilings"),
    "sweep": ("sweeping", "sweep_loop", "profile_sweep"),
}


def main() -> int:
    """Return 0 with the files written and named on standard output, 1 with an error named there."""
    answers = _own_stdout()
    try:
        order = json.loads(sys.stdin.readline())
        described, module, function = WORK[order["kind"]]
        request = import_module(f"{__package__}.{described}").from_json(order["request"])
        _say(answers, "progress", "importing torch")
        import torch  # noqa: F401

        _import_ahead(request)
        if order.get("waits"):
            _say(answers, "ready", True)
            if not sys.stdin.readline():
                return 1  # its turn will not come
        work = getattr(import_module(f"{__package__}.{module}"), function)
        paths = work(request, order["device"], order["out"], partial(_say, answers, "progress"))
    except Exception as error:
        traceback.print_exc()
        known = explain(error)
        kind = "usage" if isinstance(known, UsageError) else "capture"
        _write(answers, {"error": str(known), "kind": kind})
        return 1
    _say(answers, "done", [str(path) for path in paths])
    return 0


def _import_ahead(request: Any) -> None:
    """Import what the measurement will, before its turn: several processes do that side by side.

    The profiler reads a setting of Inductor's when it starts, which imports that, and Triton: seconds in
    which the others would wait. The compiler's own modules take longer than torch.
    """
    compiles = getattr(request, "compile", None) is not None
    import_module("torch._inductor.compile_fx" if compiles else "torch._inductor.config")


def capture_files(request: Request, device: str, out: str, progress: Progress) -> list[str]:
    """Return the paths of the traces of `measure`."""
    return [str(capture.trace_path) for capture in measure(request, device, out, progress)]


def measure(request: Request, device: str, out: str, progress: Progress) -> list[Capture]:
    """Return the captures of the request, run in this process and stored under `out`.

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

    Returns
    -------
    list of Capture
        One a window of the schedule.
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
        facts={
            **request.to_json(),
            "digest": request.digest,
            "code": workloads.code_digest(request.workload),
        },
    )
    progress(f"profiling {request.schedule.steps} steps{compiling}: {request.schedule}")
    profile_steps(step, windows)
    return windows.captures


def prepared(
    workload: workloads.Workload,
    compile: str | None,
    seed: int,
    device: str,
    progress: Progress,
    *,
    warm: bool,
) -> Step:
    """Return the step of a workload, ready to run: its data made, and `WARM_CALLS` calls behind it if warm.

    Parameters
    ----------
    workload : Workload
        What is measured.
    compile : str or None
        A mode of ``torch.compile``; None for eager.
    seed : int
        Seed of the data.
    device : {"cuda", "cpu"}
        Where.
    progress : callable
        Called with a few words at each stage.
    warm : bool
        Whether to call it before.
    """
    import torch

    if compile is not None and device == "cuda":
        _check_triton_capability()
    check_fits(workload, device)
    progress(f"preparing the data on {device}")
    torch.manual_seed(seed)
    step = workload.prepare(device, seed)
    if compile is not None:
        step = step.compiled(compile)
    synchronize = torch.cuda.synchronize if device == "cuda" else lambda: None
    synchronize()
    if warm:
        compiling = " (the first compiles)" if compile is not None else ""
        progress(f"warming up: {WARM_CALLS} calls{compiling}")
        for _ in range(WARM_CALLS):
            step()
        synchronize()
    return step


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


def chosen_device(device: str) -> str:
    """Return ``"cuda"`` or ``"cpu"`` for what was asked; raise `UsageError` where there is no CUDA to use."""
    import torch

    if torch.cuda.is_available():
        return "cpu" if device == "cpu" else "cuda"
    if device == "cuda":
        why = (
            "finds no GPU that it can use (is there one, with its driver?)"
            if torch.version.cuda or torch.version.hip
            else "is a build for the CPU only"
        )
        raise UsageError(
            f"CUDA was asked for, but torch {torch.__version__} {why}; "
            "use source='cpu' to measure this CPU, or source='replay' for a recording"
        )
    return "cpu"


def _check_triton_capability() -> None:
    import torch

    major, minor = torch.cuda.get_device_capability()
    if torch.version.cuda and major < 7:
        raise UsageError(
            f"torch.compile needs a GPU of compute capability 7.0 or later for Triton, and "
            f"{torch.cuda.get_device_name()} has {major}.{minor}: capture it eager (compile=None)"
        )


def _own_stdout() -> IO[str]:
    """Return the real standard output for our answers alone; what libraries print goes to standard error."""
    sys.stdout.flush()
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    return answers


def _say(answers: IO[str], key: str, value: Any) -> None:
    _write(answers, {key: value})


def _write(answers: IO[str], message: dict[str, Any]) -> None:
    print(json.dumps(message), file=answers, flush=True)


if __name__ == "__main__":
    sys.exit(main())
