"""The columns a reader fills, block by block, and the tables its codes point into."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

NO_CORRELATION = -1
NO_QUEUE = -1
MOST_QUEUES = 2**15 - 8  # codes of 16 bits; where they do not suffice the lane says it
MOST_CATS = 2**16 - 8
CHUNK_SHIFT = (
    21  # bits of an event's number within its chunk, see `profiling_series.trace.load.generic.address`
)


@dataclass
class Block:
    """Columns of the complete events of one block of the file, in file order.

    ``ts`` and ``dur`` are nanoseconds; ``ts`` is absolute and unsigned (16 digits of microseconds do
    not fit a signed 64-bit count of nanoseconds).
    """

    ts: np.ndarray
    dur: np.ndarray
    name: np.ndarray
    cat: np.ndarray
    lane: np.ndarray
    correlation: np.ndarray
    queue: np.ndarray
    where: np.ndarray
    copy_at: np.ndarray  # index within the block of the events whose args hold "bytes"
    copy_bytes: np.ndarray
    losses: list[Loss] = field(default_factory=list)  # to be counted if the block is of this trace

    def before(self, where: int) -> Block:
        """The events that stand before a place in the file."""
        size = int(np.searchsorted(self.where, where))
        copies = self.copy_at < size
        columns = {key: getattr(self, key)[:size] for key in DTYPES}
        return block_of(columns, self.copy_at[copies], self.copy_bytes[copies])


DTYPES = {
    "ts": np.uint64,
    "dur": np.int64,
    "name": np.int32,
    "cat": np.uint16,
    "lane": np.int32,
    "correlation": np.int64,
    "queue": np.int16,
    "where": np.int64,
}


def block_of(columns: dict[str, Any], copy_at: Any = (), copy_bytes: Any = ()) -> Block:
    """Block made of one sequence a column."""
    arrays: dict[str, Any] = {key: np.asarray(columns[key], dtype=dtype) for key, dtype in DTYPES.items()}
    return Block(**arrays, copy_at=np.asarray(copy_at, np.int64), copy_bytes=np.asarray(copy_bytes, np.int64))


class Gathered:
    """The columns of all blocks joined, filled while the blocks arrive so that each value is held once.

    Parameters
    ----------
    expected : int
        About how many events there will be; more are made room for.
    """

    def __init__(self, expected: int = 0) -> None:
        # np.empty touches no memory: what is reserved and not filled costs nothing.
        self._arrays = {key: np.empty(max(expected, 1024), dtype) for key, dtype in DTYPES.items()}
        self._size = 0
        self._copy_at: list[np.ndarray] = []
        self._copy_bytes: list[np.ndarray] = []

    def __len__(self) -> int:
        return self._size

    def reserve(self, expected: int) -> None:
        """Make room for ``expected`` events in all."""
        if expected > len(self._arrays["ts"]):
            for key, old in self._arrays.items():
                self._arrays[key] = np.empty(expected, old.dtype)
                self._arrays[key][: self._size] = old[: self._size]

    def add(self, block: Block) -> None:
        """Append a block's events."""
        end = self._size + len(block.ts)
        if end > len(self._arrays["ts"]):
            self.reserve(end + end // 4)
        for key, array in self._arrays.items():
            array[self._size : end] = getattr(block, key)
        if len(block.copy_at):
            self._copy_at.append(block.copy_at + self._size)
            self._copy_bytes.append(block.copy_bytes)
        self._size = end

    def take(self, key: str) -> np.ndarray:
        """One column, in file order; it is given away."""
        return self._arrays.pop(key)[: self._size]

    def copies(self) -> tuple[np.ndarray, np.ndarray]:
        """(Index, bytes) of the events whose args hold "bytes"."""
        none = np.empty(0, np.int64)
        return np.concatenate([none, *self._copy_at]), np.concatenate([none, *self._copy_bytes])


class Interner:
    """Codes for values that repeat: each new value gets the next number. Safe to call from threads.

    Parameters
    ----------
    most : int
        About so many values get a code of their own.
    rest : str, optional
        All others get the code of this one, or -1.
    """

    def __init__(self, most: int = 2**31 - 8, rest: str | None = None) -> None:
        self._most, self._rest = most, rest
        self.values: list[Any] = []
        self._codes: dict[Any, int] = {}
        self._lock = threading.Lock()

    def code(self, value: Any) -> int:
        """Code of ``value``; 1 and "1" are different values, and so are 1 and True."""
        key = value if type(value) is str else (type(value), value)
        found = self._codes.get(key)
        if found is None:
            if len(self.values) >= self._most and value != self._rest:
                return -1 if self._rest is None else self.code(self._rest)
            with self._lock:
                found = self._codes.get(key)
                if found is None:
                    self.values.append(value)  # before the code can be seen: readers take no lock
                    found = self._codes[key] = len(self.values) - 1
        return found

    def codes(self, values: list[Any]) -> np.ndarray:
        """Codes of texts, or of tuples of numbers and texts: int32[len(values)]."""
        keys = values if not values or type(values[0]) is str else [(type(value), value) for value in values]
        found = [self._codes.get(key, -1) for key in keys]
        if -1 in found:
            found = [self.code(value) for value in values]
        return np.array(found, np.int32)


@dataclass
class Tables:
    """What the codes of a `Block` mean, and what was met on the way that is no complete event."""

    names: Interner = field(default_factory=Interner)
    cats: Interner = field(default_factory=lambda: Interner(MOST_CATS, ""))  # all others are read as none
    lanes: Interner = field(default_factory=Interner)  # (pid, tid)
    # (device, stream), as the args say
    queues: Interner = field(default_factory=lambda: Interner(MOST_QUEUES))
    labels: dict[tuple[str, Any, Any], Any] = field(
        default_factory=dict
    )  # (metadata name, pid, tid) -> value
    headers: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # hash of a header line -> codes
    losses: Losses = field(default_factory=lambda: Losses())
    chunk_bytes: dict[int, int] = field(default_factory=dict)  # chunk offset -> its length (generic layout)


@dataclass
class Loss:
    """Why events (or pieces of the file) were left out, or what was repaired to keep them; and where."""

    kind: str
    first: int
    kept: bool = False
    count: int = 1


class Losses:
    """What was lost or repaired, counted by kind: a file of broken events must not fill the memory."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[bool, str], Loss] = {}
        self._lock = threading.Lock()

    def add(self, kind: str, where: int, kept: bool = False) -> None:
        """Count one; ``where`` is its place in the file, or a negative `address` of its chunk."""
        self.merge([Loss(kind, where, kept)])

    def merge(self, others: Iterable[Loss]) -> None:
        """Count what others counted."""
        with self._lock:
            for other in others:
                key = (other.kept, other.kind)
                found = self._kinds.setdefault(key, Loss(other.kind, other.first, other.kept, 0))
                found.count += other.count
                if offset_of(other.first) < offset_of(found.first):
                    found.first = other.first  # threads read the file's pieces in no fixed order

    def all(self) -> list[Loss]:
        """What was left out, then what was repaired; each in the order of the file."""
        return sorted(self._kinds.values(), key=lambda loss: (loss.kept, offset_of(loss.first)))

    def lost(self) -> list[Loss]:
        """What was left out."""
        return [loss for loss in self.all() if not loss.kept]


def offset_of(where: int) -> int:
    """Offset in the file of a place that may be a negative `address`: then that of its chunk."""
    return where if where >= 0 else (-1 - where) >> CHUNK_SHIFT
