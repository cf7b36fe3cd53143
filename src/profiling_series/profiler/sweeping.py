"""Several workloads in one process and one recording: how a step changes with its size."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from profiling_series import workloads
from profiling_series.errors import UsageError
from profiling_series.profiler.captured import Capture
from profiling_series.profiler.obtain import obtain
from profiling_series.profiler.request import digest_of, numbers_slug, whole_number
from profiling_series.workloads import Workload

if TYPE_CHECKING:
    from profiling_series.trace.stretch import Stretch

#: Recorded steps of each workload before those that count: what is done once is done by then.
UNSETTLED = 5
STEPS = 20


@dataclass(frozen=True)
class SweepRequest:
    """What to sweep over, in order.

    Parameters
    ----------
    workloads : tuple of Workload
        All of one kind.
    steps : int
        Recorded steps of each, of which the first `UNSETTLED` do not count.
    seed : int
        Seed of the data.

    Raises
    ------
    UsageError
        There is no workload, one comes twice, they are of several kinds, or the steps are too few.
    """

    kind: ClassVar[str] = "sweep"
    cold: ClassVar[bool] = False

    workloads: tuple[Workload, ...]
    steps: int = STEPS
    seed: int = 0

    def __post_init__(self) -> None:
        """Check every field."""
        kinds = {type(one) for one in self.workloads}
        if len(kinds) != 1 or not kinds <= set(workloads.WORKLOADS.values()):
            raise UsageError(
                "sweep: give at least one workload, all of one kind of profiling_series.workloads"
            )
        if len(set(self.workloads)) < len(self.workloads):
            raise UsageError("sweep: a workload comes twice")
        object.__setattr__(self, "steps", whole_number("steps", self.steps))
        object.__setattr__(self, "seed", whole_number("seed", self.seed))
        if self.steps < 2 * UNSETTLED:
            raise UsageError(
                f"sweep: the first {UNSETTLED} of {self.steps} steps do not count; record {2 * UNSETTLED}"
            )

    @property
    def key(self) -> str:
        """Return the name of the artefacts, ``"01_matmul_add/sweep_64-8192_bf16-fp32_1f0c3a"``.

        The list is told by its ends; the first digits of the digest keep two lists apart.
        """
        columns = zip(*(one.slug_parts()[0] for one in self.workloads), strict=True)
        ends = ["-".join(dict.fromkeys((column[0], column[-1]))) for column in columns]
        parts = ("sweep", *ends, *numbers_slug(seed=self.seed), self.digest[:6])
        return f"{self.workloads[0].series}/{'_'.join(parts)}"

    @property
    def digest(self) -> str:
        """Return 16 hex digits over all fields, the order of the workloads included."""
        return digest_of(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Return all fields as plain JSON values; `from_json` gives the request back."""
        return {
            "kind": self.kind,
            "workloads": [workloads.to_json(one) for one in self.workloads],
            "steps": self.steps,
            "seed": self.seed,
        }


def from_json(data: Mapping[str, Any]) -> SweepRequest:
    """Return the request that `SweepRequest.to_json` described, or raise `UsageError`."""
    try:
        every = tuple(workloads.from_json(one) for one in data["workloads"])
        return SweepRequest(every, data["steps"], data["seed"])
    except KeyError as missing:
        raise UsageError(f"the description of a sweep lacks {missing}") from None


def label(workload: Workload) -> str:
    """Return the annotation that stands in the trace before a workload's steps, ``"sweep 64_bf16"``."""
    always, changed = workload.slug_parts()
    return f"sweep {'_'.join((*always, *changed))}"


@dataclass(frozen=True)
class Point:
    """One workload of a sweep, with what its settled steps took.

    Attributes
    ----------
    workload : Workload
        Which.
    stretch : Stretch
        Its steps from the sixth on: `step_us`, `cpu_us`, `gpu_sum_us`, `gpu_busy_share`.
    """

    workload: Workload
    stretch: Stretch

    @property
    def tflops(self) -> float | None:
        """Return the rate over the whole step, waiting included, TFLOP/s."""
        return _rate(self.workload.flops(), self.stretch.step_us, 1e6)

    @property
    def gbs(self) -> float | None:
        """Return the least bytes that must move over the whole step's time, GB/s."""
        return _rate(self.workload.bytes_moved(), self.stretch.step_us, 1e3)

    @property
    def gpu_tflops(self) -> float | None:
        """Return the rate while the GPU works, TFLOP/s; None where no GPU is in the trace."""
        return _rate(self.workload.flops(), self.stretch.gpu_sum_us, 1e6)

    @property
    def intensity(self) -> float | None:
        """Return the FLOP for each byte that must move at least."""
        return _rate(self.workload.flops(), self.workload.bytes_moved(), 1.0)


def _rate(amount: float | None, time: float | None, scale: float) -> float | None:
    return amount / time / scale if amount and time else None


@dataclass(frozen=True)
class Sweep:
    """One recording that holds the steps of several workloads, one after the other, in one process.

    Parameters
    ----------
    capture : Capture
        The recording, whose trace can be opened as any other.
    request : SweepRequest
        What was asked for.
    """

    capture: Capture
    request: SweepRequest

    @property
    def source_line(self) -> str:
        """Return the line to put under every figure; it says that the sizes shared a process."""
        shared = f"{len(self.request.workloads)} workloads in one process"
        return f"{self.capture.source_line}; {shared}, steps {UNSETTLED + 1} to {self.request.steps} of each"

    @property
    def on_gpu(self) -> bool:
        """Return whether a GPU was measured."""
        return self.capture.provenance.get("gpu") is not None

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """Return what each workload took, in the order of the sweep.

        Raises
        ------
        UsageError
            The trace does not hold the steps of one of them.
        """
        from profiling_series.trace.stretch import after_annotation, measure_steps

        trace, steps = self.capture.trace, self.request.steps
        found = []
        for workload in self.request.workloads:
            chosen = after_annotation(trace, label(workload), steps)
            if len(chosen) < steps:
                name = label(workload)
                raise UsageError(f"{self.capture.key}: {len(chosen)} of {steps} steps follow {name!r}")
            found.append(Point(workload, measure_steps(trace, chosen[UNSETTLED:])))
        return tuple(found)


def sweep(
    workloads: Sequence[Workload],
    *,
    steps: int = STEPS,
    seed: int = 0,
    source: str = "auto",
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Sweep:
    """Return the steps of several workloads, recorded in one process and one window of the profiler.

    Every workload's data is made and three calls of each are run before the profiler starts; between two of
    them the device is awaited. One window, because each further one in a process makes launches slower (see
    `profiling_series.profiler.child`).

    Parameters
    ----------
    workloads : sequence of Workload
        All of one kind, in the order in which they run.
    steps : int
        Recorded steps of each, of which the first five do not count.
    seed : int
        Seed of the data.
    source : {"auto", "cuda", "cpu", "recorded", "replay"}
        As `capture` takes it.
    out : path-like, optional
        Folder in which to keep the recording.
    progress : callable, optional
        Called with a few words at each stage.

    Returns
    -------
    Sweep
        A point for each workload, and the capture that they come from.

    Raises
    ------
    UsageError
        They cannot be swept over together, or do not fit into memory at once.
    RecordingMissing
        There is no recording of these parameters.
    CaptureError
        The process that measured failed.
    """
    request = SweepRequest(tuple(workloads), steps, seed)
    return Sweep(obtain([request], source=source, out=out, progress=progress)[0], request)
