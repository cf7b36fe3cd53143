"""Measurements made on a GPU and shipped with the package, found by the digest of all their parameters.

They are made by ``nox -s record`` on a machine with a GPU, from the list in `manifest`. Recordings of
captures are traces, not pages: all that is shown is computed from them when it is shown.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from profiling_series.errors import RecordingMissing, UsageError
from profiling_series.profiler import store
from profiling_series.profiler.captured import Capture, from_files
from profiling_series.profiler.measured import Measurement, from_file
from profiling_series.profiler.obtain import Asked

#: Environment variable: another folder to look for recordings in.
ENVIRONMENT = "PROFILING_SERIES_RECORDINGS"
_PROVENANCE = ".provenance.json"


def folder() -> Path:
    """Return the recordings' folder: the package's, unless ``PROFILING_SERIES_RECORDINGS`` names another."""
    return Path(os.environ.get(ENVIRONMENT) or Path(__file__).parent)


def load(request: Asked) -> Any:
    """Return the recording of exactly this request.

    Parameters
    ----------
    request : Request, SweepRequest, TimingRequest or CeilingsRequest
        What was measured; of a capture: workload, warm or cold, compile mode, schedule, seed and run.

    Returns
    -------
    Capture or Measurement
        Its source is ``"recorded"``. A recording under the same key whose workload has since got other
        parameters, or other code, is returned, too, and says so in its ``source_line``.

    Raises
    ------
    RecordingMissing
        There is none; the message names key and digest, and how to make it.
    """
    ending = _PROVENANCE if request.kind in ("capture", "sweep") else store.MEASURE
    found = folder() / f"{request.key}{ending}"
    for path, facts in _described(ending):
        if facts.get("digest") == request.digest:
            found = path
            break
    if not found.exists():
        raise RecordingMissing(
            f"there is no recording of {request.key} (digest {request.digest}): add it to "
            "profiling_series/recordings/manifest.py and run `nox -s record` on a machine with a GPU, "
            "or measure this CPU with source='cpu'"
        )
    opened = from_file if ending == store.MEASURE else from_files
    return opened(found, source="recorded")


def recorded() -> Iterator[Capture]:
    """Yield every recorded capture of the folder, by key; of a sweep, the one that holds it."""
    for path, _ in _described(_PROVENANCE):
        yield from_files(path, source="recorded")


def measurements() -> Iterator[Measurement]:
    """Yield every recorded measurement that is no capture, by key."""
    for path, _ in _described(store.MEASURE):
        yield from_file(path, source="recorded")


def _described(ending: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield every file of an ending that describes a recording, with what it says."""
    for path in sorted(folder().rglob(f"*{ending}")):
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"{path}: not the provenance of a capture: {error}") from None
        if isinstance(facts, dict):
            yield path, facts
