from __future__ import annotations

import gzip
import json
import multiprocessing
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import profiling_series
from profiling_series import Capture, CaptureError, Schedule, UsageError, record, record_callable

torch = pytest.importorskip("torch")

SHORT = Schedule(wait=0, warmup=1, active=2)


def work():
    return torch.ones(4, 4) @ torch.ones(4, 4)


def loop(recorder, steps):
    with recorder as rec:
        for _ in range(steps):
            work()
            rec.step()
    return rec


def names_in(captured, category="user_annotation"):
    events = json.loads(gzip.decompress(captured.trace_path.read_bytes()))["traceEvents"]
    return [event["name"] for event in events if event.get("cat") == category]


def test_a_loop_of_ones_own_is_recorded(tmp_path):
    rec = loop(record("my_step", out=tmp_path / "new" / "folder", schedule=SHORT), 3)
    assert rec.capture.trace_path == tmp_path / "new/folder/my_step.json.gz"
    assert rec.capture.trace_path.exists()
    assert names_in(rec.capture).count("my_step") == 2
    assert "aten::mm" in names_in(rec.capture, "cpu_op")
    assert rec.capture.source_line.startswith("live on ")
    assert rec.capture.warnings == ()
    assert "my_step" in rec.capture.table
    loaded = Capture.load(tmp_path / "new/folder/my_step")
    assert (loaded.workload, loaded.schedule, loaded.key) == (None, SHORT, "my_step")
    assert [step.name for step in loaded.trace.steps] == ["ProfilerStep#1", "ProfilerStep#2"]


def test_it_says_where_the_recording_is_and_what_it_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    said = [capsys.readouterr().err for _ in range(2) if loop(record("my_step", schedule=SHORT), 3)]
    where = (
        "profiling-series: recorded 2 of 3 steps (not the first: wait 0 + warmup 1) in traces/my_step.json.gz"
    )
    assert [line for each in said for line in each.splitlines() if line.startswith("profiling-series")] == [
        where,
        f"{where}, in place of an older recording",
    ]


def test_a_function_is_called_three_times_before_and_once_a_step(tmp_path):
    calls = []
    captured = record_callable(lambda: calls.append(work()), "fn", out=tmp_path, schedule=SHORT)
    assert len(calls) == 3 + 3
    assert names_in(captured).count("fn") == 2


@pytest.mark.parametrize(
    "name",
    [
        "étape",
        "日本",
        'say "hi"',
        "back\\slash",
        "a\tb\nc",
        "\x1b[31mred\x1b[0m",
        "<b>&amp;",
        "100%25",
        "a/b",
    ],
)
def test_names_come_back_whatever_is_in_them(tmp_path, name):
    captured = record_callable(work, name, out=tmp_path, schedule=SHORT)
    assert names_in(captured).count(name) == 2
    assert captured.provenance.annotation == name
    assert captured.trace_path.parent == tmp_path
    assert "\x1b" not in captured.table
    visible = name.encode("unicode_escape").decode() if not name.isprintable() else name
    assert any(line.strip().startswith(visible) for line in captured.table.splitlines())


def test_regions_of_ones_own_with_quotes_still_give_json(tmp_path):
    def quoted():
        with torch.profiler.record_function('load "x"'):
            work()

    assert 'load "x"' in names_in(record_callable(quoted, "outer", out=tmp_path, schedule=SHORT))


def test_regions_that_torch_merges_as_unknown_are_told(tmp_path):
    def named():
        for name in ("à", "b\t"):
            with torch.profiler.record_function(name):
                work()

    captured = record_callable(named, "outer", out=tmp_path, schedule=SHORT)
    assert "4 regions are called 'unknown'" in captured.warnings[0]


