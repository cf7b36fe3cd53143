"""The step of `profiling_series.workloads.faults.ChangingShapes`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from profiling_series.workloads.base import Step
from profiling_series.workloads.faults.steps import layers

ROWS_LESS = 16
# More than any capture of ours has steps; by default torch gives up after 8 and runs eager code.
RECOMPILE_LIMIT = 64


def compiled_forward(x: torch.Tensor, weights: list[torch.Tensor]) -> torch.Tensor:
    """Return x after relu(x @ w) for each w; (rows, width) throughout."""
    return layers.forward(x, weights)


@dataclass(frozen=True)
class ShapedStep(Step):
    """A step whose input has the next number of rows at each call.

    Parameters
    ----------
    function : callable
        Takes the input and the weights.
    arguments : tuple
        The whole input, then the weights.
    rows : iterator of int
        How many of the input's rows each call takes.
    """

    rows: Iterator[int]

    def __call__(self) -> object:
        """Return the result for the next number of rows."""
        x, weights = self.arguments
        assert isinstance(x, torch.Tensor)
        with torch.no_grad():
            return self.function(x[: next(self.rows)], weights)

    def compiled(self, mode: str) -> ShapedStep:
        """Return the step compiled for one shape at a time."""
        import torch._dynamo.config as config

        name = "recompile_limit" if hasattr(config, "recompile_limit") else "cache_size_limit"
        setattr(config, name, max(getattr(config, name), RECOMPILE_LIMIT))
        compiled: Callable[..., object] = torch.compile(self.function, mode=mode, dynamic=False)
        return ShapedStep(compiled, self.arguments, self.rows)


def shrinking(rows: int, less: int) -> Iterator[int]:
    """Yield rows, rows − less, rows − 2·less, …, never below `less`, from the start again after that."""
    while True:
        yield from range(rows, max(less, 1) - 1, -less) if less else (rows,)


def prepare(fault: bool, sizes: tuple[int, int, int], device: str, seed: int) -> Step:
    """Return the step with random data in bf16."""
    rows, width, depth = sizes
    random = torch.Generator(device=device).manual_seed(seed)
    x = torch.randn((rows, width), generator=random, device=device, dtype=torch.bfloat16)
    weights = layers.weights(width, depth, torch.bfloat16, random)
    return ShapedStep(compiled_forward, (x, weights), shrinking(rows, ROWS_LESS if fault else 0))
