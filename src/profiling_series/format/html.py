"""Text made fit for a page."""

from __future__ import annotations

import html
import re

from .text import visible

NARROW_SPACE = "\u202f"
_UNITS = re.compile(r"(?<=\d) (?=(?:µs|%|B|KiB|MiB|GiB|TiB|FLOP/s|TFLOP/s)(?![\w/]))")


def escape(text: str) -> str:
    """Return the text for HTML: visible, and escaped for content and attributes alike.

    Parameters
    ----------
    text : str
        Any text.
    """
    return html.escape(visible(text), quote=True)


def narrow(text: str) -> str:
    """Return the text, visible, with a narrow no-break space between a figure and its unit.

    Parameters
    ----------
    text : str
        Any text; not escaped yet.
    """
    return _UNITS.sub(NARROW_SPACE, visible(text))


def prose(text: str, *, keep_lines: bool = False) -> str:
    """Return the text for HTML, with a narrow no-break space between a figure and its unit.

    Parameters
    ----------
    text : str
        Any text.
    keep_lines : bool
        Let line breaks stand; they are ours, not a name's.
    """
    if keep_lines:
        return "\n".join(prose(line) for line in text.split("\n"))
    return _UNITS.sub(NARROW_SPACE, escape(text))
