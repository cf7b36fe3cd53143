"""The step of `profiling_series.workloads.faults.ItemSync`."""

from __future__ import annotations

import torch

from profiling_series.workloads.base import Step

# The Euclidean norm and the largest entry: what one logs to see gradients explode.
ORDERS = (2, float("inf"))


def train_step(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    x: torch.Tensor,
    target: torch.Tensor,
    read: bool,
) -> list[object]:
    """Return two norms of each gradient after one update of the model: tensors, or numbers where `read`."""
    optimizer.zero_grad()
    loss = (model(x) - target).square().mean()
    loss.backward()
    norms: list[object] = []
    for parameter in model.parameters():
        assert parameter.grad is not None
        for order in ORDERS:
            norm = parameter.grad.norm(order)
            norms.append(norm.item() if read else norm)
    optimizer.step()
    return norms


def prepare(fault: bool, sizes: tuple[int, int, int], device: str, seed: int) -> Step:
    """Return the step over a model of linear layers and relu, in bf16."""
    batch, width, depth = sizes
    torch.manual_seed(seed)
    layers: list[torch.nn.Module] = []
    for _ in range(depth):
        layers += [torch.nn.Linear(width, width, device=device, dtype=torch.bfloat16), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1])
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x, target = (torch.randn((batch, width), device=device, dtype=torch.bfloat16) for _ in range(2))
    return Step(train_step, (model, optimizer, x, target, fault))
