"""From a request to its result: a recording, what this build has measured already, or a fresh process."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from profiling_series.errors import CaptureError
from profiling_series.profiler import reuse, spawn, store
from profiling_series.profiler.captured import Capture, keep
from profiling_series.profiler.measured import Measurement
from profiling_series.profiler.sources import resolve
from profiling_series.profiler.spawn import Done, Order
from profiling_series.profiler.window import combined

Result = Capture | Measurement


class Asked(Order, Protocol):
    """A request: what a fresh process is told, with a name and a digest to find its result by."""

    @property
    def key(self) -> str:
        """Return the name of the files."""

    @property
    def digest(self) -> str:
        """Return 16 hex digits, equal for equal requests only."""


def obtain(
    requests: Sequence[Asked],
    *,
    source: str,
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[Any]:
    """Return the result of each request, in their order.

    Parameters
    ----------
    requests : sequence of Asked
        What to measure; of several, each gets a fresh process (see `spawn.run_each`).
    source : {"auto", "cuda", "cpu", "recorded", "replay"}
        As `capture` takes it.
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
        from profiling_series.recordings import load

        found = [load(request) for request in requests]
    else:
        found = _live(requests, chosen, progress)
    kept = [keep(one) if isinstance(one, Capture) else one.kept() for one in found]
    return kept if out is None else [one.save(out) for one in kept]


def _live(requests: Sequence[Asked], device: str, progress: Callable[[str], None] | None) -> list[Result]:
    """Return what this build has measured already, and measure the rest."""
    found: dict[str, Result] = {}
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


def _timed(done: Done) -> Result:
    """Return what a process left, with the time that it took, importing torch included."""
    result = reuse.opened(done.paths, source="live")
    if result is None:
        raise CaptureError("the process that measured left no file")
    spent = {"elapsed_s": done.elapsed_s, "stages_s": done.stages_s}
    if isinstance(result, Capture) and result.cycles:
        return combined([_with(cycle, spent) for cycle in result.cycles])
    return _with(result, spent)


def _with(result: Any, facts: dict[str, Any]) -> Any:
    return replace(result, provenance={**result.provenance, **facts})


@cache
def _scratch() -> str:
    # For the life of the process, not of the Capture: a Trace reads its file when an argument is asked for.
    folder = tempfile.mkdtemp(prefix="profiling_series_")
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked child, whose parent still reads there
        shutil.rmtree(folder, ignore_errors=True)
