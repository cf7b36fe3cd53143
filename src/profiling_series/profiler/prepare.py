"""The device of a measurement, and a workload made ready to run on it, in the fresh process."""

from __future__ import annotations

from collections.abc import Callable

from profiling_series.errors import UsageError
from profiling_series.results.request import WARM_CALLS
from profiling_series.workloads import Step, Workload
from profiling_series.workloads.memory import check_fits

Progress = Callable[[str], None]


def prepared(
    workload: Workload,
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
    if (why := workload.unavailable(device)) is not None:
        raise UsageError(f"{workload.name}: {why}")
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
