"""Making the recordings of the manifest, on this machine's GPU."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from profiling_series import recordings
from profiling_series.errors import CaptureError, UsageError
from profiling_series.profiler import cuda_available
from profiling_series.profiler.obtain import Asked, obtain
from profiling_series.profiler.spawn import AT_ONCE
from profiling_series.recordings.manifest import MANIFEST


def record_all(
    out: str | os.PathLike[str] | None = None,
    *,
    only: str | None = None,
    missing: bool = False,
    progress: Callable[[str], None] | None = None,
) -> list[Any]:
    """Return the measurements of the manifest, made on this machine's GPU and stored.

    Parameters
    ----------
    out : path-like, optional
        Folder to store them in; by default the one that they are looked up in.
    only : str, optional
        Only those whose key contains this text.
    missing : bool
        Only those that are not recorded yet, or of code that has changed since.
    progress : callable, optional
        Called with a few words at each stage.

    Returns
    -------
    list of Capture or Measurement
        In the order of the manifest.

    Raises
    ------
    UsageError
        There is no GPU here, or `only` matches nothing.
    CaptureError
        A capture came back without GPU events, or failed; those of earlier groups are stored.
    """
    chosen = [request for request in MANIFEST if only is None or only in request.key]
    if not chosen:
        raise UsageError(f"no recording of the manifest has {only!r} in its key")
    if not cuda_available():
        raise UsageError("recordings are made on a GPU, and torch finds none here")
    if missing:
        described = [one.provenance for one in recordings.recorded()]
        described += [one.provenance for one in recordings.measurements()]
        here = {facts["digest"] for facts in described if not facts["changed"]}
        chosen = [request for request in chosen if request.digest not in here]
    tell = progress or (lambda text: None)
    target = recordings.folder() if out is None else Path(out)
    made: list[Any] = []
    for first in range(0, len(chosen), AT_ONCE):
        group = chosen[first : first + AT_ONCE]
        last = first + len(group)
        tell(f"{first + 1} to {last} of {len(chosen)}: {', '.join(request.key for request in group)}")
        made += _record(group, target, tell)
    return made


def _record(group: list[Asked], out: Path, tell: Callable[[str], None]) -> list[Any]:
    measured = obtain(group, source="cuda", progress=tell)
    for one in measured:
        if one.warnings:
            # What is wrong with a recording is wrong with every page that replays it.
            raise CaptureError(f"{one.key} is not stored: {'; '.join(one.warnings)}")
    return [one.save(out) for one in measured]
