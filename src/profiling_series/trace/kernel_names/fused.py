"""The operators in an Inductor kernel's name, told apart."""

from __future__ import annotations

import functools

from profiling_series.trace.kernel_names.rules import raw

_LONGEST = 64  # No operator's name is longer; it bounds the work on hostile names.


@functools.cache
def _known() -> frozenset[str]:
    return frozenset(raw()["fused_ops"])


def split_ops(text: str) -> tuple[str, ...]:
    """Return the operators of a list joined by underscores, in the order of the name.

    Operators hold underscores themselves (``masked_fill``), so the longest known name wins at each place, and
    a word that is not known stands alone. Inductor sorts the operators by name (``get_fused_kernel_name``).

    Examples
    --------
    >>> split_ops("_unsafe_view_gelu_mul")
    ('_unsafe_view', 'gelu', 'mul')
    >>> split_ops("add_copy_")
    ('add', 'copy_')
    """
    found: list[str] = []
    start = 0
    while start < len(text):
        end = _end_of_name(text, start)
        found.append(text[start:end])
        start = end + 1
    return tuple(found)


def _end_of_name(text: str, start: int) -> int:
    """Return where the name that starts here ends: the longest known one, or the next word."""
    limit = min(len(text), start + _LONGEST)
    for end in range(limit, start, -1):
        if (end == len(text) or text[end] == "_") and text[start:end] in _known():
            return end
    body = start
    while body < len(text) and text[body] == "_":
        body += 1
    end = text.find("_", body)
    return len(text) if end < 0 else end
