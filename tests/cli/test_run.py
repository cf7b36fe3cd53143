from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from profiling_series.cli import main
from profiling_series.errors import CaptureError


@pytest.fixture
def asked(monkeypatch):
    """What ``capture`` was asked for; nothing is measured."""
    calls = []

    def stop(workload, **options):
        calls.append((workload, options))
        raise CaptureError("stopped here")

    monkeypatch.setattr("profiling_series.profiler.capture", stop)
    return calls


def test_the_first_command_writes_three_files_and_reads_the_trace(ran):
    done, folder = ran
    assert done.returncode == 0, done.stderr
    written = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    stem = "traces/01_matmul_add/16_bf16_cold_eager"
    assert written == [f"{stem}.json.gz", f"{stem}.provenance.json", f"{stem}.txt"]
    for path in written:
        assert path in done.stdout
    assert "live on CPU" in done.stdout
    assert "undetermined" in done.stdout


def test_progress_goes_to_standard_error_and_says_that_there_is_no_gpu(ran):
    done, _ = ran
    lines = done.stderr.splitlines()
    assert lines[0] == "matmul-add: importing torch …"
    assert any("profiling 5 steps" in line for line in lines)
    assert "no CUDA here: this trace is of the CPU alone" in done.stderr
    assert "Traceback" not in done.stderr


def test_cold_and_eager_are_the_default(asked):
    assert main(["run", "matmul-add"]) == 1
    workload, options = asked[0]
    assert workload.params() == {"size": 64, "dtype": "bf16", "batch": None}
    assert (options["warm"], options["compile"], options["seed"]) == (False, None, 0)
    assert (options["source"], options["out"]) == ("auto", "traces")
    assert str(options["schedule"]) == "wait 1 + warmup 1 + active 3"


def test_every_option_arrives(asked):
    arguments = "--size 8 --dtype fp32 --batch 2 --warmup --compile reduce-overhead --device cpu --wait 0"
    main(["run", "matmul-add", *arguments.split(), "--warmup-steps=2", "--active=20", "--seed=7", "--out=x"])
    workload, options = asked[0]
    assert workload.params() == {"size": 8, "dtype": "fp32", "batch": 2}
    assert (options["warm"], options["compile"], options["seed"]) == (True, "reduce-overhead", 7)
    assert (options["source"], options["out"]) == ("cpu", "x")
    assert options["schedule"].params() == {"wait": 0, "warmup": 2, "active": 20, "repeat": 1}


def test_compile_without_a_mode_is_the_default_mode(asked):
    main(["run", "matmul-add", "--compile", "--warmup"])
    assert asked[0][1]["compile"] == "default"


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "nothing"],
        ["run", "matmul-add", "--size", "large"],
        ["run", "matmul-add", "--dtype", "int8"],
        ["run", "matmul-add", "--compile", "fast"],
        ["run", "matmul-add", "--device", "tpu"],
        [],
        ["nothing"],
    ],
)
def test_wrong_use_ends_with_2_and_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    errors = capsys.readouterr().err
    assert errors.startswith("profiling-series")
    assert "--help" in errors
    assert len(errors.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--size", "0"], "size must be at least 1, not 0"),
        (["--batch", "-1"], "batch must be at least 1"),
        (["--active", "0"], "active=0 never records a step"),
        (["--wait", "-1"], "wait must be 0 or more"),
        (["--seed", "-1"], "seed must be from 0"),
        (["--out", ""], "out must be a folder"),
        (["--device", "recorded", "--size", "3"], "there is no recording of 01_matmul_add/3_bf16_cold_eager"),
    ],
)
def test_values_that_cannot_work_end_with_2_and_one_line(arguments, told, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["run", "matmul-add", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("profiling-series: ")
    assert told in captured.err


def test_a_failed_measurement_ends_with_1_and_one_line(asked, capsys):
    assert main(["run", "matmul-add"]) == 1
    assert capsys.readouterr().err == "profiling-series: stopped here\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--help"], ["run", "read", "list", "profiling-series read trace.json.gz"]),
        (["run", "--help"], ["matmul-add", "cold, warm", "schedule", "eager", "examples:"]),
        (
            ["run", "matmul-add", "--help"],
            ["--size", "--dtype", "--batch", "reduce-overhead", "n×n", "words:"],
        ),
        (["read", "--help"], ["exit codes:", "not readable as a trace", "--json"]),
        (["list", "--help"], ["recordings"]),
    ],
)
def test_help_teaches(arguments, words, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert [word for word in words if word not in text] == []


def test_the_examples_of_the_help_are_commands_that_parse(capsys, asked):
    import shlex

    from profiling_series.cli import parser

    tried = 0
    for line in (parser._MAIN + parser._RUN_WORDS + parser._READ_WORDS).splitlines():
        if line.startswith("  profiling-series"):
            command = line.strip().split("   ")[0].split(" | ")[0]
            parser.build_parser().parse_args(shlex.split(command)[1:])
            tried += 1
    assert tried >= 8


def test_list_shows_what_can_be_run_and_what_is_recorded(capsys):
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    for word in ("matmul-add", "--size", "--dtype", "bf16, fp16, fp32, fp64", "Recordings"):
        assert word in text


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.split()[-1].count(".") == 2


def _heed_ctrl_c():
    """What a shell starts in the background ignores Ctrl-C, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_ends_quietly_and_leaves_no_process(tmp_path, cli_environment):
    process = subprocess.Popen(
        [sys.executable, "-m", "profiling_series", "run", "matmul-add", "--active", "100000000"],
        cwd=tmp_path,
        env=cli_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_heed_ctrl_c,
    )
    try:
        assert process.stderr.readline() == "matmul-add: importing torch …\n"
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the command and its child
        out, err = process.communicate(timeout=60)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "interrupted"
    assert "Traceback" not in err
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("the child is still there")
