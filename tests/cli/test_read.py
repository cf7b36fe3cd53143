from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from profiling_series.cli import main


@pytest.fixture
def trace(ran):
    return str(next(ran[1].rglob("*.json.gz")))


@pytest.fixture
def broken(tmp_path):
    path = tmp_path / "broken.json"
    path.write_text("no trace")
    return str(path)


def test_a_trace_is_read_to_people(trace, capsys):
    assert main(["read", trace]) == 0
    captured = capsys.readouterr()
    assert "16_bf16_cold_eager.json.gz" in captured.out
    assert "undetermined" in captured.out
    assert captured.err == ""


def test_json_is_one_strict_object_a_line(trace, tmp_path, capsys):
    plain = tmp_path / "plain.json"
    plain.write_bytes(gzip.decompress(Path(trace).read_bytes()))
    assert main(["read", trace, str(plain), "--json"]) == 0

    def refuse(token):
        raise ValueError(token)

    lines = capsys.readouterr().out.splitlines()
    objects = [json.loads(line, parse_constant=refuse) for line in lines]
    assert [one["schema"] for one in objects] == [1, 1]
    assert objects[0]["events"] == objects[1]["events"]
    assert [step["name"] for step in objects[0]["steps"]] == [
        "ProfilerStep#2",
        "ProfilerStep#3",
        "ProfilerStep#4",
    ]


def test_what_is_no_trace_ends_with_3_and_one_line_and_the_others_are_read(trace, broken, tmp_path, capsys):
    missing = str(tmp_path / "missing.json")
    assert main(["read", broken, missing, trace, "--json"]) == 3
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 1
    lines = captured.err.splitlines()
    assert len(lines) == 2
    assert broken in lines[0]
    assert missing in lines[1]
    assert "Traceback" not in captured.err


def test_a_path_cannot_smuggle_escapes_into_a_terminal(tmp_path, capsys):
    path = tmp_path / "a\x1b[31m\nb.json"
    path.write_text("{")
    assert main(["read", str(path)]) == 3
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert err.count("\n") == 1


def test_no_file_is_wrong_use(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["read"])
    assert caught.value.code == 2


def test_a_reader_that_has_seen_enough_is_no_error(trace, cli_environment):
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "profiling_series", "read", trace, "--json"],
            env=cli_environment,
            stdout=write_end,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        os.close(write_end)
    assert done.returncode == 141
    assert done.stderr == ""


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_a_terminal_without_unicode_is_no_error(trace, cli_environment, locale):
    done = subprocess.run(
        [sys.executable, "-m", "profiling_series", "read", trace],
        env={**cli_environment, **locale},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()


def test_reading_needs_no_torch(trace, cli_environment, tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('torch is not installed here')")
    env = {**cli_environment, "PYTHONPATH": os.pathsep.join([str(tmp_path), cli_environment["PYTHONPATH"]])}
    for arguments in (["read", trace], ["read", trace, "--json"], ["list"], ["run", "--help"]):
        done = subprocess.run(
            [sys.executable, "-m", "profiling_series", *arguments], env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


def test_without_torch_running_says_so(cli_environment, tmp_path):
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')")
    env = {**cli_environment, "PYTHONPATH": os.pathsep.join([cli_environment["PYTHONPATH"], str(tmp_path)])}
    done = subprocess.run(
        [sys.executable, "-m", "profiling_series", "run", "matmul-add"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "capturing needs torch, which is not installed here: pip install torch" in done.stderr
