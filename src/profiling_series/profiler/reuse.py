"""Measured once in one build: what several pages ask for alike is measured for the first and shared.

The docs build names a folder in the environment variable `REUSE`; the build's stamp empties it. A shared
capture says live, and when: it is the same measurement. Nothing is shared where no folder is named. Another
folder, which `KEEP` names, gets a copy of every result, for a build's own list.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from profiling_series.results import AnyFigures, Capture, figures, store
from profiling_series.results.capture import combined, from_files
from profiling_series.results.provenance import Source

#: Environment variable: the folder in which the live measurements of one build are shared.
REUSE = "PROFILING_SERIES_REUSE"
#: Environment variable: a folder in which a copy of every result of this process is kept.
KEEP = "PROFILING_SERIES_KEEP"

Found = Capture | AnyFigures


def find(digest: str, device: str) -> Found | None:
    """Return what this build has measured already for a request on a device, None if nothing."""
    if (folder := _folder(digest, device)) is None or not folder.is_dir():
        return None
    return opened(sorted(folder.rglob("*"), key=_natural), source="live")


def share(digest: str, device: str, result: Found) -> None:
    """Return None, with the result in the folder that is shared, where there is one."""
    if (folder := _folder(digest, device)) is not None:
        result.save(folder, kept_as="live")


def keep(result: Found) -> None:
    """Return None, with a copy of the result in the folder that `KEEP` names, where it names one.

    The copy says of itself what the result said, live or recorded: it stands for it in the same build.
    """
    if folder := os.environ.get(KEEP):
        result.save(folder, kept_as=result.provenance.source)


def opened(paths: Sequence[Path], *, source: Source) -> Found | None:
    """Return the figures, or the capture with all its windows, that files hold; None for none.

    Parameters
    ----------
    paths : sequence of Path
        Files of one measurement; those that follow from others by name may be missing.
    source : {"live", "recorded"}
        What to call it.
    """
    for path in paths:
        if path.name.endswith(store.FIGURES):
            return figures.from_file(path, source=source)
    traces = [path for path in paths if path.name.endswith(".json.gz")]
    return combined([from_files(path, source=source) for path in traces]) if traces else None


def _folder(digest: str, device: str) -> Path | None:
    named = os.environ.get(REUSE)
    return Path(named) / device / digest if named else None


def _natural(path: Path) -> list[tuple[int, str]]:
    """Return a key that sorts ``…_cycle10`` behind ``…_cycle9``."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", str(path))]
