"""The first workload of the series: a matrix product and an addition."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from profiling_series.workloads.base import (
    DTYPE_BYTES,
    Dtype,
    Step,
    Workload,
    known_dtype,
    named_when_changed,
    set_positive_ints,
)


class MatmulAdd(Workload, frozen=True, tag="matmul-add"):
    """``torch.add(torch.matmul(x, w), b)`` with x, w and b of n×n, or of batch×n×n.

    Parameters
    ----------
    size : int
        n, the side of each matrix.
    dtype : {"bf16", "fp16", "fp32", "fp64"}
        Type of the elements.
    batch : int, optional
        Number of matrices in each tensor; None for plain 2-D matrices, which ``torch.matmul`` sends to
        ``aten::mm`` instead of ``aten::bmm``.

    Raises
    ------
    UsageError
        A parameter is out of range.
    """

    series: ClassVar[str] = "01_matmul_add"
    annotation: ClassVar[str] = "matmul_add"
    code: ClassVar[str] = "profiling_series.workloads.steps.matmul_add"

    size: Annotated[int, Meta(description="n: x, w and b are n×n")] = 64
    dtype: Dtype = "bf16"
    batch: Annotated[
        int | None, Meta(description="that many matrices in each tensor (default: one, without a batch)")
    ] = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        set_positive_ints(self, "size", *(() if self.batch is None else ("batch",)))
        known_dtype(self.name, self.dtype)

    def prepare(self, device: str, seed: int) -> Step:
        """Return the step; x, w and b are random numbers on `device`, from `seed`."""
        from profiling_series.workloads.steps import matmul_add

        return matmul_add.prepare(self.size, self.dtype, self.batch, device, seed)

    def flops(self) -> int:
        """Return batch · (2n³ + n²): a multiplication and an addition per term, and the final addition."""
        return (self.batch or 1) * (2 * self.size**3 + self.size**2)

    def bytes_moved(self) -> int:
        """Return batch · 4n² · element size: x, w and b read once and the result written once.

        This is the least that any implementation must move. The eager form also writes the product and reads
        it back, 6n² in all.
        """
        return 4 * self._matrix_bytes()

    def required_bytes(self) -> int:
        """Return batch · 5n² · element size: x, w, b, the product and the result."""
        return 5 * self._matrix_bytes()

    def slug_parts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return ``("64", "bf16")`` and, where there is a batch, ``("batch64",)``."""
        return (str(self.size), self.dtype), named_when_changed(self, always=("size", "dtype"))

    def _matrix_bytes(self) -> int:
        return (self.batch or 1) * self.size**2 * DTYPE_BYTES[self.dtype]
