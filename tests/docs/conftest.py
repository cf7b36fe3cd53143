"""Builds of the documentation, in copies of the tree: the whole site once, and toys of a page or two."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What a clone would not hold, and the tests, which no build reads.
WRITTEN = shutil.ignore_patterns(
    *(".git", ".nox", ".venv*", ".*_cache", "build", "dist", "tests"),
    *("_build", "auto_examples", "generated", "jupyter_execute", "__pycache__", "traces"),
)
CONF_FILES = ("conf.py", "_ext", "_static", "_templates")


@dataclass(frozen=True)
class Build:
    """A finished build: where it is, and what its command said."""

    root: Path
    site: Path
    returncode: int
    output: str


def _environment(root: Path) -> dict[str, str]:
    """Return the environment of a build: no setting of the caller's decides what it measures."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PROFILING_SERIES_")}
    return {**kept, "PYTHONPATH": str(root / "src")}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return the whole site, built by `nox -s docs` from a copy of the tree as a newcomer has it.

    ``BUILT_SITE=docs/_build/html`` has the browser's tests look at that site instead: one measured on a GPU.
    """
    if site := os.environ.get("BUILT_SITE"):
        return Build(ROOT, Path(site).resolve(), 0, "")
    return build_site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def built_on_cpu(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return the same site measured on this CPU, on which a trace holds no GPU at all."""
    return build_site(tmp_path_factory.mktemp("cpu"), PROFILING_SERIES_SOURCE="cpu")


def build_site(root: Path, **settings: str) -> Build:
    """Build a copy of the tree in `root` by the docs session and return it; a failure shows its output."""
    shutil.copytree(ROOT, root, ignore=WRITTEN, dirs_exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "nox", "--no-venv", "--no-install", "-s", "docs"],
        cwd=root,
        env={**_environment(root), **settings},
        capture_output=True,
        text=True,
        timeout=1500,
    )
    build = Build(root, root / "docs" / "_build" / "html", done.returncode, done.stdout + done.stderr)
    assert build.returncode == 0, build.output[-6000:]
    return build


class Toy:
    """A small project with this site's own settings and extension, to be built again and again."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in CONF_FILES:
            source = ROOT / "docs" / name
            if source.is_dir():
                shutil.copytree(source, root / "docs" / name, ignore=WRITTEN)
            else:
                (root / "docs").mkdir(parents=True, exist_ok=True)
                shutil.copy(source, root / "docs" / name)
        self.write("src/touched.py", "VALUE = 1\n")
        self.write("examples/GALLERY_HEADER.rst", "Toys\n====\n\nToys.\n")
        self.write("examples/part1_toys/GALLERY_HEADER.rst", "Part 1\n------\n\nToys.\n")
        self.write(
            "docs/index.md", "# Toy\n\n```{toctree}\nauto_examples/index\nstart\nreference/this-build\n```\n"
        )
        self.write("docs/reference/this-build.md", "# This build\n\n```{this-build}\n```\n")
        self.write("docs/start.md", "# Start\n\nWords.\n")

    def write(self, name: str, text: str) -> Path:
        """Write a file of the toy and return its path."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def build(self, *options: str, builder: str = "html", **environment: str) -> Build:
        """Build strictly, as the docs session does, and return what came of it."""
        site = self.root / ("site" if builder == "html" else builder)
        strict = ["-n", "-W", "-T", "--keep-going", "-D", "measure_ahead=0", "-b", builder, *options]
        done = subprocess.run(
            [sys.executable, "-m", "sphinx", *strict, "docs", str(site)],
            cwd=self.root,
            env={**_environment(ROOT), **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )
        return Build(self.root, site, done.returncode, done.stdout + done.stderr)

    def page(self, name: str) -> str:
        """Return the HTML of a built page."""
        return (self.root / "site" / f"{name}.html").read_text(encoding="utf-8")


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    """Return a toy project without examples."""
    return Toy(tmp_path)
