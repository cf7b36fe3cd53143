"""The roofline: how near a sweep comes to what this machine reaches, and which limit lies above it.

After S. Williams, A. Waterman and D. Patterson, "Roofline: An Insightful Visual Performance Model for
Multicore Architectures", Communications of the ACM 52(4), 2009. The roofs here are measured, not a data
sheet's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..format import number, share
from ..measures.sweeps import by_series, limit_of, roof_at
from .blocks import Block, Column, Grid
from .palette import INK
from .plot import axes_in_ink, legend, looks, plot_view
from .step_times import digits, not_measured
from .view import View

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def roofline(sweep: Any, ceilings: Any) -> View:
    """Return a sweep under the roofs of its machine: a log-log plot on a page, a table in a terminal.

    Parameters
    ----------
    sweep : Sweep
        Of a workload with a dtype, one in each series.
    ceilings : Ceilings
        Measured on the same machine, with each of the sweep's dtypes.

    Returns
    -------
    View
        Rates over FLOP a byte, over the whole step and while the GPU works, with the limit above them.
    """
    lines = dict.fromkeys((sweep.source_line, f"ceilings {ceilings.source_line}"))
    return plot_view(
        "roofline",
        "Rate over arithmetic intensity, both axes logarithmic, under the measured ceilings",
        lambda figure: _draw(figure, sweep, ceilings),
        lambda: [_ceilings(ceilings), _table(sweep, ceilings)],
        "; ".join(lines),
    )


def _ceilings(ceilings: Any) -> Block:
    """Return the ceilings as a table."""
    rows = [(f"product, {dtype}", f"{digits(rate)} TFLOP/s") for dtype, rate in ceilings.tflops.items()]
    kept_up = ceilings.sustained_tflops.items()
    rows += [(f"product, {dtype}, kept up", f"{digits(rate)} TFLOP/s") for dtype, rate in kept_up]
    rows.append(("copy, read and write", f"{digits(ceilings.gbs)} GB/s"))
    rows += [(f"they meet, {dtype}", f"{number(ceilings.ridge(dtype))} FLOP/B") for dtype in ceilings.tflops]
    return Grid("Ceilings, measured", (Column("What", figures=False), Column("best")), tuple(rows))


def _table(sweep: Any, ceilings: Any) -> Block:
    """Return each size under its roof, a row each."""
    groups = by_series(sweep)
    on_gpu = any(point.gpu_tflops is not None for points in groups.values() for point in points)
    rows = []
    for series, points in groups.items():
        dtype = _dtype(points)
        for point in points:
            above = roof_at(ceilings, dtype, point.intensity)
            cells = [f"{point.x} {series}", number(point.intensity), digits(above)]
            cells.append(share(point.tflops / above))
            if on_gpu:
                cells.append(share(point.gpu_tflops / above))
            rows.append((*cells, limit_of(point.workload, ceilings) or "unknown"))
    heads = ("FLOP/B", "roof TFLOP/s", "step reaches", *(("GPU reaches",) if on_gpu else ()))
    columns = (Column("Step", figures=False), *map(Column, heads), Column("lower roof", figures=False))
    note = "Of the roof: over the whole step" + (", and over the GPU's work in it." if on_gpu else ".")
    return Grid("Under the roof", columns, tuple(rows), note + not_measured(sweep))


def _dtype(points: list[Any]) -> str:
    """Return the dtype of a series; its roof is that of no other."""
    found = {point.workload.dtype for point in points}
    if len(found) > 1:
        raise UsageError(f"a roof is that of one dtype, and a series has {' and '.join(sorted(found))}")
    return str(found.pop())


def _draw(figure: Figure, sweep: Any, ceilings: Any) -> None:
    axes = axes_in_ink(figure, "FLOP for each byte that must move", "TFLOP/s", log=True)
    groups = by_series(sweep)
    every = [point.intensity for points in groups.values() for point in points]
    low, high = min(every) / 2, max(every) * 2
    name = "n" if sweep.x == "size" else sweep.x
    for (colour, marker), (series, points) in zip(looks(len(groups)), groups.items(), strict=True):
        dtype = _dtype(points)
        ridge = min(max(ceilings.ridge(dtype), low), high)
        way = (low, ridge, high)
        axes.plot(way, [roof_at(ceilings, dtype, at) for at in way], color=colour, lw=2.2)
        top = ceilings.tflops[dtype]
        axes.annotate(
            f"{dtype}: {digits(top)} TFLOP/s", (high, top), (0, 4), textcoords="offset points", ha="right",
            color=INK, fontsize=9,
        )  # fmt: skip
        x = [point.intensity for point in points]
        gpu = [point.gpu_tflops for point in points]
        if None not in gpu:
            axes.plot(
                x, gpu, color=colour, marker=marker, ms=6, ls="none", label=f"{series}: while the GPU works"
            )
        axes.plot(
            x, [point.tflops for point in points],
            color=colour, marker=marker, ms=6, mfc="none", ls=(0, (2, 2)), lw=1,
            label=f"{series}: whole step",
        )  # fmt: skip
        for point, offset in ((points[0], (8, -3)), (points[-1], (0, -13))):
            axes.annotate(
                f"{name}={point.x}", (point.intensity, point.tflops), offset,
                textcoords="offset points", ha="left" if offset[0] else "center", color=INK, fontsize=8,
            )  # fmt: skip
    axes.annotate(
        f"memory: {digits(ceilings.gbs)} GB/s", (low, ceilings.gbs * low / 1000), (8, -12),
        textcoords="offset points", color=INK, fontsize=9,
    )  # fmt: skip
    axes.set_xlim(low, high)
    legend(axes, loc="lower right")
