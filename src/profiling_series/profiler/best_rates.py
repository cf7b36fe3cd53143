"""What this machine reaches at best: the rate of a large matrix product, and of a large copy."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from profiling_series.profiler.obtain import obtain
from profiling_series.results import Ceilings, CeilingsRequest


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
    source : {"auto", "cuda", "cpu", "recorded", "replay", "record"}
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
