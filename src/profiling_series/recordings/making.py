"""Making recordings again on this machine's GPU: those that are there, and the planted faults' twins.

What a lesson asks for beyond them is recorded when it is run with ``PROFILING_SERIES_SOURCE=record``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from profiling_series import recordings
from profiling_series.errors import UsageError
from profiling_series.profiler import cuda_available
from profiling_series.profiler.obtain import obtain
from profiling_series.profiler.spawn import AT_ONCE
from profiling_series.results import AnyFigures, AnyRequest, Capture
from profiling_series.results.planted import twins
from profiling_series.workloads.faults import FAULTS


def known() -> list[AnyRequest]:
    """Return what the recordings that are there were asked for, then what the planted faults lack."""
    found = {one.request.digest: one.request for one in recordings.provenances() if one.request}
    planted = {request.digest: request for fault in FAULTS for request in twins(fault)}
    return list({**found, **planted}.values())


def asked_by_pages() -> list[AnyRequest]:
    """Return what the recordings were asked for by pages: all but the planted faults' twins."""
    planted = {request.digest for fault in FAULTS for request in twins(fault)}
    return [request for request in known() if request.digest not in planted]


def record_again(
    out: str | os.PathLike[str] | None = None,
    *,
    only: str | None = None,
    missing: bool = False,
    progress: Callable[[str], None] | None = None,
) -> list[Capture | AnyFigures]:
    """Return the recordings, measured anew on this machine's GPU and stored.

    Parameters
    ----------
    out : path-like, optional
        Folder to store them in; by default the one that they are looked up in.
    only : str, optional
        Only those whose key contains this text.
    missing : bool
        Only those that are not there yet, or of code that has changed since.
    progress : callable, optional
        Called with a few words at each stage.

    Raises
    ------
    UsageError
        There is no GPU here, or `only` matches nothing.
    CaptureError
        A capture came back without GPU events, or failed; those of earlier groups are stored.
    """
    chosen = [request for request in known() if only is None or only in request.key]
    if not chosen:
        raise UsageError(f"no recording has {only!r} in its key")
    if not cuda_available():
        raise UsageError("recordings are made on a GPU, and torch finds none here")
    if missing:
        here = {one.digest for one in recordings.provenances() if not one.changed}
        chosen = [request for request in chosen if request.digest not in here]
    tell = progress or (lambda text: None)
    target = recordings.folder() if out is None else Path(out)
    made: list[Capture | AnyFigures] = []
    for first in range(0, len(chosen), AT_ONCE):
        group = chosen[first : first + AT_ONCE]
        last = first + len(group)
        tell(f"{first + 1} to {last} of {len(chosen)}: {', '.join(request.key for request in group)}")
        made += [recordings.add(one, target) for one in obtain(group, source="cuda", progress=tell)]
    return made
