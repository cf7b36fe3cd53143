"""The args of single events, read from the file when somebody asks for them."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Any

from .load import generic
from .load.columns import Tables
from .load.pieces import event_end
from .load.source import Source
from .load.text import parse_object

FIRST_READ = 4096
READ_AHEAD = 1 << 20
LARGEST_EVENT = 64 << 20


class ArgsReader:
    """Finds an event by its place in the file and reads its args."""

    def __init__(self, source: Source, tables: Tables) -> None:
        self._source, self._chunk_bytes = source, tables.chunk_bytes
        self._near: tuple[int, bytes] = (0, b"")
        self._chunk = lru_cache(maxsize=4)(self._read_chunk)

    def read(self, places: list[int]) -> list[dict[str, Any]]:
        """Args of the events at ``places``, as the columns' ``where`` gives them."""
        found: dict[int, dict[str, Any]] = {}
        for place in sorted(set(places)):
            event = self._by_index(place) if place < 0 else self._by_offset(place)
            args = (event or {}).get("args")
            found[place] = _floats(args) if isinstance(args, dict) else {}
        return [found[place] for place in places]

    def _by_index(self, place: int) -> dict[str, Any] | None:
        offset, index = generic.chunk_of(place)
        return parse_object(self._chunk(offset)[index])[0]

    def _read_chunk(self, offset: int) -> list[bytes]:
        return generic.split(self._source.read_at(offset, self._chunk_bytes[offset]))

    def _by_offset(self, offset: int) -> dict[str, Any] | None:
        size = FIRST_READ
        while size <= LARGEST_EVENT:
            text = self._window(offset, size)
            start = text.find(b"{")
            if start >= 0:
                end = event_end(text, start)
                if end < len(text) or len(text) < size:
                    return parse_object(text[start:end])[0]
            size *= 16
        return None

    def _window(self, offset: int, size: int) -> bytes:
        """Bytes from ``offset`` on; neighbours are asked for in turn, so a larger piece is read and kept."""
        begin, text = self._near
        if not begin <= offset <= offset + size <= begin + len(text):
            self._near = begin, text = offset, self._source.read_at(offset, max(size, READ_AHEAD))
        return text[offset - begin : offset - begin + size]


def _floats(value: Any) -> Any:
    """The value with decimals as floats, the form in which JSON numbers are usually met."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {k: _floats(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_floats(v) for v in value]
    return value
