"""A stamp of everything that measured pages depend on; when it changes, all of them are measured again.

sphinx-gallery looks at an example's own text only, and myst-nb at a notebook's cells only. Neither sees that
the package, the recordings, the GPU or torch changed, and a page measured on one machine would stand beside a
page measured on another without a warning.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util import logging

from .expressions import elsewhere, in_pages

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

LOGGER = logging.getLogger(__name__)
ROOT = Path(__file__).parents[2]
EXECUTED = ("src", "examples", "docs/_ext", "docs/conf.py", "docs/start.md")
"""What runs, or decides what runs, while the site is built."""


def state_dir(source_dir: str | Path) -> Path:
    """Return the folder in which a build leaves what the next one must know, made if missing."""
    folder = Path(source_dir) / "_build" / "state"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def machine() -> dict[str, str]:
    """Return what this build measures on: mode (``live`` or ``recorded``), GPU, torch, CUDA; "" for none."""
    import torch

    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else ""
    source = os.environ.get("PROFILING_SERIES_SOURCE", "auto")
    recorded = source in ("recorded", "record") or (source == "replay" and not gpu)
    return {
        "mode": "recorded" if recorded else "live",
        "source": source,
        "gpu": gpu,
        "torch": torch.__version__,
        "cuda": torch.version.cuda or "",
    }


def compute(root: Path = ROOT) -> str:
    """Return a digest of the machine, the files that measured pages depend on, and what pages ask them."""
    asked = [one for one in in_pages(root / "docs") if elsewhere(one)[0]]
    digest = hashlib.sha256(repr((sorted(machine().items()), asked)).encode())
    for path in _files(root):
        digest.update(f"\0{os.path.relpath(path, root)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _files(root: Path) -> Iterator[Path]:
    """Yield the files of EXECUTED in a fixed order, without what Python and the examples write."""
    tops = [root / name for name in EXECUTED]
    if elsewhere := os.environ.get("PROFILING_SERIES_RECORDINGS"):
        tops.append(Path(elsewhere).absolute())
    for top in tops:
        found = [top] if top.is_file() else sorted(top.rglob("*"))
        for path in found:
            if path.is_file() and not {"__pycache__", "traces"} & set(path.relative_to(top).parts):
                yield path


def _compare(app: Sphinx, config: Config) -> None:
    """Where the stamp changed, forget what earlier builds measured, so that everything runs again."""
    folder, now = state_dir(app.srcdir), compute()
    before = folder / "stamp"
    config.profiling_series_stamp = now
    if before.exists() and before.read_text(encoding="utf-8") == now:
        return
    LOGGER.info("measuring anew: %s", "the build's stamp changed" if before.exists() else "no earlier build")
    shutil.rmtree(folder)
    # With the pages go those of examples that were renamed since; the next build would warn of them.
    shutil.rmtree(Path(app.srcdir) / config.sphinx_gallery_conf["gallery_dirs"], ignore_errors=True)
    state_dir(app.srcdir)


def _keep(app: Sphinx, exception: Exception | None) -> None:
    """Write the stamp, once all was measured; a build that broke off leaves none."""
    if exception is None:
        folder = state_dir(app.srcdir)
        (folder / "stamp").write_text(app.config.profiling_series_stamp, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register the stamp as a setting whose change makes Sphinx read every page again."""
    app.add_config_value("profiling_series_stamp", "", "env", [str])
    app.connect("config-inited", _compare, priority=5)  # sphinx-gallery fills its settings at 10
    app.connect("build-finished", _keep)
