"""From a trace file to sorted columns: find the event array, read it block by block, keep what is sound."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import TraceError
from . import kineto
from .columns import Block, Gathered, Tables, offset_of
from .generic import Cutter
from .head import find_events, metadata_of
from .source import DEFAULT_MAX_BYTES, Source

__all__ = ["DEFAULT_MAX_BYTES", "Loaded", "load"]

KINETO_START = re.compile(rb'\s*\n  \{\n    "(?:ph|name)": "')
SEPARATOR, OPENS_AT = b"\n  },\n  {\n", 6  # between two events, and where the second opens in it
SCAN_BYTES = 8 << 20
MAX_PIECE_BYTES = 32 << 20  # no event is that long: a piece without the end of one is cut
THREADS = 2
SWITCH_S = 0.0001

_Scanned = tuple[Block, bytes | None]  # columns, what follows the end of the array if it was met
_Read = tuple[Gathered, bytes | None, int]  # columns, what follows the array, where reading ended


@dataclass
class Loaded:
    """What a file held: columns in file order, the tables of their codes, the rest of the JSON."""

    source: Source
    columns: Gathered
    tables: Tables
    metadata: dict[str, Any]
    array_closed: bool
    whole: bool  # the JSON document is complete
    trailing_bytes: int
    end_offset: int


def load(path: Path, max_bytes: int = DEFAULT_MAX_BYTES) -> Loaded:
    """Events of the trace at ``path``, in file order.

    Raises
    ------
    TraceError
        Not readable as a trace; the message says what the file is instead.
    """
    source = Source(path, max_bytes)
    stream = source.blocks()
    head, start = find_events(source, stream)
    tables = Tables()
    with _short_turns():
        if KINETO_START.match(head, start):
            reader = _read_gzipped if source.gzipped else _read_plain
            columns, footer, end = reader(source, stream, head, start, tables)
        else:
            columns, footer, end = _read_generic(stream, head, start, tables)
    metadata, trailing, whole = metadata_of(head[:start], footer)
    loaded = Loaded(
        source,
        columns,
        tables,
        metadata,
        footer is not None,
        whole and not source.cut_short,
        trailing + source.trailing_bytes,
        end,
    )
    lost = tables.losses.lost()
    if not len(columns) and lost and not any(loss.kind.startswith("without") for loss in lost):
        place = f"broken at byte {offset_of(lost[0].first):,} ({lost[0].kind})"
        raise TraceError(f"{source.shown}: no event could be read; the first is {place}")
    return loaded


@contextmanager
def _short_turns() -> Iterator[None]:
    """Short turns at the interpreter lock: numpy gives it up often, and must not wait 5 ms to get it back."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def _read_generic(stream: Iterator[bytes], head: bytes, start: int, tables: Tables) -> _Read:
    cutter = Cutter(tables)
    cutter.offset = start
    columns = Gathered()

    def keep(blocks: Iterator[Block]) -> None:
        for block in blocks:
            columns.add(block)

    keep(cutter.feed(head[start:]))
    footer = b""
    for data in stream:
        if cutter.ended:
            footer += data[: 1 << 20]
        else:
            keep(cutter.feed(data))
    if not cutter.ended:
        keep(cutter.finish())
    end = cutter.offset + len(cutter.pending)
    return columns, (cutter.footer + footer if cutter.ended else None), end


def _read_plain(source: Source, stream: Iterator[bytes], head: bytes, start: int, tables: Tables) -> _Read:
    stream.close()  # type: ignore[attr-defined]
    with source.path.open("rb") as file:
        descriptor = file.fileno()
        bounds = _bounds(source, descriptor, start)

        def scan(k: int) -> _Scanned:
            return kineto.scan_file(descriptor, bounds[k], bounds[k + 1], tables, k == len(bounds) - 2)

        pieces = range(len(bounds) - 1)
        if len(pieces) == 1:
            return _until_end(map(scan, pieces), tables, source.size, 1)
        with ThreadPoolExecutor(THREADS) as pool:
            return _until_end(pool.map(scan, pieces), tables, source.size, len(pieces))


def _bounds(source: Source, descriptor: int, start: int) -> list[int]:
    """Offsets at which the file is cut into pieces of whole events, about ``SCAN_BYTES`` each."""
    bounds = [start]
    at = start + SCAN_BYTES
    while at < source.size:
        window = os.pread(descriptor, 1 << 17, at)
        found = window.find(SEPARATOR)
        if found < 0:
            at += max(len(window) - len(SEPARATOR), len(SEPARATOR))
            if at - bounds[-1] < MAX_PIECE_BYTES:
                continue
            found = -OPENS_AT
        bounds.append(at + found + OPENS_AT)
        at = bounds[-1] + SCAN_BYTES
    return [*(b for b in bounds if b < source.size), source.size]


def _read_gzipped(source: Source, stream: Iterator[bytes], head: bytes, start: int, tables: Tables) -> _Read:
    end = [start]

    def pieces() -> Iterator[tuple[bytes, int, bool]]:
        pending, offset = [head[start:]], start
        size = len(pending[0])
        for data in stream:
            pending.append(data)
            size += len(data)
            if size < SCAN_BYTES:
                continue
            text = b"".join(pending)
            cut = text.rfind(SEPARATOR) + OPENS_AT
            if cut < OPENS_AT:
                cut = len(text) if len(text) >= MAX_PIECE_BYTES else 0
            if cut:
                yield text[:cut], offset, False
                offset += cut
            pending, size = [text[cut:]], len(text) - cut
        yield b"".join(pending), offset, True
        end[0] = offset + size

    with ThreadPoolExecutor(THREADS) as pool:

        def scanned() -> Iterator[_Scanned]:
            waiting: list[Future[_Scanned]] = []
            for data, offset, last in pieces():
                waiting.append(pool.submit(kineto.scan, data, offset, tables, last))
                if len(waiting) > THREADS:
                    yield waiting.pop(0).result()
            for future in waiting:
                yield future.result()

        columns, footer, _ = _until_end(scanned(), tables, 0, 1)
    return columns, footer, end[0]


def _until_end(results: Iterator[_Scanned], tables: Tables, size: int, pieces: int) -> _Read:
    """Columns up to where the array ends; what follows it belongs to no event of this trace."""
    columns = Gathered()
    footer: bytes | None = None
    for block, rest in results:
        if footer is None:
            if not len(columns):
                columns.reserve(int(len(block.ts) * pieces * 1.1))
            columns.add(block)
            tables.losses.merge(block.losses)
            footer = rest
        elif len(footer) < 1 << 20:
            footer += b" "  # more text than one trace has; counted as trailing
    return columns, footer, size
