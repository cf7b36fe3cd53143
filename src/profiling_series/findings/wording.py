"""Figures and names for the sentences of findings."""

from __future__ import annotations

from profiling_series.text import visible

_NAME_LIMIT = 70


def us(value_us: float) -> str:
    """Return a time as people read it: two decimals below 10 µs, one below 1,000, none above.

    Examples
    --------
    >>> us(3.14159), us(27.183), us(1234.5)
    ('3.14 µs', '27.2 µs', '1,234 µs')
    """
    # The limits are where the coarser format begins to print the same digits (9.996 reads 10.0).
    if abs(value_us) < 9.995:
        return f"{value_us:.2f} µs"
    return f"{value_us:.1f} µs" if abs(value_us) < 999.95 else f"{value_us:,.0f} µs"


def ns(value_ns: float) -> str:
    """Return a time given in nanoseconds, in µs."""
    return us(float(value_ns) / 1000)


def percent(fraction: float) -> str:
    """Return a fraction as a percentage, with a decimal below ten.

    Examples
    --------
    >>> percent(0.985), percent(0.0123)
    ('98 %', '1.2 %')
    """
    return f"{100 * fraction:.0f} %" if abs(fraction) >= 0.0995 else f"{100 * fraction:.1f} %"


def times(value: float) -> str:
    """Return a factor, ``"2.3 times"``."""
    return f"{value:,.0f} times" if value >= 9.95 else f"{value:.1f} times"


def count(value: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, in the plural where it must be."""
    return f"{value:,} {noun if value == 1 else plural or noun + 's'}"


def number(total: float) -> str:
    """Return a number of things, with a decimal where it is not whole."""
    return f"{total:,.0f}" if abs(total - round(total)) < 0.05 else f"{total:,.1f}"


def rate(total: float, noun: str, plural: str | None = None) -> str:
    """Return how many of something there are in a step: whole where it is whole.

    Examples
    --------
    >>> rate(1.0, "kernel"), rate(2.5, "kernel")
    ('1 kernel', '2.5 kernels')
    """
    text = number(total)
    return f"{text} {noun if text == '1' else plural or noun + 's'}"


def sentence(text: str) -> str:
    """Return the text as a sentence: a capital at its start, one full stop or question mark at its end."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?")) else f"{text}."


def short(name: str) -> str:
    """Return a name that fits into a sentence: printable, its middle left out where it is long."""
    text = visible(name[:400])
    if len(text) <= _NAME_LIMIT:
        return text
    return f"{text[: _NAME_LIMIT - 20]}…{text[-19:]}"
