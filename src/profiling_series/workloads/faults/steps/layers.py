"""Matrix products for the GPU to be busy with, which most planted faults run."""

from __future__ import annotations

import torch


def weights(width: int, depth: int, dtype: torch.dtype, random: torch.Generator) -> list[torch.Tensor]:
    """Return `depth` random (width, width) matrices that keep the scale of what relu lets through."""
    scale = (2 / width) ** 0.5
    return [
        torch.randn((width, width), generator=random, device=random.device, dtype=dtype).mul_(scale)
        for _ in range(depth)
    ]


def forward(x: torch.Tensor, layers: list[torch.Tensor]) -> torch.Tensor:
    """Return x after relu(x @ w) for each w; (rows, width) throughout."""
    for w in layers:
        x = torch.relu(x @ w)
    return x
