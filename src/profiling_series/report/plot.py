"""What the plots share: axes in the page's ink, and a view that is a picture with its figures as a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .blocks import Block, html_of, text_of
from .markup import render, scrolling
from .palette import INK, PAINTS
from .pictures import page_svg
from .view import View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SERIES = ((PAINTS["op"].fill, "o"), (PAINTS["overhead"].fill, "s"), (PAINTS["annotation"].fill, "^"))
"""Colour and marker of each line, so that no line is told apart by its colour alone."""
_MORE = ("D", "v", "P", "X", "*")
MIN_WIDTH_PX = 560


def plot_view(
    kind: str, label: str, draw: Callable[[Figure], None], blocks: Callable[[], list[Block]], provenance: str
) -> View:
    """Return a view that is a picture on a page and a table in a terminal; the page has the table folded.

    Parameters
    ----------
    kind : str
        As of `View`.
    label : str
        What the picture shows, in a sentence.
    draw : callable
        Draws on an empty figure.
    blocks : callable
        Returns the same figures as text.
    provenance : str
        Where they come from.
    """

    def figure() -> Figure:
        from matplotlib.figure import Figure

        made = Figure(figsize=(6.6, 4.1), dpi=100, layout="constrained")
        draw(made)
        return made

    def picture() -> str:
        return page_svg(figure(), label, MIN_WIDTH_PX)

    def page() -> str:
        return render("plot", picture=scrolling(label, picture()), table=html_of(blocks()))

    return View(
        kind=f"plot ps-{kind}",
        provenance=provenance,
        to_text=lambda: text_of(blocks()),
        to_html=page,
        to_figure=figure,
        to_picture=picture,
    )


def axes_in_ink(figure: Figure, xlabel: str, ylabel: str, log: bool = False) -> Any:
    """Return axes without a box, their lines and words in the page's ink.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        To draw on.
    xlabel, ylabel : str
        With units.
    log : bool
        Whether both axes are logarithmic.
    """
    axes = figure.subplots()
    axes.set_facecolor("none")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(INK)
    axes.tick_params(which="both", colors=INK, labelsize=9)
    axes.grid(which="major", color=INK, alpha=0.15, lw=0.6)
    axes.set_xlabel(xlabel, color=INK)
    axes.set_ylabel(ylabel, color=INK)
    if log:
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(_plainly)
        axes.xaxis.set_major_formatter(_plainly)
    return axes


def _plainly(value: float, _: object) -> str:
    """Return a tick's number without a power of ten."""
    return f"{value:,.10g}"


def legend(on: Any, **where: Any) -> None:
    """Return None, with a legend in the page's ink on the axes or the figure.

    Parameters
    ----------
    on : matplotlib.axes.Axes or matplotlib.figure.Figure
        To draw on.
    **where
        As matplotlib takes it.
    """
    on.legend(fontsize=9, frameon=False, labelcolor=INK, **where)


def looks(count: int) -> list[tuple[str, str]]:
    """Return colour and marker of so many lines, no two alike: beyond those of `SERIES`, colours come again.

    Parameters
    ----------
    count : int
        How many lines there are.
    """
    colours = [colour for colour, _ in SERIES]
    markers = [*(marker for _, marker in SERIES), *_MORE]
    pairs = [(colours[at % len(colours)], markers[at % len(markers)]) for at in range(count)]
    if len(set(pairs)) < count:
        raise UsageError(f"a plot of {count} lines tells nothing: choose fewer series")
    return pairs
