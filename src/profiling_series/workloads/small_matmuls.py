"""The workload of "Winning": many small matrix products, one by one or as one batch."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from profiling_series.errors import UsageError
from profiling_series.workloads.base import (
    DTYPE_BYTES,
    Dtype,
    Step,
    Workload,
    known_dtype,
    set_positive_ints,
)


class SmallMatmuls(Workload, frozen=True, tag="small-matmuls"):
    """As many products of n×n matrices as `count` says: a Python loop of them, or one ``torch.bmm``.

    Parameters
    ----------
    count : int
        How many products a step computes.
    size : int
        n, the side of each matrix.
    dtype : {"bf16", "fp16", "fp32", "fp64"}
        Type of the elements.
    batched : bool
        Whether one ``torch.bmm`` computes them all, from the same data.

    Raises
    ------
    UsageError
        A parameter is out of range.
    """

    series: ClassVar[str] = "01_small_matmuls"
    annotation: ClassVar[str] = "small_matmuls"
    code: ClassVar[str] = "profiling_series.workloads.steps.small_matmuls"

    count: Annotated[int, Meta(description="products in a step")] = 64
    size: Annotated[int, Meta(description="n: each matrix is n×n")] = 64
    dtype: Dtype = "bf16"
    batched: Annotated[bool, Meta(description="one torch.bmm instead of a loop (yes or no)")] = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        set_positive_ints(self, "count", "size")
        known_dtype(self.name, self.dtype)
        if not isinstance(self.batched, bool):
            raise UsageError(f"{self.name}: batched must be True or False, not {self.batched!r:.80}")

    def prepare(self, device: str, seed: int) -> Step:
        """Return the step; the matrices are random numbers on `device`, from `seed`, alike in both forms."""
        from profiling_series.workloads.steps import small_matmuls

        return small_matmuls.prepare((self.count, self.size), self.dtype, self.batched, device, seed)

    def flops(self) -> int:
        """Return count · 2n³: a multiplication and an addition per term."""
        return self.count * 2 * self.size**3

    def bytes_moved(self) -> int:
        """Return count · 3n² · element size: two matrices read and one written for each product."""
        return self.count * 3 * self.size**2 * DTYPE_BYTES[self.dtype]

    def required_bytes(self) -> int:
        """Return the same: all results of a step are alive at its end."""
        return self.bytes_moved()

    def slug_parts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return ``("64x64", "bf16")``, count and size first, and ``("batched",)`` where it is."""
        return (f"{self.count}x{self.size}", self.dtype), ("batched",) if self.batched else ()
