"""The step of `profiling_series.workloads.MatmulAdd`."""

from __future__ import annotations

import torch

from profiling_series.workloads.base import Step, torch_dtype


def matmul_add(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return ``x @ w + b``; all of (n, n), or of (batch, n, n)."""
    return torch.add(torch.matmul(x, w), b)


def prepare(size: int, dtype: str, batch: int | None, device: str, seed: int) -> Step:
    """Return the step with x, w and b drawn from a normal distribution on `device`.

    Random data, never zeros: a GPU multiplies zeros faster than the data of a real model, at a higher clock.
    """
    shape = (size, size) if batch is None else (batch, size, size)
    random = torch.Generator(device=device).manual_seed(seed)
    x, w, b = (
        torch.randn(shape, generator=random, device=device, dtype=torch_dtype(dtype)) for _ in range(3)
    )
    return Step(matmul_add, (x, w, b))
