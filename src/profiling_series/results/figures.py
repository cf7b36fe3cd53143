"""Results that are figures instead of a trace: one JSON file each, with the same provenance."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from statistics import quantiles
from typing import Self

from msgspec import Struct, structs

from profiling_series.results import store
from profiling_series.results.provenance import Source
from profiling_series.results.result import Result


class Figures(Result, frozen=True, dict=True, tag_field="kind"):
    """Figures that a fresh process measured without the profiler."""

    def save(self, out: str | os.PathLike[str], *, kept_as: Source | None = None) -> Self:
        """Return the figures, now also in ``<out>/<key>.measure.json``.

        Parameters
        ----------
        out : path-like
            Folder, made where missing.
        kept_as : {"live", "recorded"}, optional
            What the copy is to say of itself, where it stands for them in the same build.
        """
        described = structs.replace(self, provenance=structs.replace(self.provenance, kept_as=kept_as))
        store.write_figures(store.place_figures(out, self.key), described)
        return self


class Timing(Figures, frozen=True, dict=True, tag="timing"):
    """How long a step takes in a run without the profiler, the GPU's work awaited.

    Each value is the mean of a block of calls, with a synchronization before and after the block: inside a
    block the CPU may run ahead of the GPU, as it does in a training loop.

    Parameters
    ----------
    provenance : Provenance
        Where it comes from.
    each_us : tuple of float
        Mean time of a call, µs, of each block.
    calls : int
        Calls of a block.
    """

    each_us: tuple[float, ...]
    calls: int

    @property
    def median_us(self) -> float:
        """Return the median over the blocks, µs."""
        return self._quartiles[1]

    @property
    def iqr_us(self) -> float:
        """Return the distance of the quartiles over the blocks, µs."""
        return self._quartiles[2] - self._quartiles[0]

    @cached_property
    def _quartiles(self) -> list[float]:
        each = self.each_us
        return quantiles(each, method="inclusive") if len(each) > 1 else [each[0]] * 3


class Product(Struct, frozen=True):
    """A matrix product of one size: its best burst, each of them, and what half a second keeps up."""

    size: int
    us: float
    tflops: float
    each_us: tuple[float, ...] = ()
    sustained_us: float | None = None
    sustained_tflops: float | None = None


class Copied(Struct, frozen=True):
    """A copy of so many bytes, each counted when read and when written: its best burst, and each of them."""

    bytes: int
    us: float
    gbs: float
    each_us: tuple[float, ...] = ()


class Ceilings(Figures, frozen=True, dict=True, tag="ceilings"):
    """The best rates that were measured, in one process and without the profiler.

    They are what the libraries reach here with random data, not what a data sheet promises: the best of some
    short bursts at a few large sizes.

    Parameters
    ----------
    provenance : Provenance
        Where they come from.
    matmul : dict of str to tuple of Product
        The products of each type.
    copy : tuple of Copied
        The copies.
    """

    matmul: dict[str, tuple[Product, ...]]
    copy: tuple[Copied, ...]

    @property
    def tflops(self) -> dict[str, float]:
        """Return the rate of the best product of each type, TFLOP/s."""
        return {name: max(one.tflops for one in each) for name, each in self.matmul.items()}

    @property
    def sustained_tflops(self) -> dict[str, float]:
        """Return the best rate that each type's products kept up for half a second, TFLOP/s."""
        kept = {
            name: [one.sustained_tflops for one in each if one.sustained_tflops is not None]
            for name, each in self.matmul.items()
        }
        return {name: max(rates) for name, rates in kept.items() if len(rates) == len(self.matmul[name])}

    @property
    def gbs(self) -> float:
        """Return the rate of the best copy, GB/s, each byte counted when read and when written."""
        return max(one.gbs for one in self.copy)

    def ridge(self, dtype: str) -> float:
        """Return from how many FLOP a byte on arithmetic, not memory, is the limit."""
        return self.tflops[dtype] * 1000 / self.gbs


AnyFigures = Timing | Ceilings


def from_file(path: Path, *, source: Source) -> AnyFigures:
    """Return the figures of a file, with their source set.

    Parameters
    ----------
    path : Path
        ``….measure.json``.
    source : {"live", "recorded"}
        What to call them; a copy that a build has kept knows itself.

    Raises
    ------
    UsageError
        There is no such file, or it is none of ours.
    """
    found: AnyFigures = store.read_figures(path, AnyFigures)
    return structs.replace(found, provenance=found.provenance.opened(source))
