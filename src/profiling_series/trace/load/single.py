"""Reading one event at a time: whatever the fast readers hand over, and what must be repaired."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from .args import carries_args
from .columns import NO_CORRELATION, NO_QUEUE, Block, Tables, block_of
from .decimal_ns import to_ns
from .text import parse_object

MAX_DUR_NS = 10**16  # some months; longer ones are no time, and sums of them would overflow


def codes_of(event: dict[str, Any], tables: Tables) -> tuple[int, int, int]:
    """Codes of (name, category, lane) of an event."""
    name, cat = event.get("name"), event.get("cat")
    cat = cat if isinstance(cat, str) else legacy_cat(event.get("pid"))
    lane = (_plain(event.get("pid")), _plain(event.get("tid")))
    return (
        tables.names.code(name if isinstance(name, str) else "" if name is None else str(name)),
        tables.cats.code(cat),
        tables.lanes.code(lane),
    )


def legacy_cat(pid: Any) -> str:
    """Category of an event of the legacy autograd profiler, which wrote none: the process says what it is."""
    return {"CPU functions": "cpu_op", "CUDA functions": "kernel"}.get(pid, "")


def _plain(value: Any) -> Any:
    """A pid or tid as an int or a text: what JSON can hold again."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, Decimal) and value.adjusted() < 20 and value == value.to_integral_value():
        return int(value)  # as pandas writes a column of numbers with a gap in it
    return value if isinstance(value, (int, str)) else str(value)


def as_int(value: Any, default: int) -> int:
    """Whole number in ``value`` (texts of digits too), else ``default``."""
    try:
        if isinstance(value, Decimal) and value.adjusted() > 20:
            return default  # before a power of ten as large as the file likes is worked out
        number = int(value)
    except (TypeError, ValueError, ArithmeticError):
        return default
    return number if -(2**63) <= number < 2**63 else default


def stream_of(value: Any) -> Any:
    """A stream as the args say it: a number where it is one (ROCm writes "0x0"), else its text."""
    if isinstance(value, str):
        try:
            return number if -(2**63) <= (number := int(value, 0)) < 2**63 else value
        except ValueError:
            return value
    return as_int(value, NO_QUEUE) if value is not None else None


def queue_of(device: Any, stream: Any, pid: Any, tid: Any, tables: Tables) -> int:
    """Code of the (device, stream) that an event's args name; what they leave out, its lane says."""
    if device is None and stream is None:
        return NO_QUEUE
    number = as_int(device if device is not None else pid, 0)
    return tables.queues.code((number, stream_of(stream if stream is not None else tid)))


class Reader:
    """Collects the columns of single events."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.rows: dict[str, list[int]] = {
            key: [] for key in ("ts", "dur", "name", "cat", "lane", "correlation", "queue", "where")
        }
        self.copies: list[tuple[int, int]] = []
        self.sound = True  # the last text was an event, not something broken

    def read(self, text: bytes, offset: int) -> None:
        """Take in the event of ``text``, at ``offset`` of the file; repaired, or counted as lost."""
        event, repaired = parse_object(text.strip().rstrip(b",").rstrip())
        if event is None:
            self.tables.losses.add(repaired, offset)
            self.sound = False
            return
        if repaired:
            self.tables.losses.add(repaired, offset, kept=True)
        self.add(event, offset)
        self.sound = "ph" in event

    def add(self, event: dict[str, Any], where: int) -> None:
        """Take in one event that a parser has read."""
        phase = event.get("ph")
        if phase != "X":
            self._other(event, phase, where)
            return
        raw_ts, raw_dur = event.get("ts"), event.get("dur")
        ts, dur = to_ns(raw_ts), to_ns(raw_dur)
        if ts is None or dur is None:
            missing = raw_ts is None or raw_dur is None
            self.tables.losses.add(
                "without ts or dur" if missing else "with a ts or dur that is no number", where
            )
            return
        if not 0 <= ts < 2**64 or abs(dur) >= MAX_DUR_NS:
            self.tables.losses.add("with a negative or impossible time", where)
            return
        name, cat, lane = codes_of(event, self.tables)
        args = event.get("args")
        args = args if isinstance(args, dict) and carries_args(self.tables.cats.values[cat]) else {}
        self._append(ts, dur, name, cat, lane, args, where)

    def _append(
        self, ts: int, dur: int, name: int, cat: int, lane: int, args: dict[str, Any], where: int
    ) -> None:
        row = self.rows
        lane_pid, lane_tid = self.tables.lanes.values[lane]
        queue = queue_of(args.get("device"), args.get("stream"), lane_pid, lane_tid, self.tables)
        values = (ts, dur, name, cat, lane, as_int(args.get("correlation"), NO_CORRELATION), queue, where)
        for key, value in zip(row, values, strict=True):
            row[key].append(value)
        size = as_int(args.get("bytes"), -1)
        if size >= 0:
            self.copies.append((len(row["ts"]) - 1, size))

    def _other(self, event: dict[str, Any], phase: Any, where: int) -> None:
        if phase is None:
            self.tables.losses.add("without a phase", where)
        elif phase == "M":
            args = event.get("args")
            if isinstance(args, dict) and args:
                key = (str(event.get("name")), _plain(event.get("pid")), _plain(event.get("tid")))
                self.tables.labels[key] = next(iter(args.values()))
        elif phase in ("B", "E"):
            self.tables.losses.add("of phase B or E, begin and end apart, which torch does not write", where)
        elif not isinstance(phase, str):
            self.tables.losses.add("with a phase that is no text", where)

    def block(self) -> Block:
        """The events so far."""
        return block_of(self.rows, *(zip(*self.copies, strict=True) if self.copies else ((), ())))

    def joined_to(self, block: Block) -> Block:
        """Block that holds ``block`` and the events so far, in file order."""
        mine = self.block()
        where = np.concatenate([block.where, mine.where])
        order = np.argsort(where, kind="stable")
        merged = {key: np.concatenate([getattr(block, key), getattr(mine, key)])[order] for key in self.rows}
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        copy_at = np.concatenate([block.copy_at, mine.copy_at + len(block.ts)])
        return block_of(merged, place[copy_at], np.concatenate([block.copy_bytes, mine.copy_bytes]))
