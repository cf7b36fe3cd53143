"""Name, category and lane of events from their header lines: hashed, and each different one parsed once."""

from __future__ import annotations

import os

import numpy as np

from . import single
from .columns import Tables
from .text import parse_object

# A random odd key a process: no file can be made whose header lines collide on purpose.
_KEY = np.uint64(int.from_bytes(os.urandom(8), "little") | 1)
_ROW = 96  # bytes of a line that are hashed at a time
_LONG = 8192  # longer lines are hashed one by one
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)  # keep the first n bytes of a word
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SAME = 16  # bytes that are the same in every header line of Kineto's form


def read_headers(
    byte: np.ndarray,
    start: np.ndarray,
    length: np.ndarray,
    opens: np.ndarray,
    fast: np.ndarray,
    buffer: bytearray,
    tables: Tables,
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Codes of name, category and lane of the ``fast`` events, and which of them no parser understood.

    ``opens`` is the first line of each event, the header line its second; ``buffer`` holds the text.
    """
    lines = opens[np.flatnonzero(fast)] + 1
    at, size = start[lines], length[lines]
    hashes = hash_lines(byte, at + _SAME, size - _SAME)
    unique, index, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    codes = np.empty((len(unique), 3), np.int64)
    for k, (key, i) in enumerate(zip(unique.tolist(), index.tolist(), strict=True)):
        known = tables.headers.get(key)
        if known is None:
            known = tables.headers[key] = _read_header(buffer[at[i] : at[i] + size[i]], tables)
        codes[k] = known
    rows = codes[inverse]
    slow = rows[:, 0] < 0
    return {
        "name": rows[:, 0].astype(np.int32),
        "cat": rows[:, 1].astype(np.uint16),
        "lane": rows[:, 2].astype(np.int32),
    }, slow


def _read_header(line: bytes | bytearray, tables: Tables) -> tuple[int, int, int]:
    """Codes of (name, category, lane) of one header line; (-1, 0, 0) where it needs a closer look."""
    event, repaired = parse_object(b"{" + line.strip().rstrip(b",") + b"}")
    if event is None or repaired or set(event) != {"ph", "cat", "name", "pid", "tid"}:
        return -1, 0, 0
    return single.codes_of(event, tables)


def hash_lines(buffer: np.ndarray, at: np.ndarray, size: np.ndarray) -> np.ndarray:
    """64-bit hash of the bytes ``[at, at + size)`` of ``buffer`` (uint8), which has `_ROW` bytes more."""
    h = (size.astype(np.uint64) + _KEY) * _MIX
    for i in np.flatnonzero(size > _LONG).tolist():
        h[i] = hash(buffer[at[i] : at[i] + size[i]].tobytes()) & 0xFFFFFFFFFFFFFFFF
    left = np.flatnonzero(size <= _LONG)
    at, size = at[left], size[left]
    while len(left):
        # Lines side by side as rows of words, in one copy; most lines fit the first row.
        lines = np.ndarray((len(buffer) - _ROW,), f"V{_ROW}", buffer, strides=(1,))[at]
        rows = np.ascontiguousarray(lines.view("<u8").reshape(len(at), _ROW // 8).T)
        mixed = h[left]
        shortest = int(size.min())
        for column, row in enumerate(rows):
            if shortest < 8 * (column + 1):
                row &= _MASKS[np.clip(size - 8 * column, 0, 8)]
            mixed ^= row
            mixed *= _KEY
            mixed ^= mixed >> np.uint64(29)
        h[left] = mixed
        longer = size > _ROW
        left, at, size = left[longer], at[longer] + _ROW, size[longer] - _ROW
    return h
