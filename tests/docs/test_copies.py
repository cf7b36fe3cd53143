"""Examples as people take them away: a script in an empty folder, and the notebook of the download."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("plot_*.py"))


def _named(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("example", EXAMPLES, ids=_named)
def test_a_copied_script_runs_in_an_empty_folder_and_prints_the_same_reading(example, tmp_path):
    shutil.copy(example, tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, example.name],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    shown = example.read_text(encoding="utf-8").count("\nshow(")
    assert shown > 0
    assert done.stdout.count("[live on ") == shown, "each view prints its text and where it comes from"
    assert "<figure" not in done.stdout
    assert (tmp_path / "traces").is_dir()


@pytest.mark.parametrize("example", EXAMPLES, ids=_named)
def test_the_downloaded_notebook_runs_from_an_empty_folder(example, built, tmp_path, monkeypatch):
    import nbclient
    import nbformat

    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    (found,) = (built.site / "_downloads").rglob(f"{example.stem}.ipynb")
    notebook = nbformat.read(found, as_version=4)
    folder = tmp_path / "empty"
    folder.mkdir()
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("text/html" in output.get("data", {}) for output in outputs) >= 4
