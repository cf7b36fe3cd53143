"""Timing without the profiler, in the fresh process: a workload's step, and this machine's ceilings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from profiling_series import workloads
from profiling_series.errors import UsageError
from profiling_series.profiler import provenance, store
from profiling_series.profiler.best_rates import CeilingsRequest
from profiling_series.profiler.child import chosen_device, prepared
from profiling_series.profiler.timing import TimingRequest
from profiling_series.workloads.base import DTYPE_BYTES, torch_dtype
from profiling_series.workloads.memory import free_bytes

if TYPE_CHECKING:
    import torch

MIN_RUN_S = 0.4
"""How long a timing goes on at least; its blocks last about a hundredth of that or more."""
MATMUL_SIZES = {"cuda": (4096, 8192), "cpu": (512, 1024)}
COPY_BYTES = {"cuda": (1 << 28, 1 << 30), "cpu": (1 << 26, 1 << 27)}
"""Far larger than any cache between the memory and what computes."""

Progress = Callable[[str], None]


def time_step(request: TimingRequest, device: str, out: str, progress: Progress) -> list[Path]:
    """Return the path of the timing's file, measured in this process.

    Parameters
    ----------
    request : TimingRequest
        What to time.
    device : {"auto", "cuda", "cpu"}
        Where; "auto" is CUDA if there is one.
    out : str
        Absolute path of the folder to write to.
    progress : callable
        Called with a few words at each stage.
    """
    device = chosen_device(device)
    step = prepared(request.workload, request.compile, request.seed, device, progress, warm=True)
    progress("timing")
    each_us, calls = _timed(step)
    values = {"each_us": each_us, "calls": calls}
    code = workloads.code_digest(request.workload)
    return [_write(request, device, out, values, code=code)]


def find_ceilings(request: CeilingsRequest, device: str, out: str, progress: Progress) -> list[Path]:
    """Return the path of the ceilings' file, measured in this process; parameters as of `time_step`."""
    import torch

    device = chosen_device(device)
    random = torch.Generator(device=device).manual_seed(request.seed)
    matmul: dict[str, list[dict[str, float]]] = {}
    for dtype in request.dtypes:
        progress(f"timing products of {dtype}")
        matmul[dtype] = list(_products(dtype, device, random))
    progress("timing copies")
    values = {"matmul": matmul, "copy": list(_copies(device, random))}
    return [_write(request, device, out, values)]


def _products(dtype: str, device: str, random: torch.Generator) -> Iterator[dict[str, float]]:
    """Yield size, time and rate of each product that fits."""
    import torch

    for n in _fitting(MATMUL_SIZES[device], lambda n: 3 * n * n * DTYPE_BYTES[dtype], device):
        x, w = (
            torch.randn((n, n), generator=random, device=device, dtype=torch_dtype(dtype)) for _ in range(2)
        )
        y = torch.empty_like(x)
        us = median(_timed(partial(torch.mm, x, w, out=y))[0])
        yield {"size": n, "us": us, "tflops": 2 * n**3 / us / 1e6}


def _copies(device: str, random: torch.Generator) -> Iterator[dict[str, float]]:
    """Yield bytes, time and rate of each copy that fits."""
    import torch

    for size in _fitting(COPY_BYTES[device], lambda size: 2 * size, device):
        here = torch.randn(size // 4, generator=random, device=device)
        there = torch.empty_like(here)
        us = median(_timed(partial(there.copy_, here))[0])
        # Each byte is read once and written once.
        yield {"bytes": size, "us": us, "gbs": 2 * size / us / 1e3}


def _fitting(sizes: tuple[int, ...], needed: Callable[[int], int], device: str) -> list[int]:
    """Return the sizes whose data fits into half of the free memory; raise `UsageError` for none."""
    free = free_bytes(device)
    fitting = [size for size in sizes if free is None or needed(size) <= free / 2]
    if not fitting:
        raise UsageError(f"too little memory is free on {device} to find its ceilings: {free} bytes")
    return fitting


def _timed(function: Callable[[], object]) -> tuple[list[float], int]:
    """Return the mean time of a call of each block, µs, and the calls of a block; GPU work is awaited."""
    import torch
    from torch.utils.benchmark import Timer

    for _ in range(3):
        function()
    # Timer would compute on one thread of a CPU; a program does not.
    timer = Timer("step()", globals={"step": function}, num_threads=torch.get_num_threads())
    found = timer.blocked_autorange(min_run_time=MIN_RUN_S)
    return [seconds * 1e6 for seconds in found.times], int(found.number_per_run)


def _write(
    request: TimingRequest | CeilingsRequest, device: str, out: str, values: dict[str, Any], **more: Any
) -> Path:
    facts = {
        "schema": 1,
        "source": "live",
        "key": request.key,
        "kind": request.kind,
        **request.to_json(),
        "digest": request.digest,
        **more,
        **provenance.of_this_machine(device),
        "warnings": [],
        "values": values,
    }
    path = store.place_measure(out, request.key)
    store.write_measure(path, facts)
    return path
