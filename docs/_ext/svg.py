"""Matplotlib figures as SVG that lives in a page: its ink is the page's, its text is text."""

from __future__ import annotations

import io
import re
from typing import Any

_INK = re.compile(r"#000000\b|(?<=fill: )black\b|(?<=stroke: )black\b")
_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>\s*", re.DOTALL)
_COLOURS = "<style>svg{color:#1f2328}@media (prefers-color-scheme:dark){svg{color:#dfe3e8}}</style>"
_OWN_STYLE = re.compile(
    r"<defs>\s*<style.*?</style>\s*</defs>\s*", re.DOTALL
)  # it would style the whole page
_FONTS = re.compile(r"font-family: [^\";]*")


def from_figure(figure: Any) -> str:
    """Return the SVG element of a matplotlib figure: no background, black ink as ``currentColor``."""
    import matplotlib as mpl

    out = io.StringIO()
    # Text stays text; the salt makes the same figure the same file.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "profiling-series"}):
        figure.savefig(out, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None})
    text = out.getvalue()
    for unwanted in (_PROLOGUE, _METADATA, _OWN_STYLE):
        text = unwanted.sub("", text, count=1)
    text = _FONTS.sub("font-family: inherit", _INK.sub("currentColor", text))
    # Black is SVG's own default, so matplotlib leaves it out.
    return text.replace("<svg ", '<svg role="img" fill="currentColor" stroke-linejoin="round" ', 1)


def standalone(text: str) -> str:
    """Return the same picture as a file, which must bring its own ink for light and for dark."""
    opening, rest = re.split(r"(?<=>)", text, maxsplit=1)
    return re.sub(r'style="[^"]*"', 'style="font-family:system-ui,sans-serif"', opening) + _COLOURS + rest
