"""The step of `profiling_series.workloads.faults.Fp32Matmuls`."""

from __future__ import annotations

import torch

from profiling_series.workloads.base import Step, torch_dtype
from profiling_series.workloads.faults.steps import layers


def matmul_chain(x: torch.Tensor, weights: list[torch.Tensor]) -> torch.Tensor:
    """Return x after relu(x @ w) for each w; all of (size, size)."""
    with torch.no_grad():
        return layers.forward(x, weights)


def prepare(dtype: str, sizes: tuple[int, int], device: str, seed: int) -> Step:
    """Return the step with random data of that type."""
    size, depth = sizes
    random = torch.Generator(device=device).manual_seed(seed)
    x = torch.randn((size, size), generator=random, device=device, dtype=torch_dtype(dtype))
    return Step(matmul_chain, (x, layers.weights(size, depth, torch_dtype(dtype), random)))
