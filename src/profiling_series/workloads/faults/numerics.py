"""Faults in what is computed: copies that out-of-place operators make, and products without tensor cores."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from profiling_series.workloads.base import DTYPE_BYTES, Step
from profiling_series.workloads.faults.planted import Planted

_BF16_BYTES = 2


class OutOfPlaceMasks(Planted, frozen=True, tag="out-of-place-masks"):
    """Naive attention with a causal and a padding mask, without gradients; the fault masks out of place.

    ``masked_fill`` copies all scores before it fills them, ``masked_fill_`` fills them where they are.
    Without gradients nobody needs the scores as they were.

    Parameters
    ----------
    fault : bool
        Whether ``masked_fill`` is used, not ``masked_fill_``.
    batch, heads, seq, head_dim : int
        Shape of q, k and v.
    """

    series: ClassVar[str] = "fault_out_of_place_masks"
    annotation: ClassVar[str] = "masked_attention"
    code: ClassVar[str] = "profiling_series.workloads.faults.steps.out_of_place_masks"
    small: ClassVar[dict[str, int]] = {"batch": 2, "heads": 2, "seq": 16, "head_dim": 4}

    # 1 GiB of scores: about 5 ms on an NVIDIA H200, of which each copy takes half a millisecond.
    batch: Annotated[int, Meta(description="sequences")] = 32
    heads: Annotated[int, Meta(description="heads")] = 16
    seq: Annotated[int, Meta(description="length of each sequence")] = 1024
    head_dim: Annotated[int, Meta(description="width of a head")] = 64

    def prepare(self, device: str, seed: int) -> Step:
        """Return the step: scores, masks, softmax, and the product with v."""
        from profiling_series.workloads.faults.steps import out_of_place_masks

        sizes = (self.batch, self.heads, self.seq, self.head_dim)
        return out_of_place_masks.prepare(self.fault, sizes, device, seed)

    def flops(self) -> int:
        """Return those of the two matrix products."""
        return 2 * 2 * self.head_dim * self._scores()

    def bytes_moved(self) -> int:
        """Return q, k, v and the result, once each: a fused attention moves no more."""
        return 4 * _BF16_BYTES * self.batch * self.heads * self.seq * self.head_dim

    def required_bytes(self) -> int:
        """Return three tensors of scores beside q, k, v and the result."""
        return 3 * _BF16_BYTES * self._scores() + self.bytes_moved()

    def _scores(self) -> int:
        return self.batch * self.heads * self.seq**2


class Fp32Matmuls(Planted, frozen=True, tag="fp32-matmuls"):
    """A chain of matrix products; the fault computes them in fp32, which no tensor core does.

    Parameters
    ----------
    fault : bool
        Whether the tensors are fp32 (with TF32 off, torch's default), not bf16.
    size, depth : int
        Side of each matrix, number of products.
    """

    series: ClassVar[str] = "fault_fp32_matmuls"
    annotation: ClassVar[str] = "matmul_chain"
    code: ClassVar[str] = "profiling_series.workloads.faults.steps.fp32_matmuls"
    small: ClassVar[dict[str, int]] = {"size": 16, "depth": 2}

    # 4 products of 1.1 TFLOP: about 6 ms in bf16 on an NVIDIA H200.
    size: Annotated[int, Meta(description="side of each matrix")] = 8192
    depth: Annotated[int, Meta(description="number of products")] = 4

    def prepare(self, device: str, seed: int) -> Step:
        """Return the step."""
        from profiling_series.workloads.faults.steps import fp32_matmuls

        return fp32_matmuls.prepare(self._dtype(), (self.size, self.depth), device, seed)

    def flops(self) -> int:
        """Return those of the matrix products."""
        return self.depth * 2 * self.size**3

    def bytes_moved(self) -> int:
        """Return the weights, the input and the result, once each."""
        return (self.depth + 2) * self.size**2 * DTYPE_BYTES[self._dtype()]

    def required_bytes(self) -> int:
        """Return the weights, and the activations that are alive at once."""
        return (self.depth + 4) * self.size**2 * DTYPE_BYTES[self._dtype()]

    def _dtype(self) -> str:
        return "fp32" if self.fault else "bf16"
