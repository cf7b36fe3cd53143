"""Faults on the way in: a copy from pageable memory, and a loader that does not keep up."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from profiling_series.workloads.base import Step
from profiling_series.workloads.faults.planted import Planted

_BF16_BYTES = 2
#: Rows that a record of `StarvedInput` holds; a sample is one record.
ROWS_A_RECORD = 32


class PageableCopy(Planted, frozen=True, tag="pageable-copy"):
    """A step that copies its batch to the GPU; the fault copies from pageable memory and waits for it.

    The driver moves pageable memory in pieces through a buffer of its own, at a fraction of the bus's speed,
    and the CPU waits meanwhile, so that nothing is queued behind the copy. The healthy twin copies from
    pinned memory, ``non_blocking``, on the same stream.

    Parameters
    ----------
    fault : bool
        Whether the batch lies in pageable memory and is copied with a plain ``.to(device)``.
    batch, width, depth : int
        Rows of the batch, width of each of the `depth` matrix products.
    """

    series: ClassVar[str] = "fault_pageable_copy"
    annotation: ClassVar[str] = "copy_and_forward"
    code: ClassVar[str] = "profiling_series.workloads.faults.steps.pageable_copy"
    small: ClassVar[dict[str, int]] = {"batch": 8, "width": 16, "depth": 2}

    # 67 MB to copy before 24 products of 275 GFLOP (about 9 ms on an NVIDIA H200).
    batch: Annotated[int, Meta(description="rows of the batch")] = 8192
    width: Annotated[int, Meta(description="width of each matrix product")] = 4096
    depth: Annotated[int, Meta(description="number of matrix products")] = 24

    def prepare(self, device: str, seed: int) -> Step:
        """Return the step: the copy, then the matrix products."""
        from profiling_series.workloads.faults.steps import pageable_copy

        return pageable_copy.prepare(self.fault, (self.batch, self.width, self.depth), device, seed)

    def flops(self) -> int:
        """Return those of the matrix products."""
        return self.depth * 2 * self.batch * self.width**2

    def bytes_moved(self) -> None:
        """Return None: what must move depends on how much is fused."""

    def required_bytes(self) -> int:
        """Return the weights, the batch, and the activations that are alive at once."""
        return _BF16_BYTES * (self.depth * self.width**2 + 5 * self.batch * self.width)


class StarvedInput(Planted, frozen=True, tag="starved-input"):
    """A step fed by a ``DataLoader`` without workers; the fault unpacks each record when it is asked for.

    The unpacking happens on the thread that launches the GPU's work, and takes longer than that work. The
    healthy twin has unpacked the records once, before the loop.

    Parameters
    ----------
    fault : bool
        Whether records are unpacked in the loop.
    records : int
        Records in a batch, of 32 rows each.
    width : int
        Bytes of a row, and width of the matrix products.
    copies : int
        How often the GPU repeats the batch before it works on it.
    depth : int
        Number of matrix products.
    """

    series: ClassVar[str] = "fault_starved_input"
    annotation: ClassVar[str] = "load_and_forward"
    code: ClassVar[str] = "profiling_series.workloads.faults.steps.starved_input"
    small: ClassVar[dict[str, int]] = {"records": 2, "width": 64, "copies": 2, "depth": 2}

    # 4 MiB to unpack (about 17 ms of a CPU core) for 12 products of 550 GFLOP (about 9 ms on an NVIDIA H200).
    records: Annotated[int, Meta(description="records in a batch, 32 rows each")] = 16
    width: Annotated[int, Meta(description="bytes of a row, and width of each matrix product")] = 8192
    copies: Annotated[int, Meta(description="how often the GPU repeats the batch")] = 8
    depth: Annotated[int, Meta(description="number of matrix products")] = 12

    def prepare(self, device: str, seed: int) -> Step:
        """Return the step: the next batch, its copy to the device, then the matrix products."""
        from profiling_series.workloads.faults.steps import starved_input

        sizes = (self.records, self.width, self.copies, self.depth)
        return starved_input.prepare(self.fault, sizes, ROWS_A_RECORD, device, seed)

    def flops(self) -> int:
        """Return those of the matrix products."""
        return self.depth * 2 * self._rows() * self.width**2

    def bytes_moved(self) -> None:
        """Return None: what must move depends on how much is fused."""

    def required_bytes(self) -> int:
        """Return the weights, the batch, and the activations that are alive at once."""
        return _BF16_BYTES * (self.depth * self.width**2 + 5 * self._rows() * self.width)

    def _rows(self) -> int:
        return self.records * ROWS_A_RECORD * self.copies
