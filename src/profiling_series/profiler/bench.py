"""Timing without the profiler, in the fresh process: a workload's step, and this machine's ceilings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from profiling_series.errors import UsageError
from profiling_series.profiler.machine import this_machine
from profiling_series.profiler.prepare import chosen_device, prepared
from profiling_series.results import Ceilings, CeilingsRequest, Provenance, Timing, TimingRequest, store
from profiling_series.results.figures import AnyFigures, Copied, Product
from profiling_series.results.provenance import code_of
from profiling_series.workloads.base import DTYPE_BYTES, torch_dtype
from profiling_series.workloads.memory import free_bytes

if TYPE_CHECKING:
    import torch

MIN_RUN_S = 0.4
"""How long a timing goes on at least; its blocks last about a hundredth of that or more."""
BURSTS, BURST_S, PAUSE_S = 8, 0.02, 0.1
"""A ceiling is the best of some short bursts. What is kept up for half a second is less where a GPU reaches
its power limit: on an NVIDIA H200, 661 TFLOP/s in bf16, and the steps of a program then came to 734."""
MATMUL_SIZES = {"cuda": (4096, 8192), "cpu": (512,)}
COPY_BYTES = {"cuda": (1 << 28, 1 << 30), "cpu": (1 << 27,)}
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
    return [_write(Timing(_provenance(request, device), tuple(each_us), calls), out)]


def find_ceilings(request: CeilingsRequest, device: str, out: str, progress: Progress) -> list[Path]:
    """Return the path of the ceilings' file, measured in this process; parameters as of `time_step`."""
    import torch

    device = chosen_device(device)
    random = torch.Generator(device=device).manual_seed(request.seed)
    matmul: dict[str, tuple[Product, ...]] = {}
    for dtype in request.dtypes:
        progress(f"timing products of {dtype}")
        matmul[dtype] = tuple(_products(dtype, device, random))
    progress("timing copies")
    copies = tuple(_copies(device, random))
    return [_write(Ceilings(_provenance(request, device), matmul, copies), out)]


def _products(dtype: str, device: str, random: torch.Generator) -> Iterator[Product]:
    """Yield size, time and rate of each product that fits."""
    import torch

    for n in _fitting(MATMUL_SIZES[device], lambda n: 3 * n * n * DTYPE_BYTES[dtype], device):
        x, w = (
            torch.randn((n, n), generator=random, device=device, dtype=torch_dtype(dtype)) for _ in range(2)
        )
        y = torch.empty_like(x)
        product = partial(torch.mm, x, w, out=y)
        each_us = _bursts(product)
        us, kept_up_us = min(each_us), median(_timed(product)[0])
        rates = [2 * n**3 / taken / 1e6 for taken in (us, kept_up_us)]
        yield Product(n, us, rates[0], tuple(each_us), kept_up_us, rates[1])


def _copies(device: str, random: torch.Generator) -> Iterator[Copied]:
    """Yield bytes, time and rate of each copy that fits."""
    import torch

    for size in _fitting(COPY_BYTES[device], lambda size: 2 * size, device):
        here = torch.randn(size // 4, generator=random, device=device)
        there = torch.empty_like(here)
        each_us = _bursts(partial(there.copy_, here))
        us = min(each_us)
        # Each byte is read once and written once.
        yield Copied(size, us, 2 * size / us / 1e3, tuple(each_us))


def _fitting(sizes: tuple[int, ...], needed: Callable[[int], int], device: str) -> list[int]:
    """Return the sizes whose data fits into half of the free memory; raise `UsageError` for none."""
    free = free_bytes(device)
    fitting = [size for size in sizes if free is None or needed(size) <= free / 2]
    if not fitting:
        raise UsageError(f"too little memory is free on {device} to find its ceilings: {free} bytes")
    return fitting


def _bursts(function: Callable[[], object]) -> list[float]:
    """Return the mean time of a call in each of `BURSTS` short bursts, µs; GPU work is awaited."""
    timer = _timer(function)
    number = max(3, int(BURST_S / timer.timeit(3).mean))
    each = []
    for _ in range(BURSTS):
        time.sleep(PAUSE_S)
        each.append(timer.timeit(number).mean * 1e6)
    return each


def _timed(function: Callable[[], object]) -> tuple[list[float], int]:
    """Return the mean time of a call of each block, µs, and the calls of a block; GPU work is awaited."""
    for _ in range(3):
        function()
    found = _timer(function).blocked_autorange(min_run_time=MIN_RUN_S)
    return [seconds * 1e6 for seconds in found.times], int(found.number_per_run)


def _timer(function: Callable[[], object]) -> Any:
    import torch
    from torch.utils.benchmark import Timer

    # Timer would compute on one thread of a CPU; a program does not.
    return Timer("step()", globals={"step": function}, num_threads=torch.get_num_threads())


def _provenance(request: TimingRequest | CeilingsRequest, device: str) -> Provenance:
    return Provenance(
        key=request.key,
        request=request,
        digest=request.digest,
        code=code_of(request),
        machine=this_machine(device),
    )


def _write(figures: AnyFigures, out: str) -> Path:
    path = store.place_figures(out, figures.key)
    store.write_figures(path, figures)
    return path
