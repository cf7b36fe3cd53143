"""The README's promises: its commands are those that CI and the noxfile know, and they do what it says."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", README, re.S | re.M)
    for line in block.strip().splitlines()
]


def test_ci_runs_the_test_command_of_the_readme():
    command = next(line for line in COMMANDS if "-s tests" in line)
    assert command.endswith("nox -s tests")
    assert re.search(r"^nox -s tests\b", (ROOT / ".ci/run").read_text("utf-8"), re.M)


def test_both_first_commands_are_whole():
    """Each makes its environment and installs the pinned nox: a fresh clone needs no other line."""
    first = [line for line in COMMANDS if "nox -s" in line]
    assert len(first) == 2
    for line in first:
        assert line.startswith("python3 -m venv .venv && .venv/bin/pip install -c constraints.txt nox && ")


def test_every_session_that_is_named_exists():
    listed = subprocess.run(
        [sys.executable, "-m", "nox", "-l"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in set(
        re.findall(r"nox -s ([a-z-]+)", README + (ROOT / "docs/reference/this-build.md").read_text())
    ):
        assert re.search(rf"^[*-] {name} ->", listed, re.M), name


def test_a_newcomer_gets_from_the_readme_to_a_reading(tmp_path):
    commands = [shlex.split(line) for line in COMMANDS if "bin/profiling-series" in line]
    assert [command[1] for command in commands] == ["run", "read"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "profiling_series", *command[1:]],
            cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "Verdict" in done.stdout


def test_the_python_of_the_readme_runs(tmp_path):
    (code,) = re.findall(r"^```python\n(.*?)^```", README, re.S | re.M)
    ast.parse(code)
    script = "import torch\ndef my_step():\n    torch.ones(8).sum()\n" + code
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "traces" / "my_step.json.gz").exists()


def test_what_the_readme_shows_and_names_is_there():
    for path in re.findall(r"\]\(((?!http)[^)]+)\)", README) + re.findall(r"examples/\S+\.py", README):
        assert (ROOT / path).exists(), path


def test_the_series_that_the_lessons_follow_is_credited():
    for part in ("torch-profiler", "torch-mlp-fusion", "torch-attention-profile"):
        assert f"https://huggingface.co/blog/{part}" in README
