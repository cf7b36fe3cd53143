"""Correlation, device, stream and bytes from the args lines that Kineto prints, with numpy.

Only events of the categories that carry them are looked at. A line is walked key by key, all lines at
once; a line with a key or a value of another kind goes to the event-by-event reader.
"""

from __future__ import annotations

import numpy as np

from .columns import NO_CORRELATION, NO_QUEUE, Tables
from .decimal_ns import parse_eight

_KEYS = {
    b'"Externa': (b'"External id": ', None),
    b'"queued"': (b'"queued": ', None),
    b'"device"': (b'"device": ', "device"),
    b'"context': (b'"context": ', None),
    b'"stream"': (b'"stream": ', "stream"),
    b'"correla': (b'"correlation": ', "correlation"),
    b'"bytes":': (b'"bytes": ', "bytes"),
    b'"cbid": ': (b'"cbid": ', None),
    b'"cid": 1': (b'"cid": ', None),
}
_BEFORE, _TAIL = int.from_bytes(b'"correla', "little"), int.from_bytes(b'ation": ', "little")
_SIX = np.uint64(0x0606060606060606)
_ASCII_ZEROS = np.uint64(0x3030303030303030)
_HIGH_NIBBLES = np.uint64(0xF0F0F0F0F0F0F0F0)
_NOT_CARRYING = ("cpu_op", "user_annotation", "python_function", "trace", "overhead")
_ARGS = int.from_bytes(b'    "arg', "little")


def carries_args(cat: str) -> bool:
    """Whether events of this category hold a correlation, a device or a stream."""
    return cat.lower() not in _NOT_CARRYING


