"""Decimal microseconds to exact integer nanoseconds: one text at a time, or a column of them."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import Any

import numpy as np

_ASCII_ZEROS = np.uint64(0x3030303030303030)
_SIX = np.uint64(0x0606060606060606)
_HIGH_NIBBLES = np.uint64(0xF0F0F0F0F0F0F0F0)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_MAX_DIGITS = 16


def to_ns(value: Any) -> int | None:
    """Nanoseconds in ``value`` microseconds, rounded to the nearest; None where it is no finite number."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value * 1000
    try:
        number = Decimal(value if isinstance(value, (str, Decimal)) else str(value))
        if not number.is_finite() or number.adjusted() > 30:  # 10³⁰ µs: no power of ten need be worked out
            return None
        return int((number * 1000).to_integral_value(rounding=ROUND_HALF_EVEN))
    except (InvalidOperation, ValueError):
        return None


def words(buffer: Any) -> np.ndarray:
    """All overlapping 8-byte little-endian words of ``buffer``, without a copy: [len - 7] uint64."""
    return np.ndarray((max(len(buffer) - 7, 0),), "<u8", buffer, strides=(1,))


def parse_eight(word: np.ndarray, digits: Any) -> tuple[np.ndarray, np.ndarray]:
    """Value of the last ``digits`` (≤ 8) characters of each 8-byte word, and whether all were digits."""
    shift = ((8 - np.asarray(digits, np.uint64)) * np.uint64(8)).astype(np.uint64)
    mask = np.where(shift >= 64, np.uint64(0), _ALL << np.minimum(shift, np.uint64(63)))
    bare = (word ^ _ASCII_ZEROS) & mask
    good = ((bare | (bare + (_SIX & mask))) & _HIGH_NIBBLES) == 0
    # Three multiplications add neighbours up: digits to pairs, pairs to fours, fours to eight.
    value = (bare * np.uint64(2561)) >> np.uint64(8)
    value = ((value & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    value = ((value & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)
    return value, good


def parse_digits(word: np.ndarray, end: np.ndarray, digits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unsigned value of the ``digits`` (≤ 16) characters before ``end``, and whether they are a number.

    ``word`` is the view of `words`; every ``end`` must be at least 16.
    """
    low = np.minimum(digits, 8)
    value, good = parse_eight(word[end - 8], low)
    if int(digits.max(initial=0)) > 8:
        high, high_good = parse_eight(word[end - 16], np.clip(digits - 8, 0, 8))
        value = value + high * np.uint64(100_000_000)
        good &= high_good
    return value, good & (digits > 0) & (digits <= _MAX_DIGITS)


def parse_us(
    word: np.ndarray, byte: np.ndarray, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Nanoseconds of the texts ``byte[start:end]`` of the form 123 or 123.456, and which were of it."""
    has_dot = byte[end - 4] == 46
    whole_end = np.where(has_dot & (end - start > 4), end - 4, end)
    whole, good = parse_digits(word, whole_end, whole_end - start)
    dotted = whole_end < end
    part, part_good = parse_eight(word[end - 8], np.where(dotted, 3, 0))
    return whole * np.uint64(1000) + part, good & (part_good | ~dotted)


def parse_decimals(texts: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Nanoseconds of texts of the form 123, 123.4 or 123.456 (bytes-like), and which were of it."""
    if not texts:
        return np.empty(0, np.uint64), np.empty(0, bool)
    size = np.fromiter(map(len, texts), np.int64, len(texts))
    buffer = b" " * 16 + b"".join(texts) + b" " * 16
    word = words(buffer)
    end = 16 + np.cumsum(size)
    dots = np.flatnonzero(np.frombuffer(buffer, np.uint8) == 46)
    owner = np.searchsorted(end, dots, side="right")
    single = np.bincount(owner, minlength=len(texts)) <= 1
    whole_end, part = end.copy(), np.zeros(len(texts), np.int64)
    whole_end[owner], part[owner] = dots, end[owner] - dots - 1
    whole, good = parse_digits(word, whole_end, whole_end - (end - size))
    fraction, part_good = parse_eight(word[end - 8], np.clip(part, 0, 3))
    scale = np.array([1, 100, 10, 1], np.uint64)[np.clip(part, 0, 3)]
    dotted = whole_end < end
    fine = good & single & (part <= 3) & (part_good & (part > 0) | ~dotted)
    return whole * np.uint64(1000) + np.where(dotted, fraction * scale, np.uint64(0)), fine
