"""One colour for each kind of event, shared by every picture.

The hues are those of Okabe and Ito (2008, "Color Universal Design"), which people with any common colour
vision tell apart. Orange and sky blue are darkened and vermillion kept, so that each fill stands 3:1 against
a white page and a dark one, and its own ink 4.5:1 on it (WCAG 2.2, 1.4.3 and 1.4.11); a test holds both.
"""

from __future__ import annotations

from dataclasses import dataclass

INK = "#010203"
"""Stands for the page's own text colour until the SVG is written, where it becomes ``currentColor``."""
FONTS = "system-ui,-apple-system,'Segoe UI','Liberation Sans','DejaVu Sans',sans-serif"
"""What a picture in a page sets its words in."""
BLACK, WHITE = "#000000", "#ffffff"


@dataclass(frozen=True)
class Paint:
    """How a kind of event is drawn: its fill, the ink on it, and what the legend calls it."""

    fill: str
    ink: str
    legend: str


PAINTS: dict[str, Paint] = {
    "step": Paint("#868b94", BLACK, "profiler step"),
    "annotation": Paint("#cc79a7", BLACK, "annotation"),
    "op": Paint("#4a96d2", BLACK, "op"),
    "call": Paint("#c78500", BLACK, "runtime or driver call"),
    "sync": Paint("#8f7ec2", BLACK, "waiting for the GPU"),
    "overhead": Paint("#d55e00", BLACK, "profiler overhead"),
    "kernel": Paint("#009e73", BLACK, "kernel"),
    "copy": Paint("#0072b2", WHITE, "copy or memset"),
    "span": Paint("none", INK, "span of an annotation on the GPU lane, not work"),
}
"""Kind → paint, in the order of the legend."""


def luminance(colour: str) -> float:
    """Return the relative luminance of a ``#rrggbb`` colour, 0 to 1 (WCAG 2.2).

    Parameters
    ----------
    colour : str
        Seven characters, ``#rrggbb``.
    """
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two ``#rrggbb`` colours, 1 to 21 (WCAG 2.2).

    Parameters
    ----------
    one, other : str
        Seven characters each, ``#rrggbb``.
    """
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
