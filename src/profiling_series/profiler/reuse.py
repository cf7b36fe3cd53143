"""Measured once in one build: what several pages ask for alike is measured for the first and shared.

The docs build names a folder in the environment variable `REUSE`; the build's stamp empties it. A shared
capture says live, and when: it is the same measurement. Nothing is shared where no folder is named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from profiling_series.profiler import store
from profiling_series.profiler.captured import Capture, from_files
from profiling_series.profiler.measured import Measurement, from_file
from profiling_series.profiler.window import combined

#: Environment variable: the folder in which the live measurements of one build are shared.
REUSE = "PROFILING_SERIES_REUSE"

Result = Capture | Measurement


def find(digest: str, device: str) -> Result | None:
    """Return what this build has measured already for a request on a device, None if nothing."""
    if (folder := _folder(digest, device)) is None or not folder.is_dir():
        return None
    return opened(sorted(folder.rglob("*"), key=_natural), source="live")


def share(digest: str, device: str, result: Result) -> None:
    """Return None, with the result in the folder that is shared, where there is one."""
    if (folder := _folder(digest, device)) is not None:
        result._stored(folder, {"kept_as": "live"})


def opened(paths: Sequence[Path], *, source: str) -> Result | None:
    """Return the measurement, or the capture with all its windows, that files hold; None for none.

    Parameters
    ----------
    paths : sequence of Path
        Files of one measurement; those that follow from others by name may be missing.
    source : {"live", "recorded"}
        What to call it.
    """
    for path in paths:
        if path.name.endswith(store.MEASURE):
            return from_file(path, source=source)
    traces = [path for path in paths if path.name.endswith(".json.gz")]
    return combined([from_files(path, source=source) for path in traces]) if traces else None


def _folder(digest: str, device: str) -> Path | None:
    named = os.environ.get(REUSE)
    return Path(named) / device / digest if named else None


def _natural(path: Path) -> list[tuple[int, str]]:
    """Return a key that sorts ``…_cycle10`` behind ``…_cycle9``."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", str(path))]
