"""Where in a file something is, as people look it up: line and column."""

from __future__ import annotations

from .load import generic
from .load.source import Source

MOST_BYTES = 64 << 20


def place_of(source: Source, where: int) -> str:
    """Line and column of a place in the file; the byte where the file is too long to count lines."""
    offset = generic.chunk_of(where)[0] if where < 0 else where
    if offset > MOST_BYTES:
        return f"byte {offset:,}"
    before = source.read_at(0, offset)
    if where < 0:
        return f"or after byte {offset:,}"
    line = before.count(b"\n") + 1
    column = offset - before.rfind(b"\n")
    return f"line {line}, column {column}"
