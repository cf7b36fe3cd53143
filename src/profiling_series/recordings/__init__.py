"""Captures made on a GPU and shipped with the package, found by the digest of all their parameters.

They are made by ``nox -s record`` on a machine with a GPU, from the list in `manifest`. Recordings are
traces, not pages: all that is shown is computed from them when it is shown.
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
from profiling_series.profiler.request import Request

#: Environment variable: another folder to look for recordings in.
ENVIRONMENT = "PROFILING_SERIES_RECORDINGS"


def folder() -> Path:
    """Return the recordings' folder: the package's, unless ``PROFILING_SERIES_RECORDINGS`` names another."""
    return Path(os.environ.get(ENVIRONMENT) or Path(__file__).parent)


def load(request: Request) -> Capture:
    """Return the recording of exactly this request.

    Parameters
    ----------
    request : Request
        Workload, warm or cold, compile mode, schedule and seed.

    Returns
    -------
    Capture
        Its source is ``"recorded"``. A recording under the same key whose workload has since got other
        parameters, or other code, is returned, too, and says so in its ``source_line``.

    Raises
    ------
    RecordingMissing
        There is none; the message names key and digest, and how to make it.
    """
    found = store.files_of(folder() / request.key)
    for provenance, facts in _provenances():
        if facts.get("digest") == request.digest:
            found = store.files_of(provenance)
            break
    if not found.provenance.exists():
        raise RecordingMissing(
            f"there is no recording of {request.key} (digest {request.digest}): add it to "
            "profiling_series/recordings/manifest.py and run `nox -s record` on a machine with a GPU, "
            "or measure this CPU with source='cpu'"
        )
    return from_files(found.provenance, source="recorded")


def recorded() -> Iterator[Capture]:
    """Yield every recording of the folder, by key."""
    for provenance, _ in _provenances():
        yield from_files(provenance, source="recorded")


def _provenances() -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(folder().rglob("*.provenance.json")):
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"{path}: not the provenance of a capture: {error}") from None
        if isinstance(facts, dict):
            yield path, facts