def test_free_text_in_the_metadata_is_refused_and_the_profiler_is_free_again(tmp_path):
    def annotated():
        work()
        torch.autograd._add_metadata_json("note", '"he said "x""')

    with pytest.raises(CaptureError, match="not JSON"):
        record_callable(annotated, "meta", out=tmp_path, schedule=SHORT)
    assert list(tmp_path.iterdir()) == []
    record_callable(work, "after", out=tmp_path, schedule=SHORT)


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (0, "step() was never called, so nothing was recorded; call step() once an iteration, in at least 5"),
        (1, "the loop ended after 1 step, before one was recorded"),
        (2, "the loop ended after 2 steps, before one was recorded"),
    ],
)
def test_a_loop_that_records_nothing_is_refused_with_the_numbers(tmp_path, steps, told):
    with pytest.raises(UsageError) as caught:
        loop(record("short", out=tmp_path), steps)
    assert told in str(caught.value)
    assert "wait 1 + warmup 1 + active 3" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_loop_that_ends_early_keeps_what_it_has_and_says_so(tmp_path):
    with pytest.warns(UserWarning, match="the loop ended after 4 steps: 2 of 3 recorded"):
        rec = loop(record("early", out=tmp_path), 4)
    assert "2 of 3 recorded" in rec.capture.warnings[0]
    assert names_in(rec.capture).count("ProfilerStep#2") == 1


def test_a_longer_loop_runs_on_without_the_profiler(tmp_path):
    with record("long", out=tmp_path, schedule=SHORT) as rec:
        for number in range(10):
            work()
            rec.step()
            assert (tmp_path / "long.json.gz").exists() == (number >= 2)  # kept as soon as it is there
    assert names_in(rec.capture).count("long") == 2


def test_windows_of_a_repeating_schedule_are_numbered(tmp_path):
    schedule = Schedule(wait=1, warmup=0, active=1, repeat=3)
    with pytest.warns(UserWarning, match="5 steps: 2 of 3 recorded"):
        rec = loop(record("again", out=tmp_path, schedule=schedule), 5)
    assert [cycle.key for cycle in rec.capture.cycles] == ["again_cycle1", "again_cycle2"]
    assert [len(names_in(cycle)) for cycle in rec.capture.cycles] == [2, 2]


def test_an_error_in_the_loop_is_the_callers_and_leaves_no_file(tmp_path):
    def divide(number, failing):
        work()
        1 / (number - failing)

    def fail(failing):
        with record("fails", out=tmp_path, schedule=SHORT) as rec:
            for number in range(3):
                divide(number, failing)
                rec.step()

    for failing in (0, 1, 2):
        with pytest.raises(ZeroDivisionError):
            fail(failing)
    assert list(tmp_path.iterdir()) == []
    assert loop(record("fine", out=tmp_path, schedule=SHORT), 3).capture.trace_path.exists()


def test_a_running_profiler_is_refused(tmp_path):
    with (
        torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]),
        pytest.raises(UsageError, match="a profiler is already running in this process"),
    ):
        loop(record("second", out=tmp_path), 5)
    with (
        torch.autograd.profiler.profile(use_kineto=True),
        pytest.raises(UsageError, match="a profiler is already running"),
    ):
        loop(record("second", out=tmp_path), 5)


def test_a_recording_within_a_recording_is_refused_even_before_it_records(tmp_path):
    with record("outer", out=tmp_path, schedule=Schedule(wait=5)) as outer:
        with pytest.raises(UsageError, match="a recording is already running"):
            loop(record("inner", out=tmp_path), 5)
        for _ in range(9):
            work()
            outer.step()
    assert outer.capture.key == "outer"


