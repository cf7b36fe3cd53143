"""The args of single events, read from the file when somebody asks for them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .load import generic
from .load.columns import Tables
from .load.pieces import event_end
from .load.source import Source
from .load.text import object_end, parse_object, undo_path_escapes

READS = (1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 26)  # bytes in which the end of an event is looked for
READ_AHEAD = 1 << 20


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
            found[place] = _put_back(args) if isinstance(args, dict) else {}
        return [found[place] for place in places]

    def _by_index(self, place: int) -> dict[str, Any] | None:
        offset, index = generic.chunk_of(place)
        return parse_object(self._chunk(offset)[index], exact=False)[0]

    def _read_chunk(self, offset: int) -> list[bytes]:
        return generic.split(self._source.read_at(offset, self._chunk_bytes[offset]))

    def _by_offset(self, offset: int) -> dict[str, Any] | None:
        for size in READS:
            text = self._window(offset, size)
            start = text.find(b"{")
            whole = start >= 0 and object_end(text, start, len(text)) is not None
            if whole or len(text) < size or size == READS[-1]:
                break
        return parse_object(text[start : event_end(text, start)], exact=False)[0] if start >= 0 else None

    def _window(self, offset: int, size: int) -> bytes:
        """Bytes from ``offset`` on; neighbours are asked for in turn, so a larger piece is read and kept."""
        begin, text = self._near
        if not begin <= offset <= offset + size <= begin + len(text):
            self._near = begin, text = offset, self._source.read_at(offset, max(size, READ_AHEAD))
        return text[offset - begin : offset - begin + size]


def _put_back(args: dict[str, Any]) -> dict[str, Any]:
    """The args, with the backslashes of the file locations among them."""
    return {key: undo_path_escapes(value) if isinstance(value, str) else value for key, value in args.items()}
