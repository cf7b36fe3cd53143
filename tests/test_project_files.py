"""The files around the code: they name what exists, and say the same as the code."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

import profiling_series

ROOT = Path(__file__).parents[1]


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_contributing_names_places_that_exist():
    named = re.findall(r"`((?:src|docs|tests|examples)/[\w./-]+|\.ci/run)`", _text("CONTRIBUTING.md"))
    missing = [name for name in named if "your_question" not in name and not (ROOT / name).exists()]
    assert len(named) > 10
    assert not missing


def test_each_job_of_contributing_fits_on_half_a_page():
    for section in _text("CONTRIBUTING.md").split("\n## ")[1:]:
        assert len(section.splitlines()) <= 22, section.splitlines()[0]


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load(_text("CITATION.cff"))
    assert citation["version"] == profiling_series.__version__
    assert "huggingface.co/blog/torch-profiler" in citation["references"][0]["url"]


def test_the_hooks_run_what_lint_runs():
    hooks = yaml.safe_load(_text(".pre-commit-config.yaml"))["repos"][0]["hooks"]
    for hook in hooks:
        assert hook["language"] == "system", "no second copy of a tool, of another release"
        assert f'"{hook["entry"].split()[2]}"' in _text("noxfile.py")


def test_the_workflow_publishes_only_what_was_measured_on_a_gpu():
    workflow = yaml.safe_load(_text(".github/workflows/pages.yml"))
    build, deploy = workflow["jobs"]["build"], workflow["jobs"]["deploy"]
    assert "self-hosted" in build["runs-on"]
    assert build["permissions"] == {"contents": "read"}
    assert deploy["needs"] == "build"
    commands = "\n".join(step.get("run", "") for step in build["steps"])
    assert ".venv/bin/nox -s docs" in commands
    assert 'return f"Measured live on' in _text("docs/_ext/this_build.py"), "what the workflow looks for"
    assert '"^Measured live on"' in commands
    triggers = workflow[True]  # YAML 1.1 reads `on` as true
    assert set(triggers) == {"workflow_dispatch", "push"}
    assert set(triggers["push"]) == {"tags"}, "a pull request must not run code on somebody's machine"
