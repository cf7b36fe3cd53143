"""A matplotlib figure as SVG that lives in a page: its ink is the page's, its text is text."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from ..format import escape
from .palette import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def page_svg(figure: Figure, label: str, min_width_px: int) -> str:
    """Return the figure as an ``<svg>`` element: no background, ink as ``currentColor``, the page's fonts.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn with `palette.INK` for text and lines.
    label : str
        What a screen reader says of the picture.
    min_width_px : int
        Below this a page scrolls the picture instead of shrinking its words.
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
        "font-family=\"system-ui,-apple-system,'Segoe UI','Liberation Sans','DejaVu Sans',sans-serif\" "
        'fill="currentColor" stroke-linejoin="round">'
    )
    return _OPENING.sub(lambda found: opening, text, count=1).replace(INK, "currentColor")
