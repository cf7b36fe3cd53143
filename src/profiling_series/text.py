"""Text that may come from anywhere, made fit for a terminal and for a file."""

from __future__ import annotations


def visible(text: str) -> str:
    r"""Return the text with control characters written out (``\x1b``, ``\n``)."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def one_line(text: str) -> str:
    """Return the text as one line, its other control characters written out."""
    return visible(" ".join(text.splitlines()))
