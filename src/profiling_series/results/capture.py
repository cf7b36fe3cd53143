"""What a capture leaves: a trace, torch's own table, and where they come from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from profiling_series.results import store
from profiling_series.results.points import SweepRequest
from profiling_series.results.provenance import Source, workload_of
from profiling_series.results.result import Result
from profiling_series.results.schedule import Schedule
from profiling_series.workloads import AnyWorkload

if TYPE_CHECKING:
    from profiling_series.trace import Trace


class Capture(Result, frozen=True, dict=True):
    """One recorded window of steps.

    The times in it include the profiler's own cost: what a step costs in a run without a profiler has to be
    timed without one.

    Parameters
    ----------
    provenance : Provenance
        Where it comes from.
    trace_path : Path
        The trace's file, ``….json.gz``.
    table : str
        torch's own table as text, sorted by device time (by CPU time where only the CPU was profiled).
    cycles : tuple of Capture
        Every recorded window, where the schedule repeats; this capture is the last of them.
    """

    trace_path: Path
    table: str
    cycles: tuple[Capture, ...] = ()

    @property
    def schedule(self) -> Schedule:
        """Return which steps were recorded."""
        assert self.provenance.schedule is not None  # `from_files` takes none without
        return self.provenance.schedule

    @property
    def workload(self) -> AnyWorkload | None:
        """Return what was measured; None for code of the caller's own, and for a sweep over several."""
        request = self.provenance.request
        return None if isinstance(request, SweepRequest) else workload_of(request)

    @property
    def files(self) -> store.Files:
        """Return the paths of the trace, the table and the provenance."""
        return store.files_of(self.trace_path)

    @cached_property
    def trace(self) -> Trace:
        """Return the trace, read when it is first asked for."""
        from profiling_series.trace import read

        return read(self.trace_path)

    def save(self, out: str | os.PathLike[str], *, kept_as: Source | None = None) -> Capture:
        """Return the capture as stored: ``<out>/<key>.json.gz``, ``.txt`` and ``.provenance.json``.

        Parameters
        ----------
        out : path-like
            Folder of captures, made where missing.
        kept_as : {"live", "recorded"}, optional
            What the copy is to say of itself, where it stands for the capture in the same build.

        Returns
        -------
        Capture
            Whose `trace_path` is the new file.
        """
        files = store.place(out, self.key)
        described = structs.replace(self.provenance, kept_as=kept_as)
        store.write(files, self.trace_path.read_bytes(), self.table, described)
        cycles = tuple(one.save(out, kept_as=kept_as) for one in self.cycles if one.key != self.key)
        moved = structs.replace(self, trace_path=files.trace, cycles=())
        return structs.replace(moved, cycles=(*cycles, moved)) if self.cycles else moved

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Capture:
        """Return a capture from its files, as recorded.

        Parameters
        ----------
        path : path-like
            Folder and key, or any one of the three files.

        Returns
        -------
        Capture
            Its source is ``"recorded"``, and says so where the workload's code has changed since.

        Raises
        ------
        UsageError
            A file is missing, or does not describe a capture.
        """
        return from_files(Path(path), source="recorded")


def from_files(base: Path, *, source: Source) -> Capture:
    """Return the stored capture with its source set, and with a note where its workload has changed since.

    Parameters
    ----------
    base : Path
        Folder and key, or any one of the three files.
    source : {"live", "recorded"}
        What to call it: a file that a child process has just written is live. A copy that a build has kept
        knows itself.

    Returns
    -------
    Capture
        Its trace is not read yet.
    """
    files, table, provenance = store.read(base)
    return Capture(provenance.opened(source), files.trace, table)


def combined(captures: Sequence[Capture]) -> Capture:
    """Return the last capture; of several, one that knows them all as its `cycles`."""
    last = captures[-1]
    return last if len(captures) == 1 else structs.replace(last, cycles=tuple(captures))
