"""What can be asked for, each with all that decides what is measured: its files' name follows from it."""

from __future__ import annotations

from typing import ClassVar

from profiling_series.errors import UsageError
from profiling_series.results.asked import (
    Asked,
    check_compile_mode,
    check_workload,
    compile_slug,
    numbers_slug,
)
from profiling_series.results.points import SweepRequest
from profiling_series.results.schedule import Schedule
from profiling_series.workloads import AnyWorkload
from profiling_series.workloads.base import known_dtype

#: Calls before the profiler starts in a warm capture, as many as in the series.
WARM_CALLS = 3


class Request(Asked, frozen=True, tag="capture"):
    """What to capture: a workload and how to run it; everything but where.

    Parameters
    ----------
    workload : Workload
        What is measured.
    warm : bool
        Whether `WARM_CALLS` calls come before the profiler.
    compile : str, optional
        A mode of ``torch.compile``; None for eager.
    schedule : Schedule
        Which steps are recorded.
    seed : int
        Seed of the data.
    run : int
        Which of several processes that all do the same; a single one is number 0.

    Raises
    ------
    UsageError
        A field is not of its kind, or out of range.
    """

    workload: AnyWorkload
    warm: bool = True
    compile: str | None = None
    schedule: Schedule = Schedule()
    seed: int = 0
    run: int = 0

    def __post_init__(self) -> None:
        """Check every field, so that nothing wrong reaches a child process."""
        check_workload(
            self.workload,
            "capture takes a workload of profiling_series.workloads (for a function of your own use "
            "record_callable(fn, name) or record(name))",
        )
        if not isinstance(self.schedule, Schedule):
            raise UsageError(f"schedule must be a profiling_series.Schedule, not {self.schedule!r:.80}")
        if not isinstance(self.warm, bool):
            raise UsageError(f"warm must be True or False, not {self.warm!r:.80}")
        check_compile_mode(self.compile)
        self._whole("seed", "run")

    @property
    def cold(self) -> bool:
        """Return whether the compilers' caches must be empty."""
        return not self.warm

    @property
    def key(self) -> str:
        """Return the series' name for the artefacts, ``"01_matmul_add/64_bf16_cold_eager"``.

        Every field that is not at its default is named.
        """
        always, changed = self.workload.slug_parts()
        temperature = "warm" if self.warm else "cold"
        numbers = numbers_slug(seed=self.seed, run=self.run)
        how = (temperature, compile_slug(self.compile), *changed, *self.schedule.slug_parts(), *numbers)
        return f"{self.workload.series}/{'_'.join((*always, *how))}"


class TimingRequest(Asked, frozen=True, tag="timing"):
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

    leaves_trace: ClassVar[bool] = False

    workload: AnyWorkload
    compile: str | None = None
    seed: int = 0
    run: int = 0

    def __post_init__(self) -> None:
        """Check every field."""
        check_workload(self.workload, "a timing takes a workload of profiling_series")
        check_compile_mode(self.compile)
        self._whole("seed", "run")

    @property
    def key(self) -> str:
        """Return the name of the file, ``"01_matmul_add/64_bf16_warm_eager_timing"``."""
        always, changed = self.workload.slug_parts()
        numbers = numbers_slug(seed=self.seed, run=self.run)
        parts = (*always, "warm", compile_slug(self.compile), *changed, "timing", *numbers)
        return f"{self.workload.series}/{'_'.join(parts)}"


class CeilingsRequest(Asked, frozen=True, tag="ceilings"):
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

    leaves_trace: ClassVar[bool] = False

    dtypes: tuple[str, ...] = ("bf16", "fp32")
    seed: int = 0

    def __post_init__(self) -> None:
        """Check every field."""
        names = tuple(known_dtype("ceilings", name) for name in self.dtypes)
        if not names or len(set(names)) < len(names):
            raise UsageError(f"ceilings: name each dtype once, not {self.dtypes!r:.80}")
        self._whole("seed")

    @property
    def key(self) -> str:
        """Return the name of the file, ``"ceilings/bf16_fp32"``."""
        return f"ceilings/{'_'.join((*self.dtypes, *numbers_slug(seed=self.seed)))}"


#: Whatever can be asked for; told apart by ``kind`` where it is written down.
AnyRequest = Request | SweepRequest | TimingRequest | CeilingsRequest
