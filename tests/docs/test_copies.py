"""Examples as people take them away: a script in an empty folder, and the notebook of the download."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("plot_*.py"))
HOWTOS = [path for path in EXAMPLES if path.parent.name == "howto"]
LESSONS = [path for path in EXAMPLES if path not in HOWTOS]


def _named(path: Path) -> str:
    return path.stem


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """The folder in which all copies share what they measure alike, as the pages of one build do."""
    return tmp_path_factory.mktemp("shared")


def _run(example: Path, folder: Path, *before: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a copy of an example, or the script `before` with its name."""
    shutil.copy(example, folder)
    return subprocess.run(
        [sys.executable, *before, example.name],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


@pytest.mark.parametrize("example", LESSONS, ids=_named)
def test_a_copied_script_runs_in_an_empty_folder_and_prints_the_same_reading(example, tmp_path, shared):
    done = _run(example, tmp_path, PROFILING_SERIES_REUSE=str(shared))
    assert done.returncode == 0, done.stderr[-3000:]
    text = example.read_text(encoding="utf-8")
    shown = text.count("\nshow(")
    assert shown > 0
    assert done.stdout.count("[live on ") == shown, "each view prints its text and where it comes from"
    assert "<figure" not in done.stdout
    writes = "export_chrome_trace" in text or "record_callable" in text
    assert (tmp_path / "traces").is_dir() == writes


@pytest.mark.parametrize("example", HOWTOS, ids=_named)
def test_a_copied_recipe_runs_in_an_empty_folder_and_leaves_files_in_one_place(example, tmp_path, shared):
    done = _run(example, tmp_path, PROFILING_SERIES_REUSE=str(shared))
    assert done.returncode == 0, done.stderr[-3000:]
    shown = example.read_text(encoding="utf-8").count("\nshow(")
    assert len(re.findall(r"^\[(?:live on|read from) ", done.stdout, re.MULTILINE)) == shown
    assert done.stdout.strip(), "a recipe shows what came of it"
    assert "<figure" not in done.stdout
    assert {path.name for path in tmp_path.iterdir()} <= {example.name, "traces"}


WITHOUT_A_COMPILER = """\
import runpy, sys
from profiling_series import UsageError
from profiling_series.profiler import capturing

obtain = capturing.obtain

def without(requests, **how):
    if any(request.compile for request in requests):
        raise UsageError("torch.compile needs a C++ compiler, and none works here")
    return obtain(requests, **how)

capturing.obtain = without
runpy.run_path(sys.argv[1], run_name="__main__")
"""


@pytest.mark.parametrize(
    "example",
    [path for path in EXAMPLES if 'compile="default"' in path.read_text(encoding="utf-8")],
    ids=_named,
)
def test_without_a_compiler_the_eager_part_is_shown_and_one_line_says_why_it_ends(example, tmp_path, shared):
    (tmp_path / "run.py").write_text(WITHOUT_A_COMPILER)
    done = _run(example, tmp_path, "run.py", PROFILING_SERIES_REUSE=str(shared))
    assert done.returncode == 1
    assert done.stdout.count("[live on ") == 1
    assert done.stderr == (
        "The eager part of this lesson ends here. torch.compile needs a C++ compiler, and none works here\n"
    )


@pytest.mark.parametrize("example", EXAMPLES, ids=_named)
def test_the_downloaded_notebook_runs_from_an_empty_folder(example, built, tmp_path, monkeypatch, shared):
    import nbclient
    import nbformat

    monkeypatch.setenv("PROFILING_SERIES_REUSE", str(shared))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    (found,) = (built.site / "_downloads").rglob(f"{example.stem}.ipynb")
    notebook = nbformat.read(found, as_version=4)
    folder = tmp_path / "empty"
    folder.mkdir()
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = sum("text/html" in output.get("data", {}) for output in outputs)
    assert shown == example.read_text(encoding="utf-8").count("\nshow(")
