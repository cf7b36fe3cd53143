"""What a capture gives back: a trace, torch's own table, and where they come from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from profiling_series import workloads
from profiling_series.errors import UsageError
from profiling_series.profiler import provenance as provenances
from profiling_series.profiler import request as requests
from profiling_series.profiler import schedule as schedules
from profiling_series.profiler import store
from profiling_series.profiler.schedule import Schedule
from profiling_series.workloads import Workload

#: Environment variable: a folder in which a copy of every capture of this process is kept, for a build's own
#: list.
KEEP = "PROFILING_SERIES_KEEP"

_CHANGED = "of a workload that has changed since"

if TYPE_CHECKING:
    from profiling_series.trace import Trace


@dataclass(frozen=True, repr=False)
class Capture:
    """One recorded window of steps.

    The times in it include the profiler's own cost: what a step costs in a run without a profiler has to be
    timed without one.

    Parameters
    ----------
    trace_path : Path
        The trace's file, ``….json.gz``.
    table : str
        torch's own table as text, sorted by device time (by CPU time where only the CPU was profiled).
    provenance : dict
        GPU, driver, torch, CUDA, Python, date, seed, workload, digest, schedule, and ``source``: ``"live"``
        or ``"recorded"``.
    schedule : Schedule
        Which steps were recorded.
    workload : Workload, optional
        What was measured; None for code of the caller's own.
    cycles : tuple of Capture
        Every recorded window, where the schedule repeats; this capture is the last of them.
    """

    trace_path: Path
    table: str
    provenance: dict[str, Any]
    schedule: Schedule
    workload: Workload | None = None
    cycles: tuple[Capture, ...] = ()

    def __repr__(self) -> str:
        return f"<Capture {self.key}: {self.source_line}>"

    @property
    def key(self) -> str:
        """Return the name of the artefacts, ``"01_matmul_add/64_bf16_cold_eager"``."""
        return str(self.provenance["key"])

    @property
    def source(self) -> str:
        """Return ``"live"`` if this process, or its child, measured it, ``"recorded"`` if not."""
        return str(self.provenance["source"])

    @property
    def source_line(self) -> str:
        """Return the line to put under every picture: live or recorded, on what, with which torch, when."""
        return provenances.source_line(self.provenance)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what a reader of this trace should know, one line each."""
        return tuple(self.provenance.get("warnings", ()))

    @property
    def files(self) -> store.Files:
        """Return the paths of the trace, the table and the provenance."""
        return store.files_of(self.trace_path)

    @cached_property
    def trace(self) -> Trace:
        """Return the trace, read when it is first asked for."""
        from profiling_series.trace import read

        return read(self.trace_path)

    def save(self, out: str | os.PathLike[str]) -> Capture:
        """Return the capture as stored: ``<out>/<key>.json.gz``, ``.txt`` and ``.provenance.json``.

        Parameters
        ----------
        out : path-like
            Folder of captures, made where missing.

        Returns
        -------
        Capture
            Whose `trace_path` is the new file.
        """
        return self._stored(out, {})

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

    def _stored(self, out: str | os.PathLike[str], more: dict[str, Any]) -> Capture:
        files = store.place(out, self.key)
        store.write(files, self.trace_path.read_bytes(), self.table, {**self.provenance, **more})
        cycles = tuple(cycle._stored(out, more) for cycle in self.cycles if cycle.key != self.key)
        moved = replace(self, trace_path=files.trace, cycles=())
        return replace(moved, cycles=(*cycles, moved)) if self.cycles else moved


def keep(capture: Capture) -> Capture:
    """Return the capture, a copy of it kept in the folder that `KEEP` names, if it names one.

    A kept copy says of itself what the capture said, live or recorded: it stands for the capture in the same
    build.
    """
    folder = os.environ.get(KEEP)
    if folder:
        capture._stored(folder, {"kept_as": capture.source})
    return capture


def from_files(base: Path, *, source: str) -> Capture:
    """Return the stored capture with its source set, and with a note where its workload has changed since.

    Parameters
    ----------
    base : Path
        Folder and key, or any one of the three files.
    source : {"live", "recorded"}
        What to call it: a file that a child process has just written is live. A copy made by `keep` knows
        itself.

    Returns
    -------
    Capture
        Its trace is not read yet.
    """
    files, table, facts = store.read(base)
    source = facts.pop("kept_as", source)
    try:
        schedule = schedules.from_json(facts["schedule"])
        facts["key"]
    except (KeyError, UsageError):
        raise UsageError(f"{files.provenance}: not the provenance of a capture") from None
    workload, changed = _workload_then_and_now(facts)
    return Capture(
        trace_path=files.trace,
        table=table,
        provenance={**facts, "source": source, "changed": changed},
        schedule=schedule,
        workload=workload,
    )


def _workload_then_and_now(facts: Mapping[str, Any]) -> tuple[Workload | None, str | None]:
    """Return the workload of a provenance, and what has changed about it since (None: nothing)."""
    if facts.get("workloads"):  # a sweep over several; what they run is one module's code
        return None, _code_changed(facts, facts["workloads"][0])
    if facts.get("workload") is None:
        return None, None
    try:
        request = requests.from_json(facts)
    except UsageError:
        return None, _CHANGED
    same = facts.get("digest") == request.digest
    return request.workload, _code_changed(facts, facts["workload"]) if same else _CHANGED


def _code_changed(facts: Mapping[str, Any], workload: Mapping[str, Any]) -> str | None:
    """Return `_CHANGED` where a workload's code is not what it was when the facts were written."""
    try:
        same = facts.get("code") == workloads.code_digest(workloads.from_json(workload))
    except UsageError:
        same = False
    return None if same else _CHANGED
