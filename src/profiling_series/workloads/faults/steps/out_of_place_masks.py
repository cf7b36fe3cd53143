"""The step of `profiling_series.workloads.faults.OutOfPlaceMasks`."""

from __future__ import annotations

import torch

from profiling_series.workloads.base import Step

NEVER = float("-inf")


def masked_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    future: torch.Tensor,
    padding: torch.Tensor,
    in_place: bool,
) -> torch.Tensor:
    """Return softmax(q kᵀ, masked) v; q, k and v of (batch, heads, seq, head_dim), masks that broadcast."""
    with torch.no_grad():
        scores = q @ k.transpose(-2, -1)  # (batch, heads, seq, seq)
        scores.mul_(q.shape[-1] ** -0.5)
        if in_place:
            scores.masked_fill_(future, NEVER)
            scores.masked_fill_(padding, NEVER)
        else:
            scores = scores.masked_fill(future, NEVER)
            scores = scores.masked_fill(padding, NEVER)
        return torch.softmax(scores, dim=-1) @ v


def prepare(fault: bool, sizes: tuple[int, int, int, int], device: str, seed: int) -> Step:
    """Return the step with random q, k and v in bf16; the last quarter of every other sequence is padding."""
    batch, heads, seq, head_dim = sizes
    random = torch.Generator(device=device).manual_seed(seed)
    q, k, v = (
        torch.randn((batch, heads, seq, head_dim), generator=random, device=device, dtype=torch.bfloat16)
        for _ in range(3)
    )
    future = torch.ones((seq, seq), dtype=torch.bool, device=device).triu(1)
    padding = torch.zeros((batch, 1, 1, seq), dtype=torch.bool, device=device)
    padding[::2, ..., seq - seq // 4 :] = True
    return Step(masked_attention, (q, k, v, future, padding, not fault))
