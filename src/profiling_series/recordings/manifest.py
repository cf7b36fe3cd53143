"""The list of recordings, by lesson, and the making of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from profiling_series import recordings
from profiling_series.errors import CaptureError, UsageError
from profiling_series.profiler import Capture, Request, capture, cuda_available
from profiling_series.workloads import MatmulAdd

#: "What does the profiler give back?": small and large, before and after warm-up.
_FIRST_LESSON = tuple(
    Request(MatmulAdd(size=size, dtype="bf16"), warm=warm) for size in (64, 4096) for warm in (False, True)
)

#: Every capture that the lessons replay where there is no GPU.
MANIFEST: tuple[Request, ...] = (*_FIRST_LESSON,)


def record_all(
    out: str | os.PathLike[str] | None = None,
    *,
    only: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[Capture]:
    """Return the captures of the manifest, measured on this machine's GPU and stored.

    Parameters
    ----------
    out : path-like, optional
        Folder to store them in; by default the one that they are looked up in.
    only : str, optional
        Only those whose key contains this text.
    progress : callable, optional
        Called with a few words at each stage.

    Returns
    -------
    list of Capture
        In the order of the manifest.

    Raises
    ------
    UsageError
        There is no GPU here, or `only` matches nothing.
    CaptureError
        A capture came back without GPU events, or failed; those before it are stored.
    """
    chosen = [request for request in MANIFEST if only is None or only in request.key]
    if not chosen:
        raise UsageError(f"no recording of the manifest has {only!r} in its key")
    if not cuda_available():
        raise UsageError("recordings are made on a GPU, and torch finds none here")
    tell = progress or (lambda text: None)
    made = []
    for number, request in enumerate(chosen, start=1):
        tell(f"{number} of {len(chosen)}: {request.key}")
        made.append(_record(request, recordings.folder() if out is None else Path(out), tell))
    return made


def _record(request: Request, out: Path, tell: Callable[[str], None]) -> Capture:
    measured = capture(
        request.workload,
        warm=request.warm,
        compile=request.compile,
        schedule=request.schedule,
        seed=request.seed,
        source="cuda",
        progress=tell,
    )
    if measured.warnings:
        # What is wrong with a recording is wrong with every page that replays it.
        raise CaptureError(f"{request.key} is not stored: {'; '.join(measured.warnings)}")
    return measured.save(out)
