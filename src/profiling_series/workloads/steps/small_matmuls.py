"""The steps of `profiling_series.workloads.SmallMatmuls`."""

from __future__ import annotations

import torch

from profiling_series.workloads.base import Step, torch_dtype


def one_by_one(xs: list[torch.Tensor], ws: list[torch.Tensor]) -> list[torch.Tensor]:
    """Return the products of the pairs; each x, w and product is (n, n)."""
    return [torch.matmul(x, w) for x, w in zip(xs, ws, strict=True)]


def as_one(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Return the products of all pairs at once; all of (count, n, n)."""
    return torch.bmm(x, w)


def prepare(shape: tuple[int, int], dtype: str, batched: bool, device: str, seed: int) -> Step:
    """Return the step with random matrices on `device`: (count, n, n) as they are, or as lists of (n, n).

    The parts of a list are views of the same tensor, so both forms read the same memory.
    """
    count, size = shape
    random = torch.Generator(device=device).manual_seed(seed)
    x, w = (
        torch.randn((count, size, size), generator=random, device=device, dtype=torch_dtype(dtype))
        for _ in range(2)
    )
    if batched:
        return Step(as_one, (x, w))
    return Step(one_by_one, (list(x.unbind(0)), list(w.unbind(0))))
