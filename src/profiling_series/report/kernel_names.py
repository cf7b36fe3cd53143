"""The names of a capture's kernels, taken apart: what each says, and what it does not."""

from __future__ import annotations

from ..format import elide, readable, shown
from ..trace.kernel_names import decode
from .blocks import Block, Column, Grid, Notes, html_of, text_of
from .source import Source, provenance_of, trace_of
from .view import View

MAX_KERNELS = 3


def kernel_names(x: Source, name: str | None = None) -> View:
    """Return what the names of a capture's kernels tell, piece by piece.

    Parameters
    ----------
    x : Capture or Trace
        What to read.
    name : str, optional
        Only kernels with this text in their name; by default the one with most time.

    Returns
    -------
    View
        Family, then every piece with its meaning; ``not known`` where nobody has written it down.
    """
    trace = trace_of(x)
    names = [kernel["name"] for kernel in trace.kernels]
    chosen = names[:1] if name is None else [one for one in names if name in one][:MAX_KERNELS]
    return View(
        kind="kernel-names",
        provenance=provenance_of(x),
        to_text=lambda: text_of(_blocks(chosen, name)),
        to_html=lambda: html_of(_blocks(chosen, name)),
    )


def _blocks(names: list[str], wanted: str | None) -> list[Block]:
    if not names:
        why = "it holds no kernel." if wanted is None else f"no kernel has {shown(wanted, 60)!r} in its name."
        return [Notes("Kernels of this trace", (f"None to show: {why}",))]
    return [_pieces(name) for name in names]


def _pieces(name: str) -> Grid:
    found = decode(name)
    rows = tuple((shown(part.text, 60), part.meaning) for part in found.parts if part.meaning)
    columns = (Column("Piece", figures=False), Column("says", figures=False))
    # A long name, which nothing breaks, would make the table wider than the page.
    return Grid(elide(shown(readable(name)), 64), columns, rows, f"{found.summary}.")
