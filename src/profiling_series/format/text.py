"""Names and texts that come from anywhere, made fit for people, a terminal and a file."""

from __future__ import annotations

import re
import unicodedata

NAME_LIMIT = 160
"""Characters of a name that a view shows; the rest is counted, not shown."""
SENTENCE_LIMIT = 70
"""Characters of a name in a sentence."""
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str) -> str:
    r"""Return the text with every character that does not print spelled out, as ``\n``, ``\x1b``, ``\u202e``.

    Control characters would steer a terminal, direction marks would reorder a page. Spaces of every width
    stay.

    Parameters
    ----------
    text : str
        Any text.
    """
    if text.isprintable():
        return text
    return "".join(
        char.encode("unicode_escape").decode("ascii") if unicodedata.category(char) in _INVISIBLE else char
        for char in text
    )


def one_line(text: str) -> str:
    """Return the text as one line, what does not print in it spelled out."""
    return visible(" ".join(text.splitlines()))


def sentence(text: str) -> str:
    """Return the text as a sentence: a capital at its start, one full stop or question mark at its end."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?")) else f"{text}."


def shown(name: str, limit: int = NAME_LIMIT) -> str:
    """Return a name fit to be shown: visible, and cut at `limit` with its full length stated.

    Parameters
    ----------
    name : str
        Any name.
    limit : int
        Characters to show.
    """
    if len(name) <= limit:
        return visible(name)
    return f"{visible(name[:limit])}… ({len(name):,} characters)"


def elide(text: str, width: int) -> str:
    """Return the text in at most `width` characters, its middle left out where it does not fit.

    Kernel names carry their meaning at both ends; those with template arguments at the beginning only, and
    lose their end.

    Parameters
    ----------
    text : str
        One line.
    width : int
        Characters there is room for.
    """
    if len(text) <= width:
        return text
    if width < 4 or "<" in text:
        return text[: max(width - 1, 0)] + "…"
    tail = (width - 1) // 3
    return f"{text[: width - 1 - tail]}…{text[-tail:]}"


def short(name: str) -> str:
    """Return a name that fits into a sentence."""
    # Cut before it is looked at: a name of a megabyte must not cost seconds.
    return elide(visible(name[: 4 * SENTENCE_LIMIT]), SENTENCE_LIMIT)


_TEMPLATE = re.compile(r"<[^<>]*>")


def short_name(name: str, width: int = 32) -> str:
    """Return a kernel's name without return type, namespaces, template and call arguments.

    Parameters
    ----------
    name : str
        As the trace holds it.
    width : int
        Characters there is room for.
    """
    # Cut before the patterns see it: a name of a megabyte must not cost seconds.
    text, before = readable(visible(name[:600])), ""
    while before != text:
        before, text = text, _TEMPLATE.sub("", text)
    text = text.split("<")[0].strip() or text
    return elide(text.split("::")[-1] or text, width)


_NAMESPACES = re.compile(
    r"\b(?:at|native|c10|cuda|std|cutlass|detail|internal|pytorch_flash|impl)::|\(anonymous namespace\)::"
)
_RETURNS = re.compile(r"^(?:void|static|inline)\s+")


def readable(name: str) -> str:
    """Return a C++ name with its template arguments, without namespaces, return type and parameters.

    Parameters
    ----------
    name : str
        As the trace holds it.
    """
    text = _NAMESPACES.sub("", _RETURNS.sub("", name))
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "<") - (char == ">")
        if char == "(" and depth == 0 and at:
            return text[:at].strip()
    return text.strip()
