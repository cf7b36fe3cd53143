"""Where a capture comes from: measured here, or a recording made on a GPU."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from pathlib import Path

from profiling_series.errors import UsageError

#: What ``capture(source=…)`` takes.
SOURCES = ("auto", "cuda", "cpu", "recorded", "replay", "record")
#: Names the source of every capture that does not ask for one itself.
ENVIRONMENT = "PROFILING_SERIES_SOURCE"


def resolve(source: str) -> str:
    """Return ``"auto"``, ``"cuda"``, ``"cpu"``, ``"recorded"`` or ``"record"`` for what was asked.

    Parameters
    ----------
    source : {"auto", "cuda", "cpu", "recorded", "replay", "record"}
        ``"auto"`` is CUDA if there is one, else this CPU, unless the environment variable
        ``PROFILING_SERIES_SOURCE`` names another; ``"replay"`` is CUDA if there is one, else the recording;
        ``"record"`` is the recording if there is one of today's code, else CUDA, and the recording is made.

    Returns
    -------
    str
        ``"auto"`` is left for the child process to decide, which has torch.

    Raises
    ------
    UsageError
        No such source, or recordings were to be made where there is no GPU.
    """
    origin = "source"
    if source == "auto" and os.environ.get(ENVIRONMENT):
        source, origin = os.environ[ENVIRONMENT], ENVIRONMENT
    if source not in SOURCES:
        raise UsageError(f"unknown {origin} {source!r:.80}; choose one of {', '.join(SOURCES)}")
    if source == "replay":
        return "cuda" if cuda_available() else "recorded"
    if source == "record" and not cuda_available():
        raise UsageError("recordings are made on a GPU, and torch finds none here")
    return source


def has_gpu(source: str = "auto") -> bool:
    """Return whether captures of this source hold GPU work: there is a GPU here, or they are recordings.

    A lesson asks before it chooses sizes: what a GPU does in a millisecond can take a CPU minutes.

    Parameters
    ----------
    source : str
        As `resolve` takes it.

    Returns
    -------
    bool
        False means that they will be of a CPU alone.

    Raises
    ------
    UsageError
        No such source.
    """
    chosen = resolve(source)
    return chosen in ("cuda", "recorded", "record") or (chosen == "auto" and cuda_available())


def cuda_available() -> bool:
    """Return whether torch would find a GPU here; imports torch only where a driver makes that possible."""
    if not _driver_present() or importlib.util.find_spec("torch") is None:
        return False
    import torch

    return bool(torch.cuda.is_available())


def _driver_present() -> bool:
    if Path("/dev/kfd").exists():  # AMD's driver; torch for ROCm calls its GPUs cuda, too
        return True
    for library in ("libcuda.so.1", "nvcuda.dll"):
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        return True
    return False
