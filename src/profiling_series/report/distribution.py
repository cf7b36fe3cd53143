"""One kernel over many runs: run by run, as a distribution, and in the figures to report."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..format import count, number, readable, share, shown, us
from ..measures.spread import Spread, spread
from .blocks import Facts, html_of, text_of
from .markup import scrolling
from .palette import INK, PAINTS
from .pictures import page_svg
from .source import Source, provenance_of, trace_of
from .view import View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = 10
BAR_CHARS = 40
MIN_WIDTH_PX = 560


def distribution(x: Source, name: str | None = None) -> View:
    """Return how long one kernel took, run by run: each run, how many stay within a time, and the figures.

    Parameters
    ----------
    x : Capture or Trace
        Of many steps: twenty measure, two hundred show a distribution.
    name : str, optional
        A part of the kernel's name; by default the kernel that takes most time. In a trace without GPU work
        an op, by its self time.

    Returns
    -------
    View
        Mean, median, the tenth and ninetieth percentile and the extremes, a picture on a page, bars of
        characters in a terminal.

    Raises
    ------
    UsageError
        No such name, or several.
    """
    found = spread(trace_of(x), name)
    return View(
        kind="distribution",
        provenance=provenance_of(x),
        to_text=lambda: f"{text_of([facts(found)])}\n\n{_bars(found)}",
        to_html=lambda: _html(found),
        to_figure=partial(distribution_figure, found),
        to_picture=partial(_picture, found),
    )


def facts(found: Spread) -> Facts:
    """Return the figures of a distribution, in words.

    Parameters
    ----------
    found : Spread
        The runs.
    """
    low, median, high = (found.percentile_us(percent) for percent in (10, 50, 90))
    first, last = float(found.each_us.min()), float(found.each_us.max())
    width = share((high - low) / median if median else None)
    pairs = (
        ("Runs", f"{len(found.each_us):,}, in steps {found.step.min()} to {found.step.max()}"),
        ("Median", f"{us(median)}: half of the runs are shorter"),
        ("p10 to p90", f"{us(low)} to {us(high)}: eight runs of ten, {width} of the median"),
        ("Mean", f"{us(found.mean_us)}: the sum over the number of runs"),
        ("Least, most", f"{us(first)}, {us(last)}"),
    )
    what = "" if found.kernel else " (self time of an op: this trace holds no GPU work)"
    return Facts(f"{shown(readable(found.name), 80)}{what}", pairs)


def _bars(found: Spread) -> str:
    """Return a histogram of characters, a line a bin."""
    low, high = float(found.each_us.min()), float(found.each_us.max())
    if high <= low:
        return f"  every run took {us(low)}"
    counts, edges = np.histogram(found.each_us, bins=BINS, range=(low, high))
    widths = [len(number(edge)) for edge in edges]
    lines = ["Runs by time in µs"]
    for at, runs in enumerate(counts):
        bar = "█" * max(round(BAR_CHARS * runs / counts.max()), int(runs > 0))
        bounds = f"{number(edges[at]):>{max(widths)}} – {number(edges[at + 1]):>{max(widths)}}"
        lines.append(f"  {bounds}  {runs:>5,}  {bar}".rstrip())
    return "\n".join(lines)


def _html(found: Spread) -> str:
    """Return picture and figures."""
    box = scrolling("Runs and their distribution", _picture(found))
    return f"{box}\n{html_of([facts(found)])}"


def _picture(found: Spread) -> str:
    """Return the picture as SVG, its label the figures."""
    told = facts(found)
    label = f"{told.title}. {'; '.join(f'{name}: {value}' for name, value in told.pairs)}"
    return page_svg(distribution_figure(found), label, MIN_WIDTH_PX)


def distribution_figure(found: Spread) -> Figure:
    """Return the picture: on the left each run in turn, on the right the share of runs within a time.

    Both parts have one axis of time, from the shortest run to the longest. The empirical distribution is
    drawn instead of a histogram because it needs no choice of bins.

    Parameters
    ----------
    found : Spread
        The runs.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.4), dpi=100, layout="constrained")
    runs, shares = figure.subplots(1, 2, sharey=True, width_ratios=(2.2, 1))
    for axes in (runs, shares):
        _style(axes)
        _levels(axes, found)
    paint = PAINTS["kernel" if found.kernel else "op"].fill
    size = 18 if len(found.each_us) <= 50 else 8
    runs.scatter(np.arange(1, len(found.each_us) + 1), found.each_us, s=size, color=paint, lw=0, zorder=3)
    runs.set_title(f"each of {count(len(found.each_us), 'run')}, in turn", fontsize=10, color=INK, loc="left")
    runs.set_xlabel("run", color=INK)
    runs.set_ylabel("µs", color=INK, rotation=0, labelpad=10)
    runs.legend(
        loc="upper right", fontsize=9, frameon=False, labelcolor=INK, handlelength=1.6, borderaxespad=0,
        bbox_to_anchor=(1, 1.0), ncols=3, columnspacing=1.2,
    )  # fmt: skip
    order = np.sort(found.each_us)
    part = np.arange(1, len(order) + 1) / len(order) * 100
    shares.step(np.r_[0.0, part], np.r_[order[:1], order], where="post", color=paint, lw=2, zorder=3)
    shares.set_title("runs within a time", fontsize=10, color=INK, loc="left")
    shares.set_xlabel("% of runs", color=INK)
    shares.set_xticks([0, 50, 100])
    low, high = float(order[0]), float(order[-1])
    room = (high - low) or 0.1 * high or 1.0
    runs.set_ylim(low - 0.06 * room, high + 0.2 * room)
    return figure


def _levels(axes: Any, found: Spread) -> None:
    """Draw the figures as lines across: what is reported, and the mean beside it."""
    low, high = found.percentile_us(10), found.percentile_us(90)
    axes.axhspan(low, high, color=INK, alpha=0.12, lw=0, label="p10–p90")
    axes.axhline(found.percentile_us(50), color=INK, lw=1.4, label="median")
    axes.axhline(found.mean_us, color=PAINTS["overhead"].fill, lw=1.6, ls=(0, (4, 3)), label="mean")


def _style(axes: Any) -> None:
    """Give axes the page's ink and no more lines than they need."""
    from matplotlib.ticker import MaxNLocator

    axes.set_facecolor("none")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(INK)
    axes.tick_params(colors=INK, labelsize=9)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
