"""The columns of a trace's complete events in time order: what was read, before anything is worked out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from . import categories as c
from .events import Columns, Event, Lane
from .lazy_args import ArgsReader
from .load.columns import NO_QUEUE
from .load.single import as_int


class EventTable:
    """A file's complete events as columns in time order, and the ways to pick some and look at one.

    Parameters
    ----------
    file : str
        Where it was read from.
    columns : Columns
        One value an event.
    names, cats : list of str
        What the codes mean.
    lanes : list of Lane
        Likewise.
    queues : list of (int, int or str)
        (device, stream) pairs.
    base_ns : int
        Nanoseconds of the first event in the file's own clock.
    metadata : dict
        The file's top-level keys beside the events.
    copy_rows, copy_bytes : int64 arrays
        Sizes of the copies and memsets, by row.
    warnings : list of str
        What was odd about the file, in words.
    skipped_events : int
        Events set aside: broken, without time, at time 0, of negative length.
    reader : ArgsReader
        Fetches the args of single events from the file.
    """

    def __init__(
        self,
        *,
        file: str,
        columns: Columns,
        names: list[str],
        cats: list[str],
        lanes: list[Lane],
        queues: list[tuple[int, Any]],
        base_ns: int,
        metadata: dict[str, Any],
        copy_rows: np.ndarray,
        copy_bytes: np.ndarray,
        warnings: list[str],
        skipped_events: int,
        reader: ArgsReader,
    ) -> None:
        self.file, self.columns = file, columns
        self.names, self.cats, self.lanes, self.queues = names, cats, lanes, queues
        self.base_ns, self.metadata = base_ns, metadata
        self.copy_rows, self.copy_bytes = copy_rows, copy_bytes
        self.warnings, self.skipped_events = warnings, skipped_events
        self._reader = reader

    def __len__(self) -> int:
        return len(self.columns.ts)

    # Columns -----------------------------------------------------------------------------------------------

    @property
    def ts(self) -> np.ndarray:
        """Start of each event: int64[n], nanoseconds since ``base_ns``."""
        return self.columns.ts

    @property
    def dur(self) -> np.ndarray:
        """Duration of each event: int64[n], nanoseconds."""
        return self.columns.dur

    @cached_property
    def end(self) -> np.ndarray:
        """End of each event: int64[n], nanoseconds since ``base_ns``."""
        return self.columns.ts + self.columns.dur

    @property
    def name_id(self) -> np.ndarray:
        """Index into ``names`` of each event."""
        return self.columns.name_id

    @property
    def cat_id(self) -> np.ndarray:
        """Index into ``cats`` of each event."""
        return self.columns.cat_id

    @property
    def lane_id(self) -> np.ndarray:
        """Index into ``lanes`` of each event."""
        return self.columns.lane_id

    @property
    def correlation(self) -> np.ndarray:
        """Correlation id that ties a call to its GPU events: int64[n], -1 for none."""
        return self.columns.correlation

    @cached_property
    def kind(self) -> np.ndarray:
        """Kind of each event: the constants of `profiling_series.trace.categories`."""
        kind = np.array([c.kind_of(cat) for cat in self.cats] or [0], np.uint8)[self.cat_id]
        if len(self.name_ids(c.STEP.match)):
            kind[self.named(c.STEP.match) & (kind == c.OP)] = (
                c.ANNOTATION
            )  # older torch wrote its steps as ops
        return kind

    # Rows --------------------------------------------------------------------------------------------------

    def of_kind(self, *kinds: int) -> np.ndarray:
        """Rows of the given kinds, in time order."""
        mask = self.kind == kinds[0]
        for kind in kinds[1:]:
            mask |= self.kind == kind
        return np.flatnonzero(mask)

    @cached_property
    def gpu_rows(self) -> np.ndarray:
        """Rows of the GPU events: kernels, copies, memsets. Annotations, syncs, overheads are no work."""
        return self.of_kind(*c.GPU_KINDS)

    @cached_property
    def op_rows(self) -> np.ndarray:
        """Rows of the CPU ops."""
        return self.of_kind(c.OP)

    @cached_property
    def call_rows(self) -> np.ndarray:
        """Rows of the runtime and driver calls."""
        return self.of_kind(c.CALL)

    @cached_property
    def annotation_rows(self) -> np.ndarray:
        """Rows of the CPU side of annotations (``record_function`` and steps)."""
        return self.of_kind(c.ANNOTATION)

    @cached_property
    def overhead_rows(self) -> np.ndarray:
        """Rows of the profiler's own overheads (buffer requests, lazy loading, …)."""
        return self.of_kind(c.OVERHEAD)

    @cached_property
    def sync_rows(self) -> np.ndarray:
        """Rows of the sync and event records on GPU lanes."""
        return self.of_kind(c.SYNC)

    def rows(
        self,
        cat: str | tuple[str, ...] | None = None,
        name: str | None = None,
        prefix: str | None = None,
        within: tuple[int, int] | None = None,
    ) -> np.ndarray:
        """Rows that match all of what is given, in time order.

        Parameters
        ----------
        cat : str or tuple of str, optional
            Category or categories.
        name, prefix : str, optional
            Exact name, or its beginning.
        within : (int, int), optional
            Events that start in [low, high), nanoseconds since ``base_ns``.

        Returns
        -------
        int64 array
            Row numbers.
        """
        mask = np.ones(len(self), bool)
        if cat is not None:
            wanted = (cat,) if isinstance(cat, str) else cat
            mask &= np.array([x in wanted for x in self.cats] or [False])[self.cat_id]
        if name is not None or prefix is not None:
            mask &= self.named(
                lambda n: (name is None or n == name) and (prefix is None or n.startswith(prefix))
            )
        found = np.flatnonzero(mask)
        if within is not None:
            start = self.ts[found]
            found = found[(start >= within[0]) & (start < within[1])]
        return found

    def named(self, test: Callable[[str], object], rows: np.ndarray | None = None) -> np.ndarray:
        """Whether the name of each event (or of each of ``rows``) passes ``test``: bool[n].

        The test is asked once a distinct name.
        """
        ids = self.name_id if rows is None else self.name_id[rows]
        passes = np.zeros(max(len(self.names), 1), bool)
        # Only names that occur are asked about: a test may take its time, and Python frames have many names.
        asked = range(len(self.names)) if rows is None else np.flatnonzero(np.bincount(ids, minlength=1))
        for code in asked:
            passes[code] = bool(test(self.names[code]))
        return passes[ids]

    def name_ids(self, test: Callable[[str], object]) -> np.ndarray:
        """Indices into ``names`` of the names that pass ``test``."""
        return np.flatnonzero([bool(test(n)) for n in self.names])

    # Single events -----------------------------------------------------------------------------------------

    def name(self, row: int) -> str:
        """Name of an event."""
        return self.names[self.name_id[row]]

    def us(self, ns: int) -> float:
        """Time in the file's own clock, µs, of ``ns`` since ``base_ns``."""
        return (self.base_ns + int(ns)) / 1000

    def rel_us(self, row: int) -> float:
        """Start of an event in µs since the first event of the trace."""
        return float(self.ts[row]) / 1000

    def event(self, row: int) -> Event:
        """The event of a row."""
        lane = self.lanes[self.lane_id[row]]
        return Event(
            int(row),
            self.name(row),
            self.cats[self.cat_id[row]],
            lane.pid,
            lane.tid,
            self.us(self.ts[row]),
            float(self.dur[row]) / 1000,
        )

    def args(self, row: int) -> dict[str, Any]:
        """The event's args as the file holds them (read from the file when asked for)."""
        return self.args_of([row])[0]

    def args_of(self, rows: Iterable[int]) -> list[dict[str, Any]]:
        """Args of several events, in one pass over the file."""
        return self._reader.read([int(self.columns.where[r]) for r in rows])

    def device_of(self, row: int) -> int:
        """Index of the device that an event of a GPU lane belongs to."""
        queue = self.columns.queue[row]
        if queue != NO_QUEUE:
            return self.queues[queue][0]
        return as_int(self.lanes[self.lane_id[row]].pid, 0)

    def stream_of(self, row: int) -> int | str:
        """Stream of an event of a GPU lane."""
        queue = self.columns.queue[row]
        if queue != NO_QUEUE and self.queues[queue][1] is not None:
            return self.queues[queue][1]
        return self.lanes[self.lane_id[row]].tid
