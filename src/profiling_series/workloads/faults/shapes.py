"""A fault of compiled code: shapes that change."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from profiling_series.workloads.base import Step
from profiling_series.workloads.faults.planted import Planted

_BF16_BYTES = 2


class ChangingShapes(Planted, frozen=True, tag="changing-shapes"):
    """Compiled code without dynamic shapes; the fault gives it another number of rows in each step.

    Each new shape is compiled anew, while the GPU waits. Capture both twins with ``compile="default"``: the
    step compiles with ``dynamic=False``.

    Parameters
    ----------
    fault : bool
        Whether each step has 16 rows fewer than the one before.
    rows, width, depth : int
        Rows of the input, width of each of the `depth` layers.
    """

    series: ClassVar[str] = "fault_changing_shapes"
    annotation: ClassVar[str] = "compiled_forward"
    code: ClassVar[str] = "profiling_series.workloads.faults.steps.changing_shapes"
    small: ClassVar[dict[str, int]] = {"rows": 256, "width": 16, "depth": 2}

    # 6 products of 550 GFLOP: about 5 ms on an NVIDIA H200, more than the compiled code takes to call.
    rows: Annotated[int, Meta(description="rows of the input (the fault takes 16 away in each step)")] = 16384
    width: Annotated[int, Meta(description="width of each matrix product")] = 4096
    depth: Annotated[int, Meta(description="number of layers")] = 6

    def prepare(self, device: str, seed: int) -> Step:
        """Return the step, which knows how to compile itself."""
        from profiling_series.workloads.faults.steps import changing_shapes

        return changing_shapes.prepare(self.fault, (self.rows, self.width, self.depth), device, seed)

    def flops(self) -> int | None:
        """Return those of the matrix products; None where they change."""
        return None if self.fault else self.depth * 2 * self.rows * self.width**2

    def bytes_moved(self) -> None:
        """Return None: what must move depends on how much is fused."""

    def required_bytes(self) -> int:
        """Return the weights, and the activations that are alive at once."""
        return _BF16_BYTES * (self.depth * self.width**2 + 5 * self.rows * self.width)
