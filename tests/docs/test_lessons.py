"""The lessons, run from recordings: what they ask for, and whether their prose holds of altered traces."""

from __future__ import annotations

import re
import runpy
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _ext import expressions, values

from profiling_series import recordings
from profiling_series.errors import RecordingMissing
from profiling_series.recordings.making import known
from profiling_series.results import Capture, Sweep

from . import altered, stand_ins

ROOT = Path(__file__).parents[2]
LESSONS = sorted((ROOT / "examples").glob("part*/plot_*.py"))
# Names of events, as prose quotes them.
EVENT = re.compile(
    r"``(aten::\w+|cuda[A-Z]\w+|cu[A-Z]\w+|Activity [\w ]+|Torch\w[\w -]*|AOT\w[\w ]*"
    r"|Mem(?:cpy|set)[\w ]*|triton_\w+)``"
)


def _named(path: Path) -> str:
    return path.stem


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a lesson in an empty folder, all its measurements from a folder of recordings."""

    def with_recordings(lesson: Path, folder: Path) -> dict[str, Any]:
        monkeypatch.setenv("PROFILING_SERIES_SOURCE", "recorded")
        monkeypatch.setenv("PROFILING_SERIES_RECORDINGS", str(folder))
        monkeypatch.chdir(tmp_path)
        return runpy.run_path(str(lesson))

    return with_recordings


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made-up")
    stand_ins.write(folder, known())
    return folder


@pytest.mark.parametrize("lesson", LESSONS, ids=_named)
def test_all_that_a_lesson_asks_for_is_recorded(lesson, run, made_up, capsys):
    """And every sentence of it can be decided, from traces without a single row that it may hope for."""
    found = run(lesson, made_up)
    known = values.answers(ROOT / "docs", lesson, found)
    assert known
    assert not {expression: answer for expression, answer in known.items() if "error" in answer}
    assert "[recorded on Stand-in GPU" in capsys.readouterr().out


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("changed") / "recordings"
    altered.alter(recordings.folder(), folder)
    return folder


@pytest.mark.parametrize("which", ["as recorded", "altered"])
@pytest.mark.parametrize("lesson", LESSONS, ids=_named)
def test_no_sentence_says_of_an_event_what_the_traces_lack(lesson, which, run, request):
    folder = request.getfixturevalue("changed") if which == "altered" else recordings.folder()
    try:
        found = run(lesson, folder)
    except RecordingMissing as missing:
        pytest.skip(f"not recorded yet: {missing}")
    names = {name for capture in _captures(found.values()) for name in capture.trace.names}
    for sentence in _conditional(
        lesson.read_text(encoding="utf-8"), values.answers(ROOT / "docs", lesson, found)
    ):
        if "published" in sentence:
            continue
        for name in EVENT.findall(sentence):
            assert any(name in one for one in names), f"{name} is in no trace of the lesson: {sentence}"


def _conditional(text: str, known: values.Answers) -> Iterator[str]:
    """Yield the prose under each condition that holds and asks for what is there, not for what is not."""
    prose = "\n".join(line[2:] for line in text.splitlines() if line.startswith("#"))
    for found in expressions.WHEN.finditer(prose):
        condition = expressions.one_line(found[1])
        if not re.search(r"(?:^|: )not ", condition) and values.holds(known, condition):
            yield " ".join(textwrap.dedent(found[2]).split())


def _captures(things: Any) -> Iterator[Capture]:
    """Yield the captures among a lesson's own names, also those in lists and dictionaries."""
    for thing in things:
        if isinstance(thing, Capture):
            yield thing
        elif isinstance(thing, Sweep):
            yield thing.capture
        elif isinstance(thing, list | tuple):
            yield from _captures(thing)
        elif isinstance(thing, dict):
            yield from _captures(thing.values())


def test_the_check_sees_a_sentence_about_an_event_only_where_its_condition_holds():
    text = "# .. when:: k\n#\n#    The ``Activity Buffer Request``\n#    is there.\n#\n# Else.\n"
    for value, expected in ((1, ["The ``Activity Buffer Request`` is there."]), (0, [])):
        assert list(_conditional(text, {"k": {"value": value, "unit": ""}})) == expected
    assert EVENT.findall("``aten::mm`` ``args`` ``cuda…`` ``cudaMalloc``") == ["aten::mm", "cudaMalloc"]


def test_altered_recordings_are_whole_and_lack_what_was_taken_out(changed):
    originals = {capture.key: capture for capture in recordings.recorded()}
    for path in changed.rglob("*.json.gz"):
        capture = Capture.load(path)
        before, trace = originals[capture.key].trace, capture.trace
        assert capture.warnings == (), "checksum"
        assert not [name for name in trace.names if name.startswith("Memset") or "TorchDynamo" in name]
        assert not len(trace.overhead_rows)
        assert all(kernel["name"].startswith("kernel_") for kernel in trace.kernels)
        assert len(trace.kernels) == len(before.kernels)
        assert bool(trace.kernels) == any(trace.name(row) == altered.QUERY for row in trace.call_rows)
        assert not re.search(r"Memset|nvjet|TorchDynamo", capture.table)
