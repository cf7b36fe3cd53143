"""The Trace: a file's events, and what is worked out from them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from . import categories as c
from .event_table import EventTable
from .events import Columns, Event, Lane
from .nesting import parents

if TYPE_CHECKING:
    from .steps import Step, StepTable

__all__ = ["Columns", "Event", "Lane", "Trace"]


class Trace(EventTable):
    """A trace that was read: columns over its complete events, and lazily all that follows from them.

    `profiling_series.trace.read` makes it; the columns are those of `EventTable`.
    """

    @cached_property
    def memo(self) -> dict[str, Any]:
        """Results that measures share (see `profiling_series.trace.memo`)."""
        return {}

    def __repr__(self) -> str:
        size = f"{len(self):,} events, {len(self.gpu_rows):,} on GPUs, {len(self.steps)} steps"
        return f"<Trace {self.file}: {size}>"

    # Nesting -----------------------------------------------------------------------------------------------

    @cached_property
    def host_rows(self) -> np.ndarray:
        """Rows that nest on CPU threads: ops, annotations, runtime and driver calls (Python frames apart)."""
        return self.of_kind(c.OP, c.ANNOTATION, c.CALL)

    @cached_property
    def _nesting(self) -> tuple[np.ndarray, np.ndarray]:
        rows = self.host_rows
        return parents(self.ts[rows], self.end[rows], self.lane_id[rows])

    @property
    def host_parent(self) -> np.ndarray:
        """Place in ``host_rows`` of the event that encloses each of them on its thread: int32, -1 at top."""
        return self._nesting[0]

    @cached_property
    def parent(self) -> np.ndarray:
        """Row of the event that encloses each host event on its thread: int32[n], -1 at top, off the host."""
        rows, above = self.host_rows, self.host_parent
        parent = np.full(len(self), -1, np.int32)
        parent[rows] = np.where(above >= 0, rows[above], -1)
        return parent

    @property
    def host_end(self) -> np.ndarray:
        """End of each of ``host_rows``, clamped to that of its parent: int64, nanoseconds."""
        return self._nesting[1]

    def children(self, row: int) -> np.ndarray:
        """Rows directly enclosed by a host event, in time order."""
        return np.flatnonzero(self.parent == row)

    def ancestors(self, row: int) -> list[int]:
        """Rows that enclose a host event, outermost first."""
        found: list[int] = []
        row = int(self.parent[row])
        while row >= 0:
            found.append(row)
            row = int(self.parent[row])
        return found[::-1]

    # Launches and steps ------------------------------------------------------------------------------------

    @cached_property
    def launch_of(self) -> np.ndarray:
        """Row of the call that launched each GPU event: int32[n], -1 for none and for other events."""
        from .links import launch_of

        return launch_of(self)

    def gpu_of(self, call_row: int) -> np.ndarray:
        """Rows of the GPU events that a call launched, in time order."""
        rows = self.gpu_rows
        return rows[self.launch_of[rows] == call_row]

    @cached_property
    def step_table(self) -> StepTable:
        """Steps with their windows and the assignment of events to them."""
        from .steps import find_steps

        return find_steps(self)

    @property
    def step_index(self) -> np.ndarray:
        """Index into ``steps`` of each host event (by its start) and GPU event (by its launch): int32[n]."""
        return self.step_table.index

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Steps (`profiling_series.trace.steps.Step`), in time order."""
        from .steps import steps

        return steps(self)

    def to_pandas(self) -> Any:
        """All events as a `pandas.DataFrame` (see `profiling_series.trace.frame_export.columns`)."""
        from .frame_export import to_pandas

        return to_pandas(self)

    def to_polars(self) -> Any:
        """All events as a `polars.DataFrame` (see `profiling_series.trace.frame_export.columns`)."""
        from .frame_export import to_polars

        return to_polars(self)

    # Measures ----------------------------------------------------------------------------------------------

    @cached_property
    def _dict(self) -> dict[str, Any]:
        from .contract import as_dict

        return as_dict(self)

    def as_dict(self) -> dict[str, Any]:
        """The whole reading, as ``profiling-series read --json`` prints it (without findings)."""
        return self._dict

    @property
    def devices(self) -> list[dict[str, Any]]:
        """Work and idle of each device that has events."""
        return self._dict["devices"]

    @property
    def launches(self) -> dict[str, Any]:
        """Launch calls, their latency and time."""
        return self._dict["launches"]

    @property
    def kernels(self) -> list[dict[str, Any]]:
        """Kernels by name, most time first."""
        return self._dict["kernels"]

    @property
    def copies(self) -> list[dict[str, Any]]:
        """Copies and memsets by kind."""
        return self._dict["copies"]

    @property
    def ops(self) -> list[dict[str, Any]]:
        """CPU ops by name with self and total time, most self time first."""
        return self._dict["ops"]

    @property
    def annotations(self) -> list[dict[str, Any]]:
        """Annotations by name, with their dead window."""
        return self._dict["annotations"]

    @property
    def verdict(self) -> dict[str, Any]:
        """Which side the run waits for, and why."""
        return self._dict["verdict"]
