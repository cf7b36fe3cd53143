"""Decoding a chunk of events all at once, where each is of the usual types; msgspec checks that."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from . import single
from .args import carries_args
from .columns import NO_CORRELATION, NO_QUEUE, Block, Tables, block_of
from .decimal_ns import parse_decimals

#: Phases that carry no duration and nothing that is measured: flows, instants, counters, nested begins.
OTHER_PHASES = "sftbenCNODiI"


class _Args(msgspec.Struct, gc=False):
    correlation: Any = None
    device: Any = None
    stream: Any = None
    bytes: Any = None


class _Complete(msgspec.Struct, gc=False, tag_field="ph", tag="X"):
    cat: str
    name: str
    pid: int | str
    tid: int | str
    ts: msgspec.Raw
    dur: msgspec.Raw
    args: _Args | None = None


class _Metadata(msgspec.Struct, tag_field="ph", tag="M"):
    name: str
    pid: int | str
    tid: int | str = 0
    args: dict[str, Any] | None = None


_OTHERS = [
    msgspec.defstruct(f"_Phase_{ord(phase)}", [], tag_field="ph", tag=phase, gc=False)
    for phase in OTHER_PHASES
]
_KINDS: Any = functools.reduce(operator.or_, [_Complete, _Metadata, *_OTHERS])
_EVENTS = msgspec.json.Decoder(list[_KINDS])


def columns(chunk: bytes, tables: Tables, address: Callable[[int], int]) -> Block | None:
    """Columns of the events of ``chunk``, whole array elements; None where some event is of another form.

    Parameters
    ----------
    chunk : bytes
        Array elements with commas between them.
    tables : Tables
        Take the new names, lanes and so on.
    address : callable
        Gives an event's place in the file from its index in the chunk.
    """
    try:
        decoded = _EVENTS.decode(b"[" + chunk + b"]")
    except (msgspec.DecodeError, RecursionError):
        return None
    places = [i for i, event in enumerate(decoded) if type(event) is _Complete]
    events = [decoded[i] for i in places]
    ts, ts_good = parse_decimals([event.ts for event in events])
    dur, dur_good = parse_decimals([event.dur for event in events])
    if not (ts_good.all() and dur_good.all()) or (len(dur) and int(dur.max()) >= single.MAX_DUR_NS):
        return None
    for event in decoded:
        if type(event) is _Metadata and event.args:
            tables.labels[event.name, event.pid, event.tid] = next(iter(event.args.values()))
    cat = tables.cats.codes([event.cat for event in events])
    correlation, queue, copies = _from_args(events, cat, tables)
    found = {
        "ts": ts,
        "dur": dur.view(np.int64),
        "name": tables.names.codes([event.name for event in events]),
        "cat": cat,
        "lane": tables.lanes.codes([(event.pid, event.tid) for event in events]),
        "correlation": correlation,
        "queue": queue,
        "where": [address(i) for i in places],
    }
    return block_of(found, *(zip(*copies, strict=True) if copies else ((), ())))


def _from_args(
    events: list[_Complete], cat: np.ndarray, tables: Tables
) -> tuple[np.ndarray, np.ndarray, list[tuple[int, int]]]:
    """Correlation and queue of each event, and (index, bytes) of the copies."""
    correlation = np.full(len(events), NO_CORRELATION, np.int64)
    queue = np.full(len(events), NO_QUEUE, np.int16)
    copies: list[tuple[int, int]] = []
    carrying = np.array([carries_args(c) for c in tables.cats.values] or [False])
    for row in np.flatnonzero(carrying[cat]).tolist():
        event = events[row]
        args = event.args
        if args is None:
            continue
        correlation[row] = single.as_int(args.correlation, NO_CORRELATION)
        queue[row] = single.queue_of(args.device, args.stream, event.pid, event.tid, tables)
        size = single.as_int(args.bytes, -1)
        if size >= 0:
            copies.append((row, size))
    return correlation, queue, copies
