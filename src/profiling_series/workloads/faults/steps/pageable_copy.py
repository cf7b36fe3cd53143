"""The step of `profiling_series.workloads.faults.PageableCopy`."""

from __future__ import annotations

import torch

from profiling_series.workloads.base import Step
from profiling_series.workloads.faults.steps import layers


def copy_and_forward(
    batch: torch.Tensor, weights: list[torch.Tensor], device: str, non_blocking: bool
) -> torch.Tensor:
    """Return the forward pass over a batch that starts in host memory."""
    with torch.no_grad():
        return layers.forward(batch.to(device, non_blocking=non_blocking), weights)


def prepare(fault: bool, sizes: tuple[int, int, int], device: str, seed: int) -> Step:
    """Return the step with a random batch in host memory: pageable with the fault, pinned without."""
    rows, width, depth = sizes
    random = torch.Generator(device=device).manual_seed(seed)
    weights = layers.weights(width, depth, torch.bfloat16, random)
    batch = torch.randn((rows, width), generator=torch.Generator().manual_seed(seed)).bfloat16()
    if not fault and device != "cpu":
        batch = batch.pin_memory()
    return Step(copy_and_forward, (batch, weights, device, not fault))
