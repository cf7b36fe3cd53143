"""From a request to its result: a recording, what this build has measured already, or a fresh process."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from msgspec import structs

from profiling_series import handed
from profiling_series.errors import CaptureError, RecordingMissing
from profiling_series.profiler import reuse, spawn
from profiling_series.profiler.reuse import Found
from profiling_series.profiler.sources import resolve
from profiling_series.profiler.spawn import Done
from profiling_series.results import AnyRequest, Capture, store
from profiling_series.results.capture import combined

Progress = Callable[[str], None] | None


class Recordings(Protocol):
    """What was measured on a GPU before, as the package's root hands it down."""

    def load(self, request: AnyRequest) -> Found:
        """Return the recording of a request, or raise `RecordingMissing`."""

    def add(self, result: Found) -> Found:
        """Return the result, stored where recordings are looked up; a faulty one raises `CaptureError`."""


def obtain(
    requests: Sequence[AnyRequest],
    *,
    source: str,
    out: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> list[Any]:
    """Return the result of each request, in their order.

    Parameters
    ----------
    requests : sequence of AnyRequest
        What to measure; of several, each gets a fresh process (see `spawn.run_each`).
    source : {"auto", "cuda", "cpu", "recorded", "replay", "record"}
        As `capture` takes it; "record" also stores as a recording what has none of today's code.
    out : path-like, optional
        Folder in which to keep the files; without it they live as long as this process.
    progress : callable, optional
        Called with a few words at each stage.

    Raises
    ------
    UsageError
        What is asked for cannot be measured here, or `out` cannot be written to.
    RecordingMissing
        There is no recording of a request.
    CaptureError
        A process that measured failed.
    """
    chosen = resolve(source)
    if out is not None:
        for request in requests:  # told now, not after the measurement
            store.place(out, request.key)
    if chosen == "recorded":
        found = [_recordings().load(request) for request in requests]
    elif chosen == "record":
        found = _recorded_now(requests, progress)
    else:
        found = _live(requests, chosen, progress)
    for one in found:
        reuse.keep(one)
    return found if out is None else [one.save(out) for one in found]


def _recordings() -> Recordings:
    assert handed.recordings is not None  # the package's root has run before this module
    found: Recordings = handed.recordings()
    return found


def _recorded_now(requests: Sequence[AnyRequest], progress: Progress) -> list[Found]:
    """Return the recordings of today's code, and of the rest what is measured and stored now."""
    recordings = _recordings()
    found: dict[str, Found] = {}
    for request in requests:
        try:
            known = recordings.load(request)
        except RecordingMissing:
            continue
        if known.provenance.changed is None:
            found[request.digest] = known
    missing = [request for request in requests if request.digest not in found]
    for request, made in zip(missing, _live(missing, "cuda", progress), strict=True):
        found[request.digest] = recordings.add(made)
    return [found[request.digest] for request in requests]


def _live(requests: Sequence[AnyRequest], device: str, progress: Progress) -> list[Found]:
    """Return what this build has measured already, and measure the rest."""
    found: dict[str, Found] = {}
    for request in requests:
        if (shared := reuse.find(request.digest, device)) is not None:
            found[request.digest] = shared
    missing = list({r.digest: r for r in requests if r.digest not in found}.values())
    # Measured into folders of their own: one that fails half-way leaves the files of an older one alone.
    folders = [Path(tempfile.mkdtemp(dir=_scratch())) for _ in missing]
    every = spawn.run_each(missing, device=device, outs=folders, progress=progress)
    for request, done in zip(missing, every, strict=True):
        found[request.digest] = _timed(done)
        reuse.share(request.digest, device, found[request.digest])
    return [found[request.digest] for request in requests]


def _timed(done: Done) -> Found:
    """Return what a process left, with the time that it took, importing torch included."""
    result = reuse.opened(done.paths, source="live")
    if result is None:
        raise CaptureError("the process that measured left no file")
    if isinstance(result, Capture) and result.cycles:
        return combined([_with_times(cycle, done) for cycle in result.cycles])
    return _with_times(result, done)


def _with_times(result: Any, done: Done) -> Any:
    told = structs.replace(result.provenance, elapsed_s=done.elapsed_s, stages_s=done.stages_s)
    return structs.replace(result, provenance=told)


@cache
def _scratch() -> str:
    # For the life of the process, not of the Capture: a Trace reads its file when an argument is asked for.
    folder = tempfile.mkdtemp(prefix="profiling_series_")
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked child, whose parent still reads there
        shutil.rmtree(folder, ignore_errors=True)
