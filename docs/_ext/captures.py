"""The captures of this build, kept page by page as they are made, for *This build* and for its pictures."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sphinx.util import logging

from .stamp import state_dir

LOGGER = logging.getLogger(__name__)
KEEP = "PROFILING_SERIES_KEEP"
"""The package keeps a copy of every capture in the folder that this variable names."""
REUSE = "PROFILING_SERIES_REUSE"
"""The package measures alike requests once, and shares them through the folder that this variable names."""
_TRACE, _FIGURES = ".json.gz", ".measure.json"


@dataclass(frozen=True)
class Kept:
    """What a page of this build measured: the page (the last part of its name), a key, and its files."""

    page: str
    key: str
    trace: Path

    @property
    def is_capture(self) -> bool:
        """Return whether there is a trace; timings and ceilings are figures alone."""
        return self.trace.name.endswith(_TRACE)

    @property
    def files(self) -> dict[str, Path]:
        """Return what can be downloaded, by what it is."""
        if not self.is_capture:
            return {"figures": self.trace}
        stem = str(self.trace).removesuffix(_TRACE)
        return {
            "trace": self.trace,
            "table": Path(f"{stem}.txt"),
            "provenance": Path(f"{stem}.provenance.json"),
        }

    def load(self) -> Any:
        """Return the capture, or the figures."""
        from profiling_series.results import Capture, figures

        if self.is_capture:
            return Capture.load(self.trace)
        return figures.from_file(self.trace, source="recorded")


def keep_for(source_dir: str | Path, page: str) -> None:
    """Have the captures that are made from now on kept as those of a page, by the last part of its name."""
    os.environ[KEEP] = str(_folder(source_dir) / page.rsplit("/", 1)[-1])


def page_now() -> str:
    """Return the page that captures are kept for, by the last part of its name."""
    return Path(os.environ[KEEP]).name


def kept(source_dir: str | Path) -> list[Kept]:
    """Return what this build measured, in the order of pages and keys."""
    found = []
    for path in sorted(_folder(source_dir).rglob("*")):
        for ending in (_TRACE, _FIGURES):
            if path.name.endswith(ending):
                page, *key = path.relative_to(_folder(source_dir)).parts
                found.append(Kept(page, "/".join(key).removesuffix(ending), path))
    return found


def alike(found: list[Kept]) -> list[list[Kept]]:
    """Return what several pages have of one measurement together, in the order of its first page."""
    groups: dict[tuple[str, bytes], list[Kept]] = {}
    for one in found:
        groups.setdefault((one.key, one.trace.read_bytes()), []).append(one)
    return list(groups.values())


def find(source_dir: str | Path, key: str) -> Kept | None:
    """Return a capture by its key, or None if no page made one."""
    return next((one for one in kept(source_dir) if one.key == key and one.is_capture), None)


def _folder(source_dir: str | Path) -> Path:
    return state_dir(source_dir) / "captures"


def setup(app: Any) -> None:
    """Name the page to whom captures belong before its cells run, and the folder that all share."""
    app.add_config_value("measure_ahead", True, "")  # a toy of the tests has no such lessons
    app.connect("source-read", lambda app, page, _source: keep_for(app.srcdir, page))
    app.connect("builder-inited", _share, priority=100)  # before the gallery runs its first example


def _share(app: Any) -> None:
    os.environ[REUSE] = str(state_dir(app.srcdir) / "measured")
    if app.config.measure_ahead:
        _measure_ahead()


def _measure_ahead() -> None:
    """Measure what pages asked for when the recordings were made, if this build is live.

    They will ask for it again. One at a time, as ever; but several processes import torch side by side, which
    is most of their time. A page that is run later finds its own shared, and what is new it measures itself.
    """
    from profiling_series.profiler import cuda_available
    from profiling_series.profiler.obtain import obtain
    from profiling_series.recordings.making import asked_by_pages

    if cuda_available() and os.environ.get("PROFILING_SERIES_SOURCE") == "replay":
        obtain(asked_by_pages(), source="replay", progress=LOGGER.info)
