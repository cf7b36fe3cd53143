"""Figures that people read: times, shares, sizes, counts."""

from __future__ import annotations

MICRO = "µs"
UNKNOWN = "unknown"


def us(value_us: float | None) -> str:
    """Return a time in microseconds with the digits that matter, ``"unknown"`` for None.

    Two decimals below 10 µs, one below 1,000, none above: a trace resolves 0.001 µs, a reader does not.

    Parameters
    ----------
    value_us : float or None
        A time, µs.

    Examples
    --------
    >>> us(3.14159), us(27.183), us(1234.5)
    ('3.14 µs', '27.2 µs', '1,234 µs')
    """
    return UNKNOWN if value_us is None else f"{number(value_us)} {MICRO}"


def ns(value_ns: float) -> str:
    """Return a time given in nanoseconds as `us` writes it."""
    return us(float(value_ns) / 1000)


def number(value: float | None) -> str:
    """Return a figure without its unit, rounded as `us` rounds; ``"unknown"`` for None.

    Parameters
    ----------
    value : float or None
        A figure.
    """
    if value is None:
        return UNKNOWN
    size = abs(value)
    # Thresholds lie where the next coarser format begins to print the same digits (9.996 reads 10.0).
    if size < 9.995:
        return f"{value:.2f}"
    return f"{value:.1f}" if size < 999.95 else f"{value:,.0f}"


def share(fraction: float | None) -> str:
    """Return a fraction as a percentage, ``"unknown"`` for None.

    A whole percentage has no decimal, one below 1 % has two, any other has one.

    Parameters
    ----------
    fraction : float or None
        1 is the whole.

    Examples
    --------
    >>> share(0.9), share(0.985), share(0.0029)
    ('90 %', '98.5 %', '0.29 %')
    """
    if fraction is None:
        return UNKNOWN
    percent = round(100 * fraction, 9)
    if percent == int(percent):
        return f"{percent:.0f} %"
    return f"{percent:.2f} %" if abs(percent) < 0.995 else f"{percent:.1f} %"


def size(value_bytes: float | None) -> str:
    """Return a size with a binary unit, ``"unknown"`` for None.

    Parameters
    ----------
    value_bytes : float or None
        Bytes.
    """
    if value_bytes is None:
        return UNKNOWN
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(value_bytes) < 1024 or unit == "GiB":
            break
        value_bytes /= 1024
    return f"{value_bytes:.0f} {unit}" if value_bytes == int(value_bytes) else f"{value_bytes:.1f} {unit}"


def times(factor: float) -> str:
    """Return a factor, ``"2.3 times"``."""
    return f"{factor:,.0f} times" if factor >= 9.95 else f"{factor:.1f} times"


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


def amount(total: float) -> str:
    """Return how many there are on average, with a decimal where that is not whole."""
    return f"{total:,.0f}" if abs(total - round(total)) < 0.05 else f"{total:,.1f}"


def rate(total: float, noun: str, plural: str | None = None) -> str:
    """Return how many of something there are on average, with its noun.

    Parameters
    ----------
    total : float
        How many.
    noun : str
        Of what, in the singular.
    plural : str, optional
        Where an s does not make it.

    Examples
    --------
    >>> rate(1.0, "kernel"), rate(2.5, "kernel")
    ('1 kernel', '2.5 kernels')
    """
    told = amount(total)
    return f"{told} {noun if told == '1' else plural or noun + 's'}"
