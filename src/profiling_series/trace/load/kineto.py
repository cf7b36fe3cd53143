"""Reading the layout that torch writes itself, a block at a time, with numpy.

Kineto prints each event on lines of its own and its keys in a fixed order::

      {
        "ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 447, "tid": 447,
        "ts": 5112532142554.531, "dur": 120.926,
        "args": {
          "External id": 4,"Record function id": 0, "Ev Idx": 3
        }
      },

A raw line break cannot stand inside a JSON string, so a line that is exactly ``  {`` opens an event.
The second line repeats: a trace of millions of events holds some thousands of different ones, so it is
hashed and each different one parsed once, by a real JSON parser. Times are read from their digits.
An event that differs in any way goes, alone, to `profiling_series.trace.load.single`.
"""

from __future__ import annotations

import os
import threading
from dataclasses import replace

import numpy as np

from . import single
from .args import parse_args
from .columns import DTYPES, Block, Losses, Tables, block_of
from .decimal_ns import parse_us, words
from .headers import read_headers
from .pieces import read_pieces

PAD = 128  # bytes before and after a block, so that a word or a row can be read at any place in it


def _word(text: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(text, "little"))


_HEADER = (_word(b'    "ph"'), _word(b': "X", "'), _word(b'"X", "ca'))
_HEADER_AT = (0, 8, 10)
_PHASE = _word(b'    "ph"')
_TS = _word(b'    "ts"')
_DUR = (_word(b', "dur":'), _word(b' "dur": '))
_ARGS = _word(b'    "arg')
_TS_AT = 10  # length of '    "ts": '
_DUR_AT = 9  # length of ', "dur": '
_LONGEST_DUR = 15  # characters; longer ones get a closer look


_scratch = threading.local()


