"""What a sweep leaves: one recording, and what the settled steps of each of its points took."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from profiling_series.errors import UsageError
from profiling_series.results.asked import compile_slug
from profiling_series.results.capture import Capture
from profiling_series.results.points import UNSETTLED, Point, SweepRequest
from profiling_series.workloads import AnyWorkload

if TYPE_CHECKING:
    from profiling_series.trace.stretch import Stretch


class Swept(Struct, frozen=True):
    """One point of a sweep, with what its settled steps took, or why it could not be measured.

    Parameters
    ----------
    point : Point
        Which.
    x : int or float
        Where it lies.
    series : str
        On which line.
    took : Stretch, optional
        Its steps from the sixth on: `step_us`, `cpu_us`, `gpu_sum_us`, `gpu_busy_share`.
    failed : str, optional
        Why there is none, in one line.
    """

    point: Point
    x: float
    series: str
    took: Stretch | None = None
    failed: str | None = None

    @property
    def workload(self) -> AnyWorkload:
        """Return what was measured."""
        return self.point.workload

    @property
    def stretch(self) -> Stretch:
        """Return what its steps took; raise `UsageError` where it could not be measured."""
        if self.took is None:
            raise UsageError(f"{self.point.label} was not measured: {self.failed}")
        return self.took

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


class Sweep(Struct, frozen=True, dict=True):
    """One recording that holds the steps of several points, one after the other, in one process.

    Parameters
    ----------
    capture : Capture
        The recording, whose trace can be opened as any other.
    request : SweepRequest
        What was asked for.
    x : str
        The field of the workloads along which the points lie.
    series : tuple of str
        The fields, or ``"compile"``, whose values make a line of them.
    """

    capture: Capture
    request: SweepRequest
    x: str = "size"
    series: tuple[str, ...] = ("dtype",)

    @property
    def source_line(self) -> str:
        """Return the line to put under every figure; it says that the points shared a process."""
        shared = f"{len(self.request.points)} workloads in one process"
        return f"{self.capture.source_line}; {shared}, steps {UNSETTLED + 1} to {self.request.steps} of each"

    @property
    def on_gpu(self) -> bool:
        """Return whether a GPU was measured."""
        return self.capture.on_gpu

    @property
    def measured(self) -> tuple[Swept, ...]:
        """Return the points that did not fail."""
        return tuple(one for one in self.points if one.failed is None)

    @cached_property
    def points(self) -> tuple[Swept, ...]:
        """Return what each point took, or why it failed, in the order of the sweep.

        Raises
        ------
        UsageError
            The trace does not hold the steps of a point that did not fail.
        """
        return tuple(self._swept(one) for one in self.request.points)

    def _swept(self, point: Point) -> Swept:
        from profiling_series.trace.stretch import after_annotation, measure_steps

        x, series = _place(point, self.x), _line(point, self.series)
        if (why := self.capture.provenance.failed.get(point.label)) is not None:
            return Swept(point, x, series, failed=why)
        trace, steps = self.capture.trace, self.request.steps
        chosen = after_annotation(trace, point.label, steps)
        if len(chosen) < steps:
            raise UsageError(f"{self.capture.key}: {len(chosen)} of {steps} steps follow {point.label!r}")
        return Swept(point, x, series, measure_steps(trace, chosen[UNSETTLED:]))


def check_places(request: SweepRequest, x: str, series: tuple[str, ...]) -> None:
    """Return None, or raise `UsageError` where two points would lie at one place of one line."""
    placed = [(_place(one, x), _line(one, series)) for one in request.points]
    if len(set(placed)) < len(placed):
        raise UsageError(
            f"sweep: two points have the same {' and '.join((x, *series))}; name in x= and series= what they "
            f"differ in, of {', '.join(_known(request.points[0]))}"
        )


def _place(point: Point, x: str) -> float:
    value = _value(point, x)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"sweep: x must name a number of the workload, and {x} is {value!r:.80}")
    return value


def _line(point: Point, series: tuple[str, ...]) -> str:
    return " ".join(str(_value(point, name)) for name in series)


def _value(point: Point, name: str) -> object:
    """Return what a point has under a name; raise `UsageError` where it has none."""
    if name == "compile":
        return compile_slug(point.compile)
    if name not in _known(point):
        raise UsageError(
            f"sweep: {point.workload.name} has no {name}; choose x= and series= of {', '.join(_known(point))}"
        )
    return point.workload.params()[name]


def _known(point: Point) -> tuple[str, ...]:
    return (*point.workload.params(), "compile")
