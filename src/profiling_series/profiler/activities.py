"""What torch is asked to profile, and waiting for it: devices, running profilers, ranks."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from profiling_series.errors import UsageError
from profiling_series.results import Schedule

if TYPE_CHECKING:
    from torch.profiler import ProfilerAction, ProfilerActivity

_ACCELERATORS = ("cuda", "xpu")


def choose(asked: Iterable[str | ProfilerActivity] | None) -> tuple[list[ProfilerActivity], str, list[str]]:
    """Return the activities to profile, the device they stand for, and notes on what was left out.

    Parameters
    ----------
    asked : iterable of str or ProfilerActivity, optional
        ``"cpu"``, ``"cuda"``, ``"xpu"``; None for the CPU and the accelerator if there is one.

    Returns
    -------
    tuple of list, str and list of str
        The device is ``"cpu"``, ``"cuda"`` or ``"xpu"``.

    Raises
    ------
    UsageError
        An unknown activity, or only one that this machine lacks (where torch itself fails an assertion).
    """
    from torch.profiler import ProfilerActivity

    present = ["cpu", *(name for name in _ACCELERATORS if _available(name))]
    if asked is None:
        wanted = present
    else:
        wanted = [_name(item) for item in ([asked] if isinstance(asked, str) else asked)]
    kept = [name for name in wanted if name in present]
    missing = [name for name in wanted if name not in present]
    if not kept:
        raise UsageError(
            f"nothing to profile: activities={wanted} on a machine whose torch offers {', '.join(present)}"
        )
    notes = [
        f"{name.upper()} was asked for and is not available here: it is not in the trace" for name in missing
    ]
    device = next((name for name in kept if name != "cpu"), "cpu")
    return [getattr(ProfilerActivity, name.upper()) for name in kept], device, notes


def refuse_running_profiler() -> None:
    """Return None, or raise `UsageError` where a profiler already records here: torch holds only one."""
    import torch
    from torch.autograd import profiler

    if getattr(profiler, "_is_profiler_enabled", False) or torch._C._autograd._profiler_enabled():
        raise UsageError("a profiler is already running in this process: stop it before you record")


def torch_schedule(terms: Schedule) -> Callable[[int], ProfilerAction]:
    """Return torch's schedule, which also waits for every GPU in use before a window closes.

    The profiler waits for the current GPU only, and loses the last kernels of the others. torch asks for the
    action of the coming step between the end of a step's row and the end of the window: the one place to wait
    in without adding a call to the step.
    """
    from torch.profiler import ProfilerAction, schedule

    with warnings.catch_warnings():
        # "Profiler won't be using warmup": whoever asks for none knows, and the recording says so as well.
        warnings.filterwarnings("ignore", message="Profiler won't be using warmup")
        plain = schedule(**terms.params())

    def action(step: int) -> ProfilerAction:
        if step > 0 and plain(step - 1) == ProfilerAction.RECORD_AND_SAVE:
            wait_for_other_gpus()
        answer: ProfilerAction = plain(step)
        return answer

    return action


def wait_for_other_gpus() -> None:
    """Return None when every GPU that this process uses, the current one aside, has finished its work."""
    import torch

    if not torch.cuda.is_initialized():
        return
    current = torch.cuda.current_device()
    for device in range(torch.cuda.device_count()):
        # A synchronization would make a context, some hundred MB, on a GPU that is not in use.
        if device != current and torch._C._cuda_hasPrimaryContext(device):
            torch.cuda.synchronize(device)


def rank_suffix() -> str:
    """Return ``"_rank3"`` in one of several ranks, ``"_pid123"`` in a worker without a rank, else ``""``.

    Processes that write one path end with the file of one of them.
    """
    import torch.distributed as dist

    if dist.is_available() and dist.is_initialized():
        return f"_rank{dist.get_rank()}" if dist.get_world_size() > 1 else ""
    rank = os.environ.get("RANK", "")
    if rank.isdecimal() and os.environ.get("WORLD_SIZE") != "1":
        return f"_rank{rank}"
    return "" if multiprocessing.parent_process() is None else f"_pid{os.getpid()}"


def _available(name: str) -> bool:
    import torch

    module: Any = getattr(torch, name, None)
    return module is not None and bool(module.is_available())


def _name(item: object) -> str:
    from torch.profiler import ProfilerActivity

    text = item if isinstance(item, str) else getattr(item, "name", "")
    if not isinstance(text, str) or text.lower() not in ("cpu", *_ACCELERATORS):
        known = [name for name in ("CPU", "CUDA", "XPU") if hasattr(ProfilerActivity, name)]
        raise UsageError(f"unknown activity {item!r:.80}; choose from {', '.join(known)}")
    return text.lower()
