"""What every report gives back: one reading, as text for a terminal and as HTML for a page."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..format import shown
from .markup import render
from .pictures import standalone

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOW_VARIABLE = "PROFILING_SERIES_SHOW"


@dataclass(frozen=True, repr=False)
class View:
    """One reading of one capture, with its provenance under it.

    Attributes
    ----------
    kind : str
        What it is: ``"summary"``, ``"table"``, ``"timeline"``, ``"chain"``, ``"check"`` or ``"claims"``;
        also its CSS class, ``ps-<kind>``.
    provenance : str
        Where the figures come from: live or recorded, on what machine; for a bare trace, its file.
    to_text, to_html : callable
        Make the body. They run when asked, so that text costs no plotting library.
    to_figure : callable, optional
        Makes the matplotlib figure, where the view is a plot.
    to_picture : callable, optional
        Makes the picture as an ``<svg>`` element for a page, where the view has one.
    script : callable, optional
        Returns the script that a page of this kind of view needs once; a notebook gets it with each.
    capture : str
        Key of the capture that it is the picture of, by which a site finds the trace to offer below; or "".
    """

    kind: str
    provenance: str
    to_text: Callable[[], str] = field(repr=False)
    to_html: Callable[[], str] = field(repr=False)
    to_figure: Callable[[], Figure] | None = field(default=None, repr=False)
    to_picture: Callable[[], str] | None = field(default=None, repr=False)
    script: Callable[[], str] | None = field(default=None, repr=False)
    capture: str = ""

    def text(self) -> str:
        """Return the reading as plain text, the provenance on its last line."""
        return f"{self.to_text().rstrip()}\n\n[{self.provenance}]"

    def figure(self) -> Figure:
        """Return the plot as a matplotlib figure, to save or to change.

        Raises
        ------
        UsageError
            The view is not a plot.
        """
        if self.to_figure is None:
            raise UsageError(f"a {self.kind} is no plot of matplotlib's; distribution(x).figure() gives one")
        return self.to_figure()

    def save(self, path: str | PathLike[str]) -> None:
        """Return None, with the picture written as an SVG file that brings its own ink for light and dark.

        Parameters
        ----------
        path : str or path
            Where, ending in ``.svg``.

        Raises
        ------
        UsageError
            The view is not a picture, or the file is to be of another kind.
        """
        if self.to_picture is None:
            raise UsageError(f"a {self.kind} is no picture; timeline(x).save(path) writes one")
        if Path(path).suffix != ".svg":
            raise UsageError(f"a picture is written as .svg, not as {shown(Path(path).name)}")
        Path(path).write_text(standalone(self.to_picture()), encoding="utf-8")

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        alone = _in_notebook()
        return render(
            "view",
            kind=self.kind,
            capture=self.capture,
            body=self.to_html(),
            provenance=self.provenance,
            style=files(__package__).joinpath("style.css").read_text("utf-8") if alone else "",
            script=self.script() if alone and self.script else "",
        )


def show(view: View) -> View | None:
    """Return the view where a page can draw it, otherwise print its text and return None.

    As the last line of a cell it shows the HTML in a notebook and in the documentation, and in a plain
    script the same reading as text. ``PROFILING_SERIES_SHOW=html`` or ``=text`` decides, else whether a
    notebook kernel runs. A notebook gets style and script with each view; with ``=html`` the page around the
    views is expected to hold them.

    Parameters
    ----------
    view : View
        What to show.

    Returns
    -------
    View or None
        The view where its HTML will be drawn; None where its text was printed.
    """
    if _draws_html():
        return view
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(view.text().encode(encoding, "replace").decode(encoding))
    return None


def _draws_html() -> bool:
    """Return whether the last value of a cell becomes HTML here."""
    return os.environ.get(SHOW_VARIABLE, "") == "html" or _in_notebook()


def _in_notebook() -> bool:
    """Return whether a notebook's kernel runs, and nothing else was asked for."""
    if os.environ.get(SHOW_VARIABLE, ""):
        return False
    # A kernel has loaded IPython already; asking must not load it.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None
