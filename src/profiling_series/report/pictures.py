"""A matplotlib figure as SVG that lives in a page, its ink the page's; and any page's picture as a file."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from ..format import escape
from .palette import FONTS, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INK = re.compile(INK)
BLACK = re.compile(r"#000000\b|(?<=fill: )black\b|(?<=stroke: )black\b")
_STYLE = re.compile(r' style="[^"]*"')
_COLOURS = "<style>svg{color:#1f2328}@media (prefers-color-scheme:dark){svg{color:#dfe3e8}}</style>"
_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_UNWANTED = re.compile(
    # The style would reach the whole page.
    r"<metadata>.*?</metadata>\s*|<defs>\s*<style.*?</style>\s*</defs>\s*",
    re.DOTALL,
)
_ID = re.compile(r'\sid="([^"]*)"')
_REFERRED = re.compile(r"#([\w-]+)(?=[\")])")
_OPENING = re.compile(r"<svg\b[^>]*>")
_FONTS = re.compile(r"font-family: [^\";]*|(?<=font: )([^;\"]*?px) [^;\"]*")


def page_svg(figure: Figure, label: str, min_width_px: int, *, ink: re.Pattern[str] = _INK) -> str:
    """Return the figure as an ``<svg>`` element: no background, ink as ``currentColor``, the page's fonts.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Any figure.
    label : str
        What a screen reader says of the picture.
    min_width_px : int
        Below this a page scrolls the picture instead of shrinking its words.
    ink : re.Pattern
        The colour of text and lines in it: by default `palette.INK`; `BLACK` of a figure in matplotlib's own.
    """
    import matplotlib as mpl

    out = io.StringIO()
    # Text stays text; the salt makes the ids of the same picture the same, and of two pictures different.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": label}):
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    text = _UNWANTED.sub("", _PROLOGUE.sub("", out.getvalue(), count=1))
    referred = set(_REFERRED.findall(text))
    text = _ID.sub(lambda found: found[0] if found[1] in referred else "", text)
    text = _FONTS.sub(lambda found: f"{found[1]} inherit" if found[1] else "font-family: inherit", text)
    box = " ".join(f"{size:g}" for size in (0, 0, *(72 * figure.get_size_inches())))
    opening = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
        f'aria-label="{escape(label)}" viewBox="{box}" '
        f'style="min-width:{min_width_px}px;width:100%;height:auto;display:block" '
        f'font-family="{FONTS}" '
        'fill="currentColor" stroke-linejoin="round">'
    )
    return ink.sub("currentColor", _OPENING.sub(lambda found: opening, text, count=1))


def standalone(svg: str) -> str:
    """Return a page's picture as a file, which must bring its own ink for light and for dark.

    Parameters
    ----------
    svg : str
        The ``<svg>`` element, as a page holds it.
    """
    opening, end, rest = svg.partition(">")
    return f"{_STYLE.sub('', opening)}{end}{_COLOURS}{rest}"
