"""Reading any other layout (re-saved, compact, legacy): chunks cut at event ends, decoded by msgspec."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from . import single, typed
from .columns import CHUNK_SHIFT, Block, Tables
from .pieces import read_pieces

CHUNK_BYTES = 1 << 20
MAX_EVENT_BYTES = 64 << 20
_CUT = re.compile(rb"\}\s*,\s*(?=\{)")


_RAWS = msgspec.json.Decoder(list[msgspec.Raw])


def address(chunk_offset: int, index: int) -> int:
    """Where an event is, for a reader that knows only the chunk it came in: a negative number.

    -1 - (chunk offset · 2²¹ + index); a chunk holds at most 2²⁰ bytes unless one event is larger.
    """
    return -1 - ((chunk_offset << CHUNK_SHIFT) | index)


def chunk_of(where: int) -> tuple[int, int]:
    """(Chunk offset, index in the chunk) of an `address`."""
    number = -1 - where
    return number >> CHUNK_SHIFT, number & ((1 << CHUNK_SHIFT) - 1)


def split(raw: bytes) -> list[bytes]:
    """The texts of the events of a chunk that decodes as a whole."""
    return [bytes(r) for r in _RAWS.decode(b"[" + raw + b"]")]


class Cutter:
    """Cuts a stream of array elements into chunks that are whole elements, and decodes them.

    A chunk begins at an element's start; if it decodes as an array, then it ends at an element's end:
    the grammar leaves no other reading. So a cut needs no look inside strings or nesting.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.pending = b""
        self.offset = 0  # of pending in the file
        self.ended = False  # the array's closing bracket was met
        self.footer = b""
        self._complete = False  # no more data will come
        self._sound = True  # see `single.Reader`

    def feed(self, data: bytes) -> Iterator[Block]:
        """Columns of the events that ``data`` completes."""
        self.pending += data
        while not self.ended and len(self.pending) >= 2 * CHUNK_BYTES:
            before = len(self.pending)
            yield from self._next(final=False)
            if len(self.pending) == before:
                if before > MAX_EVENT_BYTES:
                    yield from self._one_by_one(len(self.pending))
                return

    def finish(self) -> Iterator[Block]:
        """Columns of the events that are left."""
        self._complete = True
        while not self.ended and self.pending.strip():
            before = len(self.pending)
            yield from self._next(final=before <= 2 * CHUNK_BYTES)
            if len(self.pending) == before and not self.ended:
                yield from self._one_by_one(before)

    def _next(self, final: bool) -> Iterator[Block]:
        for size in (CHUNK_BYTES, 4 * CHUNK_BYTES, MAX_EVENT_BYTES):
            window = self.pending[:size]
            cuts = [m.start() + 1 for m in _CUT.finditer(window)]
            # Only the last few are tried: a cut fails only if it is inside a string or an args list.
            for cut in reversed(cuts[-3:]) if size < MAX_EVENT_BYTES else ():
                block = self._decode(window[:cut])
                if block is not None:
                    self._advance(cut)
                    yield block
                    return
            if cuts and not final:
                yield from self._one_by_one(cuts[-1])
                return
            if len(window) == len(self.pending):
                break
        if final:
            yield from self._one_by_one(len(self.pending))

    def _advance(self, size: int) -> None:
        rest = self.pending[size:]
        skipped = len(rest) - len(rest.lstrip(b" \t\r\n,"))
        self.offset += size + skipped
        self.pending = rest[skipped:]

    def _decode(self, chunk: bytes) -> Block | None:
        offset = self.offset
        block = typed.columns(chunk, self.tables, lambda index: address(offset, index))
        if block is None:
            block = self._mixed(chunk)
        if block is not None:
            self.tables.chunk_bytes[offset] = len(chunk)
            self._sound = True
        return block

    def _mixed(self, chunk: bytes) -> Block | None:
        """Columns of a chunk that holds events of other forms; None if it is not whole elements."""
        try:
            texts = split(chunk)
        except (msgspec.DecodeError, RecursionError):
            return None
        reader = single.Reader(self.tables)
        for index, text in enumerate(texts):
            reader.read(text, address(self.offset, index))
        return reader.block()

    def _one_by_one(self, limit: int) -> Iterator[Block]:
        """Events up to ``limit`` bytes on, one at a time."""
        reader = single.Reader(self.tables)
        reader.sound = self._sound
        waits = not self._complete and len(self.pending) <= MAX_EVENT_BYTES
        size, footer = read_pieces(
            self.pending, self.offset, reader, limit, more=not self._complete, wait=waits
        )
        self._sound = reader.sound
        if footer is not None:
            self.ended, self.footer = True, footer
        self._advance(size)
        yield reader.block()
