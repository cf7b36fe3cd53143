"""How figures, names and markup are written, in every output: once, for all stages."""

from .html import escape, narrow, prose
from .numbers import amount, count, ns, number, rate, share, size, times, us
from .text import elide, one_line, readable, sentence, short, short_name, shown, visible

__all__ = [
    "amount",
    "count",
    "elide",
    "escape",
    "narrow",
    "ns",
    "number",
    "one_line",
    "prose",
    "rate",
    "readable",
    "sentence",
    "share",
    "short",
    "short_name",
    "shown",
    "size",
    "times",
    "us",
    "visible",
]
