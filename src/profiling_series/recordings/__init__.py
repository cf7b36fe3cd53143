"""Measurements made on a GPU and shipped with the package, found by the digest of all their parameters.

They are made by ``nox -s record`` on a machine with a GPU, of what the lessons ask for when they are run.
Recordings of captures are traces, not pages: all that is shown is computed from them when it is shown.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from profiling_series.errors import CaptureError, RecordingMissing
from profiling_series.results import AnyFigures, AnyRequest, Capture, Provenance, figures, store
from profiling_series.results.capture import from_files

#: Environment variable: another folder to look for recordings in.
ENVIRONMENT = "PROFILING_SERIES_RECORDINGS"


def folder() -> Path:
    """Return the recordings' folder: the package's, unless ``PROFILING_SERIES_RECORDINGS`` names another."""
    return Path(os.environ.get(ENVIRONMENT) or Path(__file__).parent)


def load(request: AnyRequest) -> Capture | AnyFigures:
    """Return the recording of exactly this request.

    Parameters
    ----------
    request : Request, SweepRequest, TimingRequest or CeilingsRequest
        What was measured; of a capture: workload, warm or cold, compile mode, schedule, seed and run.

    Returns
    -------
    Capture, Timing or Ceilings
        Its source is ``"recorded"``. A recording under the same key whose workload has since got other
        parameters, or other code, is returned, too, and says so in its ``source_line``.

    Raises
    ------
    RecordingMissing
        There is none; the message names key and digest, and how to make it.
    """
    called_so = None
    for path in _files(store.PROVENANCE if request.leaves_trace else store.FIGURES):
        described = _provenance(path)
        if described.digest == request.digest:
            return _opened(path)
        if described.key == request.key:
            called_so = path
    if called_so is None:
        raise RecordingMissing(
            f"there is no recording of {request.key} (digest {request.digest}): run "
            "`nox -s record -- --missing` on a machine with a GPU, or measure this CPU with source='cpu'"
        )
    return _opened(called_so)


def add(result: Capture | AnyFigures, target: Path | None = None) -> Capture | AnyFigures:
    """Return a result as stored among the recordings, or in another folder.

    Raises
    ------
    CaptureError
        It warns of itself, and is not stored.
    """
    if result.warnings:
        # What is wrong with a recording is wrong with every page that replays it.
        raise CaptureError(f"{result.key} is not stored: {'; '.join(result.warnings)}")
    return result.save(target or folder())


def recorded() -> Iterator[Capture]:
    """Yield every recorded capture of the folder, by key; of a sweep, the one that holds it."""
    for path in _files(store.PROVENANCE):
        yield from_files(path, source="recorded")


def measurements() -> Iterator[AnyFigures]:
    """Yield every recorded measurement that is no capture, by key."""
    for path in _files(store.FIGURES):
        yield figures.from_file(path, source="recorded")


def provenances() -> Iterator[Provenance]:
    """Yield where every recording comes from, and what was asked for, without its trace."""
    for ending in (store.PROVENANCE, store.FIGURES):
        for path in _files(ending):
            yield _provenance(path).opened("recorded")


def _files(ending: str) -> list[Path]:
    return sorted(folder().rglob(f"*{ending}"))


def _provenance(path: Path) -> Provenance:
    if path.name.endswith(store.PROVENANCE):
        return store.read_provenance(path)
    found: AnyFigures = store.read_figures(path, AnyFigures)
    return found.provenance


def _opened(path: Path) -> Capture | AnyFigures:
    opened = from_files if path.name.endswith(store.PROVENANCE) else figures.from_file
    return opened(path, source="recorded")
