"""The captures of this build, kept page by page as they are made, for *This build* and for its pictures."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .stamp import state_dir

if TYPE_CHECKING:
    from profiling_series.profiler import Capture

KEEP = "PROFILING_SERIES_KEEP"
"""The package keeps a copy of every capture in the folder that this variable names."""


@dataclass(frozen=True)
class Kept:
    """A capture of this build: the page that made it (the last part of its name), its key, and its files."""

    page: str
    key: str
    trace: Path

    @property
    def files(self) -> dict[str, Path]:
        """Return what can be downloaded, by what it is."""
        stem = str(self.trace).removesuffix(".json.gz")
        return {
            "trace": self.trace,
            "table": Path(f"{stem}.txt"),
            "provenance": Path(f"{stem}.provenance.json"),
        }

    def load(self) -> Capture:
        """Return the capture."""
        from profiling_series.profiler import Capture

        return Capture.load(self.trace)


def keep_for(source_dir: str | Path, page: str) -> None:
    """Have the captures that are made from now on kept as those of a page, by the last part of its name."""
    os.environ[KEEP] = str(_folder(source_dir) / page.rsplit("/", 1)[-1])


def page_now() -> str:
    """Return the page that captures are kept for, by the last part of its name."""
    return Path(os.environ[KEEP]).name


def kept(source_dir: str | Path) -> list[Kept]:
    """Return the captures of this build in the order of pages and keys."""
    found = []
    for trace in sorted(_folder(source_dir).rglob("*.json.gz")):
        page, *key = trace.relative_to(_folder(source_dir)).parts
        found.append(Kept(page, "/".join(key).removesuffix(".json.gz"), trace))
    return found


def find(source_dir: str | Path, key: str) -> Kept | None:
    """Return a capture by its key, or None if no page made one."""
    return next((one for one in kept(source_dir) if one.key == key), None)


def _folder(source_dir: str | Path) -> Path:
    return state_dir(source_dir) / "captures"


def setup(app: Any) -> None:
    """Name the page to whom captures belong before its cells run."""
    app.connect("source-read", lambda app, page, _source: keep_for(app.srcdir, page))
