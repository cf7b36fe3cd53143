"""Faults of a training loop: reading values one by one, and updating tensors one by one."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from profiling_series.workloads.base import Step
from profiling_series.workloads.faults.planted import Planted

_BF16_BYTES = 2


class ItemSync(Planted, frozen=True, tag="item-sync"):
    """A training step that logs two norms of each gradient; the fault reads each with ``.item()``.

    Each ``.item()`` waits until the GPU has done all that was launched, and while the CPU then prepares the
    next launch, the GPU has nothing to do. The healthy twin computes the same norms and leaves them on the
    GPU.

    Parameters
    ----------
    fault : bool
        Whether each norm is read by the CPU at once.
    batch, width, depth : int
        Rows of the input, width of each of the `depth` linear layers.
    """

    series: ClassVar[str] = "fault_item_sync"
    annotation: ClassVar[str] = "train_step"
    code: ClassVar[str] = "profiling_series.workloads.faults.steps.item_sync"
    small: ClassVar[dict[str, int]] = {"batch": 8, "width": 16, "depth": 2}

    # 17 matrix products of 412 GFLOP: about 10 ms of GPU time with the rest on an NVIDIA H200, in which even
    # a slow CPU gets ahead; 24 reads a step then cost more than a tenth of it.
    batch: Annotated[int, Meta(description="rows of the input")] = 3072
    width: Annotated[int, Meta(description="inputs and outputs of each layer")] = 8192
    depth: Annotated[int, Meta(description="number of layers")] = 6

    def prepare(self, device: str, seed: int) -> Step:
        """Return the step: forward, backward, norms, update."""
        from profiling_series.workloads.faults.steps import item_sync

        return item_sync.prepare(self.fault, (self.batch, self.width, self.depth), device, seed)

    def flops(self) -> int:
        """Return those of the matrix products, one forward and two backward a layer (one in the first)."""
        return (3 * self.depth - 1) * 2 * self.batch * self.width**2

    def bytes_moved(self) -> None:
        """Return None: what must move depends on how much is fused."""

    def required_bytes(self) -> int:
        """Return weights, gradients and their updates, and the activations that backward keeps."""
        weights = 3 * self.depth * (self.width**2 + self.width)
        return _BF16_BYTES * (weights + (3 * self.depth + 4) * self.batch * self.width)


class TinyKernels(Planted, frozen=True, tag="tiny-kernels"):
    """Matrix products, then a moving average of many small tensors; the fault updates one after the other.

    Three kernels of a microsecond or two for each tensor: the CPU needs longer to launch each than the GPU to
    run it. The healthy twin gives the whole list to ``torch._foreach_*``: many tensors a kernel.

    Parameters
    ----------
    fault : bool
        Whether a Python loop updates the tensors.
    batch, width, depth : int
        Rows of the input, width of each of the `depth` matrix products.
    tensors : int
        How many small tensors, of `width` elements each.
    """

    series: ClassVar[str] = "fault_tiny_kernels"
    annotation: ClassVar[str] = "averaged_step"
    code: ClassVar[str] = "profiling_series.workloads.faults.steps.tiny_kernels"
    small: ClassVar[dict[str, int]] = {"batch": 8, "width": 16, "depth": 2, "tensors": 5}

    # 15 products of 275 GFLOP: about 5 ms on an NVIDIA H200; 600 launches take the CPU longer than that.
    batch: Annotated[int, Meta(description="rows of the input")] = 8192
    width: Annotated[
        int, Meta(description="width of each matrix product, and elements of a small tensor")
    ] = 4096
    depth: Annotated[int, Meta(description="number of matrix products")] = 15
    tensors: Annotated[int, Meta(description="number of small tensors, updated by three kernels each")] = 200

    def prepare(self, device: str, seed: int) -> Step:
        """Return the step: the matrix products, then the update."""
        from profiling_series.workloads.faults.steps import tiny_kernels

        sizes = (self.batch, self.width, self.depth, self.tensors)
        return tiny_kernels.prepare(self.fault, sizes, device, seed)

    def flops(self) -> int:
        """Return those of the matrix products."""
        return self.depth * 2 * self.batch * self.width**2

    def bytes_moved(self) -> None:
        """Return None: what must move depends on how much is fused."""

    def required_bytes(self) -> int:
        """Return weights, two activations and their products, and the small tensors."""
        elements = self.depth * self.width**2 + 4 * self.batch * self.width + 2 * self.tensors * self.width
        return _BF16_BYTES * elements
