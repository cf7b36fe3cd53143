"""All that decides what a capture measures, its file name, and the digest by which a recording is found."""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from profiling_series import workloads
from profiling_series.errors import UsageError
from profiling_series.profiler import schedule as schedules
from profiling_series.profiler.schedule import Schedule
from profiling_series.workloads import Workload

#: The modes of ``torch.compile``; None stands for eager.
COMPILE_MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")
#: Calls before the profiler starts in a warm capture, as many as in the series.
WARM_CALLS = 3


@dataclass(frozen=True)
class Request:
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

    kind: ClassVar[str] = "capture"

    workload: Workload
    warm: bool = True
    compile: str | None = None
    schedule: Schedule = field(default_factory=Schedule)
    seed: int = 0
    run: int = 0

    def __post_init__(self) -> None:
        """Check every field, so that nothing wrong reaches a child process."""
        if type(self.workload) not in workloads.WORKLOADS.values():
            raise UsageError(
                f"capture takes a workload of profiling_series.workloads, not {self.workload!r:.80}; "
                "for a function of your own use record_callable(fn, name) or record(name)"
            )
        if not isinstance(self.schedule, Schedule):
            raise UsageError(f"schedule must be a profiling_series.Schedule, not {self.schedule!r:.80}")
        if not isinstance(self.warm, bool):
            raise UsageError(f"warm must be True or False, not {self.warm!r:.80}")
        check_compile_mode(self.compile)
        object.__setattr__(self, "seed", whole_number("seed", self.seed))
        object.__setattr__(self, "run", whole_number("run", self.run))

    @property
    def cold(self) -> bool:
        """Return whether the compilers' caches must be empty."""
        return not self.warm

    @property
    def key(self) -> str:
        """Return the series' name for the artefacts, ``"01_matmul_add/64_bf16_cold_eager"``.

        Every field that is not at its default is named, so that two different requests never share a key.
        """
        always, changed = self.workload.slug_parts()
        temperature = "warm" if self.warm else "cold"
        numbers = numbers_slug(seed=self.seed, run=self.run)
        parts = (
            *always,
            temperature,
            compile_slug(self.compile),
            *changed,
            *self.schedule.slug_parts(),
            *numbers,
        )
        return f"{self.workload.series}/{'_'.join(parts)}"

    @property
    def digest(self) -> str:
        """Return 16 hex digits over all fields: equal for equal requests only; recordings are found by it."""
        return digest_of(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Return all fields as plain JSON values; `from_json` gives the request back."""
        return {
            "workload": workloads.to_json(self.workload),
            "warm": self.warm,
            "compile": self.compile,
            "schedule": self.schedule.params(),
            "seed": self.seed,
            # Left out of the first, so that a single capture and the first of several are one recording.
            **({"run": self.run} if self.run else {}),
        }


def from_json(data: Mapping[str, Any]) -> Request:
    """Return the request that `Request.to_json` described, or raise `UsageError`."""
    try:
        return Request(
            workload=workloads.from_json(data["workload"]),
            warm=data["warm"],
            compile=data["compile"],
            schedule=schedules.from_json(data["schedule"]),
            seed=data["seed"],
            run=data.get("run", 0),
        )
    except KeyError as missing:
        raise UsageError(f"the description of a capture lacks {missing}") from None


def digest_of(description: Mapping[str, Any]) -> str:
    """Return 16 hex digits over a description of plain JSON values, whatever the order of its keys."""
    text = json.dumps(description, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def check_compile_mode(mode: object) -> None:
    """Return None, or raise `UsageError` for what is neither a mode of ``torch.compile`` nor None."""
    if mode is not None and mode not in COMPILE_MODES:
        raise UsageError(
            f"unknown compile mode {mode!r:.80}; choose one of {', '.join(COMPILE_MODES)}, or None for eager"
        )


def compile_slug(mode: str | None) -> str:
    """Return how a file name says the compile mode: ``"eager"``, ``"compile"``, or the mode."""
    return {None: "eager", "default": "compile"}.get(mode, str(mode))


def numbers_slug(**numbers: int) -> tuple[str, ...]:
    """Return ``("seed1", "run2")``, each number that is not 0 with its name."""
    return tuple(f"{name}{number}" for name, number in numbers.items() if number)


def whole_number(name: str, value: object) -> int:
    """Return the value as an int from 0 to 2**63 - 1, or raise `UsageError` that names it."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(f"{name} must be a whole number, not {value!r:.80}") from None
    if not 0 <= number < 2**63:
        raise UsageError(f"{name} must be from 0 to 2**63 - 1, not {number}")
    return number
