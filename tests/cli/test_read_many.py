"""Reading folders and several files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from profiling_series.cli import main

CASES = Path(__file__).parent.parent / "data" / "cases"
GOOD = ("60-gpu-work-after-step-end.json", "57-trailing-empty-step.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in GOOD:
        shutil.copy(CASES / name, tmp_path / name)
    below = tmp_path / "below"
    below.mkdir()
    shutil.copy(CASES / "11-gzip-bytes-named.json", below / "zipped.json.gz")
    (below / "zipped.provenance.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("not a trace")
    return tmp_path


def test_a_folder_gives_a_line_for_each_trace_in_it(folder, capsys):
    assert main(["read", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [Path(line.split()[-1]).name for line in lines] == [
        "57-trailing-empty-step.json",
        "60-gpu-work-after-step-end.json",
        "zipped.json.gz",
    ]
    assert lines[1].startswith("gpu-bound")
    assert "400.0 µs a step" in lines[1]


def test_json_gives_an_object_a_line(folder, capsys):
    assert main(["read", "--json", str(folder)]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [f["schema"] for f in found] == [1, 1, 1]


def test_full_gives_each_file_its_whole_reading(folder, capsys):
    assert main(["read", "--full", *(str(folder / name) for name in GOOD)]) == 0
    assert capsys.readouterr().out.count("Reading of ") == 2


def test_an_unreadable_file_among_others_is_named_and_the_others_are_read(folder, capsys):
    (folder / "broken.json").write_text("")
    assert main(["read", str(folder)]) == 3
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 3
    assert "broken.json" in captured.err
    assert len(captured.err.splitlines()) == 1


def test_a_folder_without_traces_is_wrong_use(tmp_path, capsys):
    assert main(["read", str(tmp_path)]) == 2
    assert "no .json" in capsys.readouterr().err


def test_a_limit_on_the_size_is_kept_and_can_be_raised(folder, capsys):
    file = str(folder / GOOD[0])
    assert main(["read", "--max-bytes", "100", file]) == 3
    assert "--max-bytes" in capsys.readouterr().err
    assert main(["read", "--max-bytes", "1000000", file]) == 0


def test_a_name_that_is_too_long_costs_no_other_file(folder, capsys):
    assert main(["read", "--full", str(folder / GOOD[0]), "a" * 300 + ".json"]) == 3
    captured = capsys.readouterr()
    assert "Reading of" in captured.out
    assert len(captured.err.splitlines()) == 1


def test_an_empty_name_is_not_the_current_folder(capsys):
    assert main(["read", ""]) == 2
    assert "empty file name" in capsys.readouterr().err


def test_a_limit_below_one_is_wrong_use(folder, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["read", "--max-bytes", "0", str(folder / GOOD[0])])
    assert caught.value.code == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_behind_the_output_is_one_line(folder, cli_environment):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "profiling_series", "read", "--json", str(folder / GOOD[0])],
            env=cli_environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("profiling-series: cannot write the output")
    assert len(done.stderr.splitlines()) == 1


def test_json_that_is_no_trace_is_counted_in_a_folder_and_told_when_named(folder, capsys):
    (folder / "settings.json").write_text('{"a": 1}')
    assert main(["read", str(folder)]) == 0
    assert capsys.readouterr().err == "profiling-series: 1 other JSON file holds no trace\n"
    assert main(["read", str(folder / "settings.json")]) == 3
    assert "settings.json" in capsys.readouterr().err