def _buffer(size: int) -> bytearray:
    """Scratch buffer of the current thread, at least ``size`` long; used again, it costs no new pages."""
    if len(getattr(_scratch, "buffer", b"")) < size:
        _scratch.buffer = bytearray(b"\n") * (size + size // 4)
    return _scratch.buffer


def scan_file(
    descriptor: int, begin: int, end: int, tables: Tables, last: bool = True
) -> tuple[Block, bytes | None]:
    """`scan` of the bytes [begin, end) of an open file."""
    buffer = _buffer(end - begin + 2 * PAD)
    view = memoryview(buffer)
    size = 0
    while size < end - begin and (
        got := os.preadv(descriptor, [view[PAD + size : PAD + end - begin]], begin + size)
    ):
        size += got
    return _scan(buffer, size, begin, tables, last)


def scan(data: bytes, offset: int, tables: Tables, last: bool = True) -> tuple[Block, bytes | None]:
    """Columns of the complete events of ``data``, and what follows the array's end if it is in there.

    ``data`` holds whole events, as they stand at ``offset`` of the file, ``last`` those of its end; None if
    the array does not end in it.
    """
    buffer = _buffer(len(data) + 2 * PAD)
    buffer[PAD : PAD + len(data)] = data
    return _scan(buffer, len(data), offset, tables, last)


def _scan(
    buffer: bytearray, size: int, offset: int, tables: Tables, last: bool
) -> tuple[Block, bytes | None]:
    """`scan` of the ``size`` bytes that stand in ``buffer`` behind its first pad."""
    buffer[PAD + size : PAD + size + PAD] = b"\n" * PAD
    byte = np.frombuffer(buffer, np.uint8, PAD + size + PAD)
    word = words(byte)
    breaks = np.flatnonzero(byte[PAD - 1 : PAD + size + 1] == 10) + (PAD - 1)
    start, length = breaks[:-1] + 1, np.diff(breaks) - 1
    first = word[start]
    footer, ends = None, np.flatnonzero((first & np.uint64(0xFFFFFF)) == _word(b"  ]"))
    ends = ends[(length[ends] == 3) | (length[ends] == 4) & (byte[start[ends] + 3] == 44)]
    if len(ends):
        footer = bytes(buffer[int(start[ends[0]]) + 3 : PAD + size])
        start, length, first = start[: ends[0]], length[: ends[0]], first[: ends[0]]
        if not len(start):
            return block_of(dict.fromkeys(DTYPES, ())), footer
    opens = np.flatnonzero((length == 3) & ((first & np.uint64(0xFFFFFF)) == _word(b"  {")))
    odd = [(0, int(opens[0]) if len(opens) else len(start))] if not len(opens) or opens[0] else []
    close = np.append(opens[1:], len(start))
    closed = _closes(byte, start, length, close - 1)
    fast, ts, dur = _read_times(word, byte, start, length, first, opens, close, closed)
    columns, slow_header = read_headers(byte, start, length, opens, fast, buffer, tables)
    good = np.flatnonzero(fast)
    correlation, queue, copy_at, copy_bytes, slow_args = parse_args(
        word, byte, start, length, first, opens[good], close[good], columns["cat"], tables
    )
    slow = np.zeros(len(opens), bool)
    slow[good[slow_header | slow_args]] = True
    phase_other = (first[np.minimum(opens + 1, len(start) - 1)] == _PHASE) & ~fast & closed
    slow |= ~fast & ~_skippable(byte, start, opens, phase_other)
    keep = ~(slow_header | slow_args)
    columns = {key: value[keep] for key, value in columns.items()}
    columns |= {
        "ts": ts[good][keep],
        "dur": dur[good][keep],
        "correlation": correlation[keep],
        "queue": queue[keep],
        "where": start[opens[good[keep]]] - PAD + offset,
    }
    new_index, kept = np.cumsum(keep) - 1, keep[copy_at]
    block = block_of(columns, new_index[copy_at[kept]], copy_bytes[kept])
    texts = []
    for a, b in odd + [(int(opens[i]), int(close[i])) for i in np.flatnonzero(slow)]:
        begin, end = int(start[a]), int(start[b - 1] + length[b - 1])
        texts.append((bytes(buffer[begin:end]), begin - PAD + offset, b < len(start) or not last))
    joined, rest, at = _read_slow(texts, block, tables)
    if rest is not None:
        footer = rest + bytes(buffer[at - offset + PAD : PAD + size])
    return joined, footer


def _read_slow(
    texts: list[tuple[bytes, int, bool]], block: Block, tables: Tables
) -> tuple[Block, bytes | None, int]:
    """A block joined with the events of texts read one at a time: (text, its offset, whether more follows).

    Older files close the array at a line's start, which only shows here: then also what follows the bracket
    in its text, and where that text ends; the events behind it belong to no trace.
    """
    if not texts:
        return block, None, 0
    losses = Losses()
    reader, end, rest = single.Reader(replace(tables, losses=losses)), 0, None
    for text, offset, more in texts:
        _, rest = read_pieces(text, offset, reader, more=more)
        if rest is not None:
            end = offset + len(text)
            break
    joined = reader.joined_to(block)
    joined = joined if rest is None else joined.before(end)
    joined.losses = losses.all()
    return joined, rest, end


def _closes(byte: np.ndarray, start: np.ndarray, length: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Whether an event's last line is its own closing brace, with or without a comma."""
    at, size = start[last], length[last]
    brace = (byte[at] == 32) & (byte[at + 1] == 32) & (byte[at + 2] == 125)
    return brace & ((size == 3) | ((size == 4) & (byte[at + 3] == 44)))


def _skippable(byte: np.ndarray, start: np.ndarray, opens: np.ndarray, phase_other: np.ndarray) -> np.ndarray:
    """Events that say a phase other than X in their first key: flows, instants, counters."""
    letter = byte[np.minimum(start[np.minimum(opens + 1, len(start) - 1)] + 11, len(byte) - 1)]
    return phase_other & np.isin(letter, np.frombuffer(b"sftbenCNOD", np.uint8))


def _read_times(
    word: np.ndarray,
    byte: np.ndarray,
    start: np.ndarray,
    length: np.ndarray,
    first: np.ndarray,
    opens: np.ndarray,
    close: np.ndarray,
    closed: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which events are of the fixed form, and their ts and dur in nanoseconds."""
    n = len(opens)
    ts, dur = np.zeros(n, np.uint64), np.zeros(n, np.int64)
    fast = closed & (close - opens >= 4)
    at = np.flatnonzero(fast)
    header, times = start[opens[at] + 1], start[opens[at] + 2]
    form = first[opens[at] + 2] == _TS
    for offset, expected in zip(_HEADER_AT, _HEADER, strict=True):
        form &= word[header + offset] == expected
    at, times = at[form], times[form]
    fast[:] = False
    size = length[opens[at] + 2]
    dur_from = _find_dur(word, times, size)
    found = dur_from > 0
    at, times, size, dur_from = at[found], times[found], size[found], dur_from[found]
    line_end = times + size
    line_end -= byte[line_end - 1] == 44
    ts_value, ts_good = parse_us(word, byte, times + _TS_AT, dur_from)
    dur_value, dur_good = parse_us(word, byte, dur_from + _DUR_AT, line_end)
    good = ts_good & dur_good & (line_end - dur_from <= _DUR_AT + _LONGEST_DUR)
    fast[at[good]] = True
    ts[at[good]] = ts_value[good]
    dur[at[good]] = dur_value[good].view(np.int64)
    return fast, ts, dur


def _find_dur(word: np.ndarray, times: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Where ', "dur": ' begins on each ts line; 0 where it does not."""
    found = np.zeros(len(times), np.int64)
    left = np.arange(len(times))
    for digits in _likely_lengths(word, times, size):
        here = times[left] + _TS_AT + digits
        fits = size[left] > _TS_AT + digits + _DUR_AT
        hit = (
            fits & (word[np.where(fits, here, 0)] == _DUR[0]) & (word[np.where(fits, here + 1, 0)] == _DUR[1])
        )
        found[left[hit]] = here[hit]
        left = left[~hit]
        if not len(left):
            break
    return found


def _likely_lengths(word: np.ndarray, times: np.ndarray, size: np.ndarray) -> list[int]:
    """Lengths of the ts text, the first event's own first."""
    every = list(range(1, 22))
    if len(times):
        for digits in every:
            if size[0] > _TS_AT + digits + _DUR_AT and word[times[0] + _TS_AT + digits] == _DUR[0]:
                return [digits, *(d for d in every if d != digits)]
    return every