def parse_args(
    word: np.ndarray,
    byte: np.ndarray,
    start: np.ndarray,
    length: np.ndarray,
    first: np.ndarray,
    opens: np.ndarray,
    close: np.ndarray,
    cats: np.ndarray,
    tables: Tables,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Correlation and queue of each event, bytes of the copies, and which events need a closer look.

    ``opens`` and ``close`` are the first line of each event and the first line after it; ``cats`` its
    category code.
    """
    n = len(opens)
    correlation, queue = np.full(n, NO_CORRELATION, np.int64), np.full(n, NO_QUEUE, np.int16)
    slow = np.zeros(n, bool)
    carrying = np.array([carries_args(c) for c in tables.cats.values] or [False])
    rows = np.flatnonzero(carrying[cats]) if n else np.empty(0, np.int64)
    # Six lines stand around the args: "{", header, times, '"args": {', "}", "}".
    some = (close[rows] - opens[rows] >= 7) & (
        first[np.minimum(opens[rows] + 3, len(first) - 1)] == np.uint64(_ARGS)
    )
    slow[rows[~some]] = True
    rows = rows[some]
    line, last = start[opens[rows] + 4], close[rows] - 3
    end = start[last] + length[last]
    on_gpu = np.array([_on_gpu(c) for c in tables.cats.values] or [False])[cats[rows]]
    calls = rows[~on_gpu]
    value, found = _trailing_correlation(word, line[~on_gpu], end[~on_gpu])
    correlation[calls] = np.where(found, value, NO_CORRELATION)
    slow[calls[~found]] = True
    rows, line, end = rows[on_gpu], line[on_gpu], end[on_gpu]
    fields, good = _walk(word, byte, line, end)
    slow[rows[~good]] = True
    correlation[rows] = fields["correlation"]
    queue[rows[good]] = _queues(fields["device"][good], fields["stream"][good], tables)
    sized = good & (fields["bytes"] >= 0)
    copies = np.array([_is_copy(c) for c in tables.cats.values] or [False])[cats[rows]]
    slow[rows[copies & ~sized]] = True  # it may stand behind a key that is not known here
    return correlation, queue, rows[sized], fields["bytes"][sized], slow


def _is_copy(cat: str) -> bool:
    return cat.lower().endswith(("memcpy", "memset"))


def _on_gpu(cat: str) -> bool:
    return not cat.lower().endswith(("_runtime", "_driver"))


def _trailing_correlation(
    word: np.ndarray, line: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The number after '"correlation": ' where it ends the line."""
    value, found = np.zeros(len(line), np.int64), np.zeros(len(line), bool)
    left = np.arange(len(line))
    for digits in (5, 6, 4, 7, 3, 8, 2, 1):
        at = end[left] - digits
        hit = (at - line[left] >= 15) & (word[at - 8] == np.uint64(_TAIL))
        hit &= word[np.maximum(at - 15, 0)] == np.uint64(_BEFORE)
        number, good = parse_eight(word[end[left[hit]] - 8], digits)
        value[left[hit]] = number.view(np.int64)
        found[left[hit]] = good
        left = left[~hit]
        if not len(left):
            break
    return value, found


def _walk(
    word: np.ndarray, byte: np.ndarray, line: np.ndarray, end: np.ndarray
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Fields of GPU events' args lines, -1 where a line has none, and which lines were understood."""
    fields = {key: np.full(len(line), -1, np.int64) for key in ("correlation", "device", "stream", "bytes")}
    good = np.ones(len(line), bool)
    active, cursor = np.arange(len(line)), _skip_spaces(byte, line)
    for _ in range(8):
        if not len(active):
            break
        here = word[cursor]
        known = np.zeros(len(active), bool)
        after = cursor.copy()
        for prefix, (key, field) in _KEYS.items():
            hit = np.flatnonzero(here == np.uint64(int.from_bytes(prefix, "little")))
            if not len(hit):
                continue
            value, digits, number = _number_at(word, cursor[hit] + len(key))
            if field:
                fields[field][active[hit[number]]] = value[number]
            known[hit[number]] = True
            after[hit] = cursor[hit] + len(key) + digits
        # An unknown key ends the walk: fine once all that we need was read before it.
        ended = ~known | (byte[after] != 44) | (after >= end[active])
        good[active[~known]] = (fields["correlation"] >= 0)[active[~known]]
        good[active[known & (byte[after] != 44) & (after < end[active])]] = False  # more than plain digits
        active, cursor = active[~ended], _skip_spaces(byte, after[~ended] + 1)
    good &= (fields["correlation"] >= 0) & (fields["device"] >= 0) & (fields["stream"] >= 0)
    good &= (fields["device"] < 1 << 22) & (fields["stream"] < 1 << 40)  # what `_queues` can tell apart
    return fields, good


def _skip_spaces(byte: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Places of the first characters that are no white space; Kineto writes up to twelve of it."""
    at = at.copy()
    for _ in range(16):
        space = (byte[at] == 32) | (byte[at] == 10)
        if not space.any():
            break
        at += space
    return at


def _number_at(word: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value and number of digits of the unsigned number (≤ 15 digits) at ``at``, and whether it is one."""
    head, digits = word[at], _count_digits(word[at])
    value, _ = parse_eight(head << ((np.uint64(8) - digits) * np.uint64(8) & np.uint64(63)), digits)
    long = np.flatnonzero(digits == 8)
    if len(long):
        tail = word[at[long] + 8]
        more = _count_digits(tail)
        rest, _ = parse_eight(tail << ((np.uint64(8) - more) * np.uint64(8) & np.uint64(63)), more)
        value[long] = value[long] * (np.uint64(10) ** more) + rest
        digits[long] += more
    return value.view(np.int64), digits.astype(np.int64), (digits > 0) & (digits < 16)


def _count_digits(value: np.ndarray) -> np.ndarray:
    """How many of the 8 characters, from the first on, are digits."""
    bare = value ^ _ASCII_ZEROS
    other = (bare | (bare + _SIX)) & _HIGH_NIBBLES
    # The first other character is at the lowest set bit; a carry out of a later byte cannot reach below it.
    return np.bitwise_count((other & (~other + np.uint64(1))) - np.uint64(1)).astype(np.uint64) // np.uint64(
        8
    )


def _queues(device: np.ndarray, stream: np.ndarray, tables: Tables) -> np.ndarray:
    """Codes of the (device, stream) pairs."""
    key = (device << 40) | stream
    unique, inverse = np.unique(key, return_inverse=True)
    codes = [tables.queues.code((int(k) >> 40, int(k) & ((1 << 40) - 1))) for k in unique]
    return np.asarray(codes, np.int16)[inverse] if codes else np.empty(0, np.int16)
