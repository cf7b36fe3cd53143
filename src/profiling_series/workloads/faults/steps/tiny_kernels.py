"""The step of `profiling_series.workloads.faults.TinyKernels`."""

from __future__ import annotations

import torch

from profiling_series.workloads.base import Step
from profiling_series.workloads.faults.steps import layers

DECAY = 0.99


def averaged_step(
    x: torch.Tensor,
    weights: list[torch.Tensor],
    averages: list[torch.Tensor],
    values: list[torch.Tensor],
    one_by_one: bool,
) -> torch.Tensor:
    """Return the forward pass's result; each average has moved towards its value, and stays below 1."""
    with torch.no_grad():
        result = layers.forward(x, weights)
        if one_by_one:
            for average, value in zip(averages, values, strict=True):
                average.mul_(DECAY)
                average.add_(value, alpha=1 - DECAY)
                average.clamp_max_(1.0)
        else:
            torch._foreach_mul_(averages, DECAY)
            torch._foreach_add_(averages, values, alpha=1 - DECAY)
            torch._foreach_clamp_max_(averages, 1.0)
    return result


def prepare(fault: bool, sizes: tuple[int, int, int, int], device: str, seed: int) -> Step:
    """Return the step with random data in bf16."""
    batch, width, depth, tensors = sizes
    random = torch.Generator(device=device).manual_seed(seed)
    made = {"generator": random, "device": device, "dtype": torch.bfloat16}
    x = torch.randn((batch, width), **made)
    weights = layers.weights(width, depth, torch.bfloat16, random)
    averages, values = ([torch.randn(width, **made) for _ in range(tensors)] for _ in range(2))
    return Step(averaged_step, (x, weights, averages, values, fault))
