"""What a sweep is asked for: points, measured one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from profiling_series.errors import UsageError
from profiling_series.results.asked import (
    Asked,
    check_compile_mode,
    check_workload,
    compile_slug,
    numbers_slug,
)
from profiling_series.workloads import AnyWorkload

#: Recorded steps of each point of a sweep, and those of them, the first, that do not count: what is done once
#: is done by then.
STEPS, UNSETTLED = 20, 5


class Point(Struct, frozen=True):
    """One of the things that a sweep measures.

    Parameters
    ----------
    workload : Workload
        What is measured.
    compile : str, optional
        A mode of ``torch.compile``; None for eager.
    """

    workload: AnyWorkload
    compile: str | None = None

    @property
    def label(self) -> str:
        """Return the annotation that stands in the trace before its steps, ``"sweep 64_bf16"``."""
        always, changed = self.workload.slug_parts()
        mode = () if self.compile is None else (compile_slug(self.compile),)
        return f"sweep {'_'.join((*always, *changed, *mode))}"


class SweepRequest(Asked, frozen=True, tag="sweep"):
    """What to sweep over, in order.

    Parameters
    ----------
    points : tuple of Point
        All of one kind of workload.
    steps : int
        Recorded steps of each, of which the first `UNSETTLED` do not count.
    seed : int
        Seed of the data.

    Raises
    ------
    UsageError
        There is no point, one comes twice, they are of several kinds, or the steps are too few.
    """

    points: tuple[Point, ...]
    steps: int = STEPS
    seed: int = 0

    def __post_init__(self) -> None:
        """Check every field."""
        if len({type(one.workload) for one in self.points}) != 1:
            raise UsageError("sweep: give at least one workload, all of one kind")
        for one in self.points:
            check_workload(one.workload, "sweep takes workloads of profiling_series.workloads")
            check_compile_mode(one.compile)
        if len(set(self.points)) < len(self.points):
            raise UsageError("sweep: a point comes twice")
        self._whole("steps", "seed")
        if self.steps < 2 * UNSETTLED:
            raise UsageError(
                f"sweep: the first {UNSETTLED} of {self.steps} steps do not count; record {2 * UNSETTLED}"
            )

    @property
    def key(self) -> str:
        """Return the name of the artefacts, ``"01_matmul_add/sweep_64-8192_bf16-fp32_1f0c3a"``.

        The list is told by its ends; the first digits of the digest keep two lists apart.
        """
        modes = {one.compile for one in self.points} != {None}
        told = [
            (*one.workload.slug_parts()[0], *((compile_slug(one.compile),) if modes else ()))
            for one in self.points
        ]
        ends = ["-".join(dict.fromkeys((column[0], column[-1]))) for column in zip(*told, strict=True)]
        parts = ("sweep", *ends, *numbers_slug(seed=self.seed), self.digest[:6])
        return f"{self.points[0].workload.series}/{'_'.join(parts)}"


def points_of(every: Sequence[AnyWorkload | Point]) -> tuple[Point, ...]:
    """Return the points of a sweep, of which those that are plain workloads are eager."""
    return tuple(one if isinstance(one, Point) else Point(one) for one in every)
