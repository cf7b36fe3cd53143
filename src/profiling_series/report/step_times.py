"""A sweep's steps over their size: when the CPU is what a step waits for, and when the GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..format import number, share
from ..measures.sweeps import by_series, crossing_of, rounded
from .blocks import Block, Column, Grid
from .palette import INK
from .plot import axes_in_ink, legend, looks, plot_view
from .view import View

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def step_times(sweep: Any) -> View:
    """Return what a step takes at each size of a sweep: a log-log plot on a page, a table in a terminal.

    Parameters
    ----------
    sweep : Sweep
        Of any workload, in any number of series.

    Returns
    -------
    View
        What a step costs in a run, how long the GPU works for it, and where that becomes longer than the
        CPU's part (see `profiling_series.measures.sweeps.crossing_of`).
    """
    return plot_view(
        "step-times",
        "Step time over size, both axes logarithmic",
        lambda figure: _draw(figure, sweep),
        lambda: [_table(sweep)],
        sweep.source_line,
    )


def not_measured(sweep: Any) -> str:
    """Return a sentence on the points of a sweep that could not be measured, each with its reason.

    Parameters
    ----------
    sweep : Sweep
        Of any workload.
    """
    failed = [f"{point.x} {point.series} ({point.failed})" for point in sweep.points if point.failed]
    return f" Not measured: {'; '.join(failed)}." if failed else ""


def _table(sweep: Any) -> Block:
    """Return the figures of each point, a row each."""
    groups = by_series(sweep)
    on_gpu = any(point.stretch.gpu_sum_us is not None for points in groups.values() for point in points)
    heads = ["step µs", "CPU µs", *(["GPU µs", "GPU busy"] if on_gpu else []), "TFLOP/s", "GB/s"]
    columns = [Column("Step", figures=False), *map(Column, heads)]
    rows = []
    for series, points in groups.items():
        for point in points:
            took = point.stretch
            cells = [
                f"{point.x} {series}",
                number(took.step_us),
                number(took.cpu_us),
            ]
            if on_gpu:
                cells += [number(took.gpu_sum_us), share(took.gpu_busy_share)]
            cells += [digits(point.tflops), digits(point.gbs)]
            rows.append((*cells, took.regime) if on_gpu else tuple(cells))
    if on_gpu:
        columns.append(Column("the step is", figures=False))
    note = "Medians; the rates are over the whole step, the bytes the least that must move."
    if on_gpu:
        note += (
            " Overhead-bound: the GPU is busy for less than half of the time; gpu-bound: for 90 % or more."
        )
    return Grid("A step, by size", tuple(columns), tuple(rows), note + not_measured(sweep))


def digits(value: float | None) -> str:
    """Return a rate with three digits.

    Parameters
    ----------
    value : float or None
        A rate; None where it is not known.
    """
    return "unknown" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _draw(figure: Figure, sweep: Any) -> None:
    axes = axes_in_ink(
        figure, f"{sweep.x} n" if sweep.x == "size" else sweep.x, "time of a step, µs", log=True
    )
    groups = by_series(sweep)
    for (colour, marker), (series, points) in zip(looks(len(groups)), groups.items(), strict=True):
        sizes = [point.x for point in points]
        axes.plot(
            sizes, [point.stretch.step_us for point in points],
            color=colour, marker=marker, ms=6, lw=1.8, label=f"{series}: step",
        )  # fmt: skip
        gpu = [point.stretch.gpu_sum_us for point in points]
        if None not in gpu:
            axes.plot(
                sizes, gpu, color=colour, marker=marker, ms=5, mfc="none", lw=1.2, ls=(0, (3, 2)),
                label=f"{series}: GPU's work in it",
            )  # fmt: skip
        if (at := crossing_of(points)) is not None:
            axes.axvline(at, color=colour, lw=1, ls=(0, (1, 2)))
            axes.annotate(
                f" n ≈ {rounded(at):,}",
                (at, 0.02),
                xycoords=("data", "axes fraction"),
                color=INK,
                fontsize=9,
            )
    sizes = sorted({point.x for points in groups.values() for point in points})
    axes.set_xticks(sizes)
    axes.minorticks_off()
    legend(axes, loc="upper left")
