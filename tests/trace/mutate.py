"""Traces broken at random: bytes flipped, removed, doubled, moved, and syntax where it does not belong."""

from __future__ import annotations

import random

_SYNTAX = [b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\0", b"\xff", b"\x1b[2J"]
_LINES = [b"  {\n", b"  },\n", b"  ],\n", b"]}", b"}, {", b"[" * 200, b'{"a": ' * 40]
_VALUES = [b"null", b"NaN", b"-inf", b"1e999999999", b"-1", b"9" * 40, b"\\u12", b"\\ud800"]
_KEYS = [b'"ph": "X", ', b'"ts": 1, ', b'"dur": -5', b'"args": {', b'"traceEvents": [', b'"name": "']
PIECES = _SYNTAX + _LINES + _VALUES + _KEYS


def mutated(text: bytes, seed: int) -> bytes:
    """The text after one to twelve random changes; the same seed makes the same ones."""
    chance = random.Random(seed)
    raw = bytearray(text)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 12))):
        if not raw:
            break
        at = chance.randrange(len(raw))
        size = chance.choice((1, 1, 2, 8, 60, 500))
        match chance.randrange(8):
            case 0:
                raw[at] ^= 1 << chance.randrange(8)
            case 1:
                del raw[at : at + size]
            case 2:
                raw[at:at] = raw[at : at + size]
            case 3:
                raw[at:at] = chance.choice(PIECES)
            case 4:
                raw[at : at + 1] = chance.choice(PIECES)
            case 5:
                to = chance.randrange(len(raw))
                raw[to:to] = raw[at : at + size]
            case 6:
                del raw[at if chance.random() < 0.3 else len(raw) - min(size, len(raw)) :]
            case 7:
                _change_number(raw, at, chance)
    return bytes(raw)


def _change_number(raw: bytearray, at: int, chance: random.Random) -> None:
    """Another number in place of the next one."""
    while at < len(raw) and not 48 <= raw[at] <= 57:
        at += 1
    end = at
    while end < len(raw) and (48 <= raw[end] <= 57 or raw[end] == 46):
        end += 1
    other = (b"0", b"-1", b"1e30", b"0.0001", b"18446744073709551615", b"99999999999999999", b'"7"', b"true")
    raw[at:end] = chance.choice((*other, str(chance.randrange(10**6)).encode(), raw[at:end] + b"0"))
