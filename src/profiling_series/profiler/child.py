"""The fresh process of a measurement: ``python -m profiling_series.profiler.child``, told by JSON.

As a process's fifth profile, the first launch of a step took 280–309 µs on an NVIDIA H200 where it took 41–69
as its first; so each capture gets a process of its own. Standard input holds an `Order`, standard output an
`Answer` a line.
"""

from __future__ import annotations

import os
import sys
import traceback
from functools import partial
from importlib import import_module
from typing import IO

import msgspec

from profiling_series.errors import CaptureError, UsageError
from profiling_series.profiler import names
from profiling_series.profiler.failure import explain
from profiling_series.profiler.prepare import Progress, chosen_device, prepared
from profiling_series.profiler.talk import Answer, Order
from profiling_series.profiler.window import Windows
from profiling_series.results import (
    AnyRequest,
    Capture,
    CeilingsRequest,
    Request,
    SweepRequest,
    TimingRequest,
)
from profiling_series.results.asked import Asked
from profiling_series.workloads import Step

#: What measures each kind of request: a module of this package and a function of it.
WORK: dict[type[Asked], tuple[str, str]] = {
    Request: ("child", "capture_files"),
    SweepRequest: ("sweep_loop", "profile_sweep"),
    TimingRequest: ("bench", "time_step"),
    CeilingsRequest: ("bench", "find_ceilings"),
}


def main() -> int:
    """Return 0 with the files written and named on standard output, 1 with an error named there."""
    answers = _own_stdout()
    try:
        order = msgspec.json.decode(sys.stdin.readline(), type=Order)
        _say(answers, Answer(progress="importing torch"))
        import torch  # noqa: F401

        _import_ahead(order.request)
        if order.waits:
            _say(answers, Answer(ready=True))
            if not sys.stdin.readline():
                return 1  # its turn will not come
        module, function = WORK[type(order.request)]
        work = getattr(import_module(f"{__package__}.{module}"), function)
        paths = work(order.request, order.device, order.out, partial(_tell, answers))
    except Exception as error:
        traceback.print_exc()
        known = explain(error)
        _say(answers, Answer(error=str(known), usage=isinstance(known, UsageError)))
        return 1
    _say(answers, Answer(done=[str(path) for path in paths]))
    return 0


def _import_ahead(request: AnyRequest) -> None:
    """Import what the measurement will, before its turn: several processes do that side by side.

    The profiler reads a setting of Inductor's when it starts, which imports that, and Triton: seconds in
    which the others would wait. The compiler's own modules take longer than torch.
    """
    modes = request.points if isinstance(request, SweepRequest) else (request,)
    compiles = any(getattr(one, "compile", None) is not None for one in modes)
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
        request=request,
    )
    progress(f"profiling {request.schedule.steps} steps{compiling}: {request.schedule}")
    profile_steps(step, windows)
    return windows.captures


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


def _own_stdout() -> IO[str]:
    """Return the real standard output for our answers alone; what libraries print goes to standard error."""
    sys.stdout.flush()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _tell(answers: IO[str], stage: str) -> None:
    _say(answers, Answer(progress=stage))


def _say(answers: IO[str], answer: Answer) -> None:
    print(msgspec.json.encode(answer).decode(), file=answers, flush=True)


if __name__ == "__main__":
    sys.exit(main())
