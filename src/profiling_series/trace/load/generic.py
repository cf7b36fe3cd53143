"""Reading any other layout (re-saved, compact, legacy): chunks cut at event ends, decoded by msgspec."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from . import single
from .args import carries_args
from .columns import CHUNK_SHIFT, NO_CORRELATION, NO_QUEUE, Block, Tables, block_of
from .decimal_ns import parse_us, to_ns, words
from .pieces import read_pieces
from .text import parse_object

CHUNK_BYTES = 1 << 20
MAX_EVENT_BYTES = 64 << 20
_LONGEST_DUR = 15  # characters; longer ones get a closer look
_PLAIN_TIME = re.compile(rb"\d{1,16}(?:\.\d{3})?")
_CUT = re.compile(rb"\}\s*,\s*(?=\{)")


class _Args(msgspec.Struct, gc=False):
    correlation: Any = None
    device: Any = None
    stream: Any = None
    bytes: Any = None


class _Event(msgspec.Struct, gc=False):
    ph: Any = None
    cat: Any = None
    name: Any = None
    pid: Any = None
    tid: Any = None
    ts: msgspec.Raw = msgspec.Raw()
    dur: msgspec.Raw = msgspec.Raw()
    args: msgspec.Raw = msgspec.Raw()


_EVENTS = msgspec.json.Decoder(list[_Event])
_ARGS = msgspec.json.Decoder(_Args)
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
        try:
            events = _EVENTS.decode(b"[" + chunk + b"]")
        except (msgspec.DecodeError, RecursionError):
            return None
        self.tables.chunk_bytes[self.offset] = len(chunk)
        return _columns(events, chunk, self.offset, self.tables)

    def _one_by_one(self, limit: int) -> Iterator[Block]:
        """Events up to ``limit`` bytes on, one at a time."""
        reader = single.Reader(self.tables)
        size, footer = read_pieces(self.pending, self.offset, reader, limit)
        if footer is not None:
            self.ended, self.footer = True, footer
        self._advance(size)
        yield reader.block()


def _columns(events: list[_Event], chunk: bytes, offset: int, tables: Tables) -> Block | None:
    """Columns of decoded events; those of an odd form are read one at a time."""
    plain, odd = [], []
    for index, event in enumerate(events):
        usual = (
            event.ph == "X"
            and isinstance(event.cat, str)
            and isinstance(event.name, str)
            and _PLAIN_TIME.fullmatch(event.ts)
            and _PLAIN_TIME.fullmatch(event.dur)
            and len(event.dur) <= _LONGEST_DUR
            and type(event.pid) in (int, str)
            and type(event.tid) in (int, str)
        )
        if usual:
            plain.append((index, event))
        elif not (isinstance(event.ph, str) and event.ph in "sftbenCNOD"):
            odd.append(index)
    block = _plain_columns(plain, offset, tables)
    if not odd:
        return block
    texts = split(chunk)
    reader = single.Reader(tables)
    for index in odd:
        # A flat reading keeps the digits; the message of a loss names the chunk's offset.
        flat, reason = parse_object(texts[index])
        if flat is not None:
            reader.add(flat, address(offset, index))
        else:
            tables.losses.add(reason, address(offset, index))
    merged = reader.joined_to(block)
    order = np.argsort(-merged.where, kind="stable")
    return _reordered(merged, order)


def _reordered(block: Block, order: np.ndarray) -> Block:
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    fields = ("ts", "dur", "name", "cat", "lane", "correlation", "queue", "where")
    return block_of(
        {key: getattr(block, key)[order] for key in fields}, place[block.copy_at], block.copy_bytes
    )


def _plain_columns(plain: list[tuple[int, _Event]], offset: int, tables: Tables) -> Block:
    events = [event for _, event in plain]
    names, cats, lanes = tables.names, tables.cats, tables.lanes
    cat = [cats.code(e.cat) for e in events]
    carrying = [carries_args(c) for c in cats.values]
    correlation = np.full(len(events), NO_CORRELATION, np.int64)
    queue = np.full(len(events), NO_QUEUE, np.int16)
    copies: list[tuple[int, int]] = []
    for row, event in enumerate(events):
        if carrying[cat[row]] and len(event.args) > 2:
            _read_args(row, event, correlation, queue, copies, tables)
    columns = {
        "ts": _times([e.ts for e in events]),
        "dur": _times([e.dur for e in events]).view(np.int64),
        "name": [names.code(e.name) for e in events],
        "cat": cat,
        "lane": [lanes.code((e.pid, e.tid)) for e in events],
        "correlation": correlation,
        "queue": queue,
        "where": [address(offset, index) for index, _ in plain],
    }
    return block_of(columns, *(zip(*copies, strict=True) if copies else ((), ())))


def _read_args(
    row: int,
    event: _Event,
    correlation: np.ndarray,
    queue: np.ndarray,
    copies: list[tuple[int, int]],
    tables: Tables,
) -> None:
    try:
        args = _ARGS.decode(event.args)
    except (msgspec.DecodeError, RecursionError):
        flat = parse_object(bytes(event.args))[0] or {}
        args = _Args(*(flat.get(key) for key in _Args.__struct_fields__))
    correlation[row] = single.as_int(args.correlation, NO_CORRELATION)
    if args.device is not None or args.stream is not None:
        device = args.device if args.device is not None else event.pid
        stream = args.stream if args.stream is not None else event.tid
        queue[row] = tables.queues.code((single.as_int(device, 0), single.stream_of(stream)))
    size = single.as_int(args.bytes, -1)
    if size >= 0:
        copies.append((row, size))


def _times(texts: list[msgspec.Raw]) -> np.ndarray:
    """Nanoseconds of texts that match ``_PLAIN_TIME``."""
    if not texts:
        return np.empty(0, np.uint64)
    size = np.fromiter(map(len, texts), np.int64, len(texts))
    buffer = b" " * 16 + b"".join(texts) + b" " * 16
    end = 16 + np.cumsum(size)
    value, good = parse_us(words(buffer), np.frombuffer(buffer, np.uint8), end - size, end)
    for i in np.flatnonzero(~good):
        value[i] = to_ns(bytes(texts[i]).decode()) or 0
    return value
