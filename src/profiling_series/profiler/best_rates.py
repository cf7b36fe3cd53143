"""What this machine reaches at best: the rate of a large matrix product, and of a large copy."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from profiling_series.errors import UsageError
from profiling_series.profiler.measured import Measurement
from profiling_series.profiler.obtain import obtain
from profiling_series.profiler.request import digest_of, numbers_slug, whole_number
from profiling_series.workloads.base import known_dtype


@dataclass(frozen=True)
class CeilingsRequest:
    """Of which types to find the ceiling.

    Parameters
    ----------
    dtypes : tuple of str
        Short names of the types whose products are timed.
    seed : int
        Seed of the data.

    Raises
    ------
    UsageError
        A type is unknown or named twice, or there is none.
    """

    kind: ClassVar[str] = "ceilings"
    cold: ClassVar[bool] = False

    dtypes: tuple[str, ...] = ("bf16", "fp32")
    seed: int = 0

    def __post_init__(self) -> None:
        """Check every field."""
        names = tuple(known_dtype("ceilings", name) for name in self.dtypes)
        if not names or len(set(names)) < len(names):
            raise UsageError(f"ceilings: name each dtype once, not {self.dtypes!r:.80}")
        object.__setattr__(self, "dtypes", names)
        object.__setattr__(self, "seed", whole_number("seed", self.seed))

    @property
    def key(self) -> str:
        """Return the name of the file, ``"ceilings/bf16_fp32"``."""
        return f"ceilings/{'_'.join((*self.dtypes, *numbers_slug(seed=self.seed)))}"

    @property
    def digest(self) -> str:
        """Return 16 hex digits over all fields."""
        return digest_of(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Return all fields as plain JSON values; `from_json` gives the request back."""
        return {"kind": self.kind, "dtypes": list(self.dtypes), "seed": self.seed}


def from_json(data: Mapping[str, Any]) -> CeilingsRequest:
    """Return the request that `CeilingsRequest.to_json` described, or raise `UsageError`."""
    try:
        return CeilingsRequest(tuple(data["dtypes"]), data["seed"])
    except KeyError as missing:
        raise UsageError(f"the description of ceilings lacks {missing}") from None


class Ceilings(Measurement):
    """The best rates that were measured, in one process and without the profiler.

    They are what the libraries reach here with random data, not what a data sheet promises: the best of some
    short bursts at a few large sizes.
    """

    kind: ClassVar[str] = "ceilings"

    @property
    def tflops(self) -> dict[str, float]:
        """Return the rate of the best product of each type, TFLOP/s."""
        return {name: max(found["tflops"] for found in each) for name, each in self.values["matmul"].items()}

    @property
    def sustained_tflops(self) -> dict[str, float]:
        """Return the best rate that each type's products kept up for half a second, TFLOP/s."""
        return {
            name: max(found["sustained_tflops"] for found in each)
            for name, each in self.values["matmul"].items()
            if all("sustained_tflops" in found for found in each)
        }

    @property
    def gbs(self) -> float:
        """Return the rate of the best copy, GB/s, each byte counted when read and when written."""
        return max(found["gbs"] for found in self.values["copy"])

    def ridge(self, dtype: str) -> float:
        """Return from how many FLOP a byte on arithmetic, not memory, is the limit."""
        return self.tflops[dtype] * 1000 / self.gbs


def ceilings(
    dtypes: Sequence[str] = ("bf16", "fp32"),
    *,
    seed: int = 0,
    source: str = "auto",
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Ceilings:
    """Return the best rates of this machine, measured in a fresh process with random data.

    Parameters
    ----------
    dtypes : sequence of {"bf16", "fp16", "fp32", "fp64"}
        Types whose products are timed.
    seed : int
        Seed of the data.
    source : {"auto", "cuda", "cpu", "recorded", "replay"}
        As `capture` takes it.
    out : path-like, optional
        Folder in which to keep the figures.
    progress : callable, optional
        Called with a few words at each stage.

    Returns
    -------
    Ceilings
        TFLOP/s of each type, and GB/s of copies.

    Raises
    ------
    UsageError
        A type is unknown, or what is asked for cannot be measured here.
    RecordingMissing
        There is no recording of these parameters.
    CaptureError
        The process that measured failed.
    """
    request = CeilingsRequest(tuple(dtypes), seed)
    found: Ceilings = obtain([request], source=source, out=out, progress=progress)[0]
    return found
