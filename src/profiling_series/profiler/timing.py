"""What a step costs without the profiler: timed by ``torch.utils.benchmark`` in a fresh process."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import quantiles
from typing import Any, ClassVar

from profiling_series import workloads
from profiling_series.errors import UsageError
from profiling_series.profiler.measured import Measurement
from profiling_series.profiler.obtain import obtain
from profiling_series.profiler.request import (
    check_compile_mode,
    compile_slug,
    digest_of,
    numbers_slug,
    whole_number,
)
from profiling_series.workloads import Workload


@dataclass(frozen=True)
class TimingRequest:
    """What to time: a workload, in one of its forms, in one of several processes.

    Parameters
    ----------
    workload : Workload
        What is timed.
    compile : str, optional
        A mode of ``torch.compile``; None for eager.
    seed : int
        Seed of the data.
    run : int
        Which of several processes that all do the same; a single one is number 0.

    Raises
    ------
    UsageError
        A field is not of its kind, or out of range.
    """

    kind: ClassVar[str] = "timing"
    cold: ClassVar[bool] = False

    workload: Workload
    compile: str | None = None
    seed: int = 0
    run: int = 0

    def __post_init__(self) -> None:
        """Check every field."""
        if type(self.workload) not in workloads.WORKLOADS.values():
            raise UsageError(f"a timing takes a workload of profiling_series, not {self.workload!r:.80}")
        check_compile_mode(self.compile)
        object.__setattr__(self, "seed", whole_number("seed", self.seed))
        object.__setattr__(self, "run", whole_number("run", self.run))

    @property
    def key(self) -> str:
        """Return the name of the file, ``"01_matmul_add/64_bf16_warm_eager_timing"``."""
        always, changed = self.workload.slug_parts()
        numbers = numbers_slug(seed=self.seed, run=self.run)
        parts = (*always, "warm", compile_slug(self.compile), *changed, "timing", *numbers)
        return f"{self.workload.series}/{'_'.join(parts)}"

    @property
    def digest(self) -> str:
        """Return 16 hex digits over all fields."""
        return digest_of(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Return all fields as plain JSON values; `from_json` gives the request back."""
        return {
            "kind": self.kind,
            "workload": workloads.to_json(self.workload),
            "compile": self.compile,
            "seed": self.seed,
            **({"run": self.run} if self.run else {}),
        }


def from_json(data: Mapping[str, Any]) -> TimingRequest:
    """Return the request that `TimingRequest.to_json` described, or raise `UsageError`."""
    try:
        workload = workloads.from_json(data["workload"])
        return TimingRequest(workload, data["compile"], data["seed"], data.get("run", 0))
    except KeyError as missing:
        raise UsageError(f"the description of a timing lacks {missing}") from None


class Timing(Measurement):
    """How long a step takes in a run without the profiler, the GPU's work awaited.

    Each of its values is the mean of a block of calls, with a synchronization before and after the block:
    inside a block the CPU may run ahead of the GPU, as it does in a training loop.
    """

    kind: ClassVar[str] = "timing"

    @property
    def each_us(self) -> tuple[float, ...]:
        """Return the mean time of a call, µs, of each block."""
        return tuple(self.values["each_us"])

    @property
    def calls(self) -> int:
        """Return the calls of a block."""
        return int(self.values["calls"])

    @property
    def median_us(self) -> float:
        """Return the median over the blocks, µs."""
        return self._quartiles[1]

    @property
    def iqr_us(self) -> float:
        """Return the distance of the quartiles over the blocks, µs."""
        return self._quartiles[2] - self._quartiles[0]

    @property
    def _quartiles(self) -> list[float]:
        each = self.each_us
        return quantiles(each, method="inclusive") if len(each) > 1 else [each[0]] * 3


def time_workload(
    workload: Workload,
    *,
    compile: str | None = None,
    seed: int = 0,
    source: str = "auto",
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Timing:
    """Return how long a step of a workload takes without the profiler, timed in a fresh process.

    The timer is ``torch.utils.benchmark.Timer.blocked_autorange``, after three calls that are not timed.

    Parameters
    ----------
    workload : Workload
        What to time.
    compile : str, optional
        A mode of ``torch.compile``; None for eager.
    seed : int
        Seed of the workload's data.
    source : {"auto", "cuda", "cpu", "recorded", "replay"}
        As `capture` takes it.
    out : path-like, optional
        Folder in which to keep the figures.
    progress : callable, optional
        Called with a few words at each stage.

    Returns
    -------
    Timing
        Median, spread and each block's mean, µs.

    Raises
    ------
    UsageError
        A parameter is out of range, does not fit into memory, or asks for what this machine lacks.
    RecordingMissing
        There is no recording of these parameters.
    CaptureError
        The process that measured failed.
    """
    request = TimingRequest(workload, compile, seed)
    timing: Timing = obtain([request], source=source, out=out, progress=progress)[0]
    return timing


def time_runs(
    workload: Workload,
    n: int = 5,
    *,
    compile: str | None = None,
    seed: int = 0,
    source: str = "auto",
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[Timing]:
    """Return the timings of `n` fresh processes that all do the same; the first is that of `time_workload`.

    Parameters
    ----------
    workload : Workload
        What to time.
    n : int
        How many processes, at least 1.
    compile, seed, source, out, progress
        As `time_workload` takes them.

    Returns
    -------
    list of Timing
        One a process.

    Raises
    ------
    UsageError
        As `time_workload`, and where `n` is less than 1.
    RecordingMissing
        There is no recording of one of them.
    CaptureError
        A process that measured failed.
    """
    if whole_number("n", n) < 1:
        raise UsageError("time_runs: n must be at least 1, not 0")
    requests = [TimingRequest(workload, compile, seed, run) for run in range(n)]
    return obtain(requests, source=source, out=out, progress=progress)