def test_misuse_of_the_recorder_is_told(tmp_path):
    rec = record("once", out=tmp_path, schedule=SHORT)
    with pytest.raises(UsageError, match="inside the `with"):
        rec.step()
    with pytest.raises(UsageError, match="there is no capture yet"):
        _ = rec.capture
    with rec:
        with pytest.raises(UsageError, match="there is no capture yet"):
            _ = rec.capture
        for _ in range(3):
            work()
            rec.step()
    with pytest.raises(UsageError, match="a recording runs once"), rec:
        pass


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"name": ""}, "a recording needs a name"),
        ({"name": "ProfilerStep#1"}, "belong to torch's own steps"),
        ({"out": ""}, "out must be a folder"),
        ({"schedule": (1, 1, 3)}, "schedule must be a profiling_series.Schedule"),
        ({"warm": False}, "a cold recording needs a fresh process"),
        ({"activities": ["gpu"]}, "unknown activity 'gpu'; choose from CPU, CUDA"),
        ({"activities": []}, "nothing to profile"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_runs(tmp_path, options, told):
    with pytest.raises(UsageError) as caught:
        record(**{"name": "x", "out": tmp_path, **options})
    assert told in str(caught.value)
    with pytest.raises(UsageError):
        record_callable(lambda: pytest.fail("it ran"), **{"name": "x", "out": tmp_path, **options})


def test_something_that_is_no_function_is_refused(tmp_path):
    with pytest.raises(UsageError, match="record_callable takes a function"):
        record_callable(3, "x", out=tmp_path)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is CUDA here")
def test_cuda_asked_for_where_there_is_none(tmp_path):
    cpu, cuda = torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA
    captured = record_callable(work, "x", out=tmp_path, schedule=SHORT, activities=[cpu, cuda])
    assert "CUDA was asked for and is not available here" in captured.warnings[0]
    assert captured.provenance.machine.device == "cpu"
    with pytest.raises(UsageError, match="nothing to profile"):
        record("x", out=tmp_path, activities=["cuda"])


def test_steps_without_torch_are_refused(tmp_path):
    with pytest.raises(CaptureError, match="no op and no kernel"):
        record_callable(lambda: None, "x", out=tmp_path, schedule=SHORT)


def test_work_of_other_python_threads_is_not_on_record_and_that_is_told(tmp_path):
    def threaded():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    with pytest.raises(CaptureError, match="does this thread's loop call torch"):
        record_callable(threaded, "x", out=tmp_path, schedule=SHORT)


def test_shapes_and_stacks_are_recorded_on_request(tmp_path):
    captured = record_callable(work, "x", out=tmp_path, schedule=SHORT, record_shapes=True)
    data = json.loads(gzip.decompress(captured.trace_path.read_bytes()))
    assert any("Input Dims" in event.get("args", {}) for event in data["traceEvents"])


def test_the_loop_may_change_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with record("moved", schedule=SHORT) as rec:
        monkeypatch.chdir(tmp_path / "elsewhere")
        for _ in range(3):
            work()
            rec.step()
    assert (tmp_path / "traces" / "moved.json.gz").exists()


@pytest.mark.parametrize(
    ("environment", "key"),
    [
        ({"RANK": "3", "WORLD_SIZE": "8"}, "train_rank3"),
        ({"RANK": "0"}, "train_rank0"),
        ({"RANK": "0", "WORLD_SIZE": "1"}, "train"),
        ({"RANK": "../x"}, "train"),
    ],
)
def test_ranks_write_files_of_their_own(tmp_path, monkeypatch, environment, key):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert record_callable(work, "train", out=tmp_path, schedule=SHORT).key == key


def _record_in_worker(out):
    record_callable(work, "worker", out=out, schedule=SHORT)


def test_worker_processes_write_files_of_their_own(tmp_path):
    context = multiprocessing.get_context("spawn")
    worker = context.Process(target=_record_in_worker, args=(tmp_path,))
    worker.start()
    worker.join(120)
    assert worker.exitcode == 0
    assert [path.name for path in tmp_path.glob("*.gz")] == [f"worker_pid{worker.pid}.json.gz"]


def test_recording_needs_nothing_but_the_package(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(
        "import torch\nfrom profiling_series import record\n"
        "with record('mine') as rec:\n    for _ in range(5):\n        torch.ones(3) + 1\n        rec.step()\n"
        "print(rec.capture.trace_path)\n"
    )
    env = {"PYTHONPATH": str(Path(profiling_series.__file__).parents[1]), "PATH": ""}
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(tmp_path / "traces" / "mine.json.gz")
