"""All that decides what a capture measures, its file name, and the digest by which a recording is found."""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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

    Raises
    ------
    UsageError
        A field is not of its kind, or out of range.
    """

    workload: Workload
    warm: bool = True
    compile: str | None = None
    schedule: Schedule = field(default_factory=Schedule)
    seed: int = 0

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
        if self.compile is not None and self.compile not in COMPILE_MODES:
            raise UsageError(
                f"unknown compile mode {self.compile!r:.80}; choose one of {', '.join(COMPILE_MODES)}, "
                "or None for eager"
            )
        object.__setattr__(self, "seed", _seed(self.seed))

    @property
    def key(self) -> str:
        """Return the series' name for the artefacts, ``"01_matmul_add/64_bf16_cold_eager"``.

        Every field that is not at its default is named, so that two different requests never share a key.
        """
        run = {None: "eager", "default": "compile"}.get(self.compile, self.compile)
        always, changed = self.workload.slug_parts()
        seed = () if self.seed == 0 else (f"seed{self.seed}",)
        temperature = "warm" if self.warm else "cold"
        parts = (*always, temperature, str(run), *changed, *self.schedule.slug_parts(), *seed)
        return f"{self.workload.series}/{'_'.join(parts)}"

    @property
    def digest(self) -> str:
        """Return 16 hex digits over all fields: equal for equal requests only; recordings are found by it."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_json(self) -> dict[str, Any]:
        """Return all fields as plain JSON values; `from_json` gives the request back."""
        return {
            "workload": workloads.to_json(self.workload),
            "warm": self.warm,
            "compile": self.compile,
            "schedule": self.schedule.params(),
            "seed": self.seed,
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
        )
    except KeyError as missing:
        raise UsageError(f"the description of a capture lacks {missing}") from None


def _seed(value: object) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        seed = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(f"seed must be a whole number, not {value!r:.80}") from None
    if not 0 <= seed < 2**63:
        raise UsageError(f"seed must be from 0 to 2**63 - 1, not {seed}")
    return seed
