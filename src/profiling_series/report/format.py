"""Strings that people read: times, sizes, shares, and names that nobody may trust."""

from __future__ import annotations

import html
import re
import unicodedata

MICRO = "µs"
NARROW_SPACE = "\u202f"
NAME_LIMIT = 160
"""Characters of a name that a view shows; the rest is counted, not shown."""
_UNITS = re.compile(r"(?<=\d) (?=(?:µs|%|B|KiB|MiB|GiB|TiB|FLOP/s|TFLOP/s)(?![\w/]))")
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def us(value_us: float | None) -> str:
    """Return a time in microseconds with the digits that matter, ``"unknown"`` for None.

    Two decimals below 10 µs, one below 1,000, none above: a trace resolves 0.001 µs, a reader does not.

    Parameters
    ----------
    value_us : float or None
        A time, µs.
    """
    if value_us is None:
        return "unknown"
    return f"{number(value_us)} {MICRO}"


def number(value: float | None) -> str:
    """Return a figure without its unit, rounded as `us` rounds; ``"unknown"`` for None.

    Parameters
    ----------
    value : float or None
        A figure.
    """
    if value is None:
        return "unknown"
    size = abs(value)
    # Thresholds lie where the next coarser format begins to print the same digits (9.996 reads 10.0).
    if size < 9.995:
        return f"{value:.2f}"
    if size < 999.95:
        return f"{value:.1f}"
    return f"{value:,.0f}"


def share(fraction: float | None) -> str:
    """Return a fraction as a percentage, ``"unknown"`` for None.

    Parameters
    ----------
    fraction : float or None
        1 is the whole.
    """
    if fraction is None:
        return "unknown"
    percent = round(100 * fraction, 9)
    if percent == int(percent):
        return f"{percent:.0f} %"
    return f"{percent:.2f} %" if 0 < abs(percent) < 0.995 else f"{percent:.1f} %"


def size(value_bytes: float | None) -> str:
    """Return a size with a binary unit, ``"unknown"`` for None.

    Parameters
    ----------
    value_bytes : float or None
        Bytes.
    """
    if value_bytes is None:
        return "unknown"
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(value_bytes) < 1024 or unit == "GiB":
            break
        value_bytes /= 1024
    return f"{value_bytes:.0f} {unit}" if value_bytes == int(value_bytes) else f"{value_bytes:.1f} {unit}"


def count(value: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun, in the plural where it must be.

    Parameters
    ----------
    value : int
        How many.
    noun : str
        Of what, in the singular.
    plural : str, optional
        Where an s does not make it.
    """
    return f"{value:,} {noun if value == 1 else plural or noun + 's'}"


def visible(text: str) -> str:
    r"""Return the text with every character that does not print spelled out, as ``\x1b`` or ``\u202e``.

    Control characters would steer a terminal, direction marks would reorder a page.

    Parameters
    ----------
    text : str
        Any text.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_spell(char) if unicodedata.category(char) in _INVISIBLE else char for char in text)


def _spell(char: str) -> str:
    """Return the escape of one character, in the shortest form that Python knows."""
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


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


def escape(text: str) -> str:
    """Return the text for HTML: visible, and escaped for content and attributes alike.

    Parameters
    ----------
    text : str
        Any text.
    """
    return html.escape(visible(text), quote=True)


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
