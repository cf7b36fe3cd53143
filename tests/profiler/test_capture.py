from __future__ import annotations

import gzip
import json
import os
from datetime import datetime

import pytest

from profiling_series import Capture, CaptureError, MatmulAdd, Schedule, UsageError, capture
from profiling_series.profiler import capture_loop, reuse, spawn
from profiling_series.results import Request


def events_of(captured, category):
    events = json.loads(gzip.decompress(captured.trace_path.read_bytes()))["traceEvents"]
    return [event for event in events if event.get("ph") == "X" and event.get("cat") == category]


def test_the_files_are_named_as_in_the_series(cold):
    captured, out, _ = cold
    found = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    assert found == [
        f"01_matmul_add/64_bf16_cold_eager{suffix}" for suffix in (".json.gz", ".provenance.json", ".txt")
    ]
    assert captured.key == "01_matmul_add/64_bf16_cold_eager"
    assert captured.trace_path == out / "01_matmul_add/64_bf16_cold_eager.json.gz"


def test_the_trace_is_strict_json_and_names_itself(cold):
    def refuse(token):
        raise ValueError(token)

    data = json.loads(gzip.decompress(cold[0].trace_path.read_bytes()), parse_constant=refuse)
    assert data["traceName"] == "01_matmul_add/64_bf16_cold_eager.json"


def test_three_steps_are_recorded_each_in_the_workloads_annotation(cold):
    annotations = sorted(events_of(cold[0], "user_annotation"), key=lambda event: event["ts"])
    assert [event["name"] for event in annotations] == [
        name for number in (2, 3, 4) for name in (f"ProfilerStep#{number}", "matmul_add")
    ]
    for step, inner in zip(annotations[::2], annotations[1::2], strict=True):
        assert step["ts"] <= inner["ts"]
        assert inner["ts"] + inner["dur"] <= step["ts"] + step["dur"] + 0.002


def test_the_steps_do_the_workload_and_nothing_else(cold):
    ops = [event["name"] for event in events_of(cold[0], "cpu_op")]
    assert ops.count("aten::matmul") == ops.count("aten::add") == 3
    assert not {"aten::randn", "aten::normal_", "aten::copy_"} & set(ops)


def test_the_table_is_torchs_own_sorted_by_cpu_time(cold):
    lines = cold[0].table.splitlines()
    assert "Self CPU" in lines[1]
    assert any(line.split()[:1] == ["matmul_add"] for line in lines)
    shares = [float(line.split()[1].rstrip("%")) for line in lines[3:] if "%" in line]
    assert shares == sorted(shares, reverse=True)
    assert len(shares) >= 4


def test_the_provenance_says_all_that_is_needed_to_do_it_again(cold):
    facts = cold[0].provenance
    assert facts.request == Request(MatmulAdd(64), warm=False)
    assert facts.schedule == Schedule()
    assert facts.digest == facts.request.digest
    machine = facts.machine
    assert (machine.device, machine.gpu, machine.cuda, machine.driver) == ("cpu", None, None, None)
    assert machine.cpu
    assert machine.torch[0].isdigit()
    assert datetime.fromisoformat(machine.date).tzinfo is not None
    assert 0 < facts.elapsed_s < 300
    assert facts.warnings == ()


def test_what_was_just_measured_is_live_and_what_is_loaded_is_recorded(cold):
    captured, out, _ = cold
    machine = captured.provenance.machine
    where = f"on CPU {machine.cpu}, torch {machine.torch.partition('+')[0]}, {machine.date[:10]}"
    assert captured.source_line == f"live {where}"
    loaded = Capture.load(out / captured.key)
    assert (loaded.source, loaded.source_line) == ("recorded", f"recorded {where}")
    assert (loaded.workload, loaded.schedule) == (MatmulAdd(64), Schedule())
    assert loaded.table == captured.table
    assert repr(loaded) == f"<Capture {captured.key}: recorded {where}>"


def test_the_trace_reads_as_the_steps_that_ran(cold):
    trace = cold[0].trace
    assert [step.name for step in trace.steps] == ["ProfilerStep#2", "ProfilerStep#3", "ProfilerStep#4"]
    assert trace is cold[0].trace


def test_progress_is_told(cold):
    assert cold[2][0] == "importing torch"
    assert "profiling 5 steps: wait 1 + warmup 1 + active 3" in cold[2]


def test_saving_elsewhere_gives_the_same_capture(cold, tmp_path):
    saved = cold[0].save(tmp_path / 'a "new" \\ place é')
    assert saved.trace_path.read_bytes() == cold[0].trace_path.read_bytes()
    assert saved.provenance == cold[0].provenance
    assert Capture.load(saved.trace_path).table == cold[0].table


def test_a_workload_whose_code_has_changed_since_says_so(cold, tmp_path):
    files = cold[0].save(tmp_path).files
    facts = json.loads(files.provenance.read_text())
    files.provenance.write_text(json.dumps({**facts, "code": {MatmulAdd.code: "0" * 16}}))
    assert Capture.load(files.trace).source_line.endswith("(of a workload that has changed since)")
    files.provenance.write_text(
        json.dumps({**facts, "request": {"kind": "capture", "workload": {"name": "gone"}}})
    )
    gone = Capture.load(files.trace)
    assert gone.workload is None
    assert gone.source_line.endswith("(of a workload that has changed since)")


@pytest.mark.parametrize("facts", [{}, {"key": "k"}, {"key": "k", "schedule": {"steps": 3}}])
def test_a_provenance_that_is_not_ours_is_refused(cold, tmp_path, facts):
    files = cold[0].save(tmp_path).files
    files.provenance.write_text(json.dumps(facts))
    with pytest.raises(UsageError, match="not the provenance of a capture"):
        Capture.load(files.trace)


def test_copies_kept_for_a_build_say_what_the_capture_said(cold, tmp_path, monkeypatch):
    reuse.keep(cold[0])
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("PROFILING_SERIES_KEEP", str(tmp_path / "kept"))
    reuse.keep(cold[0])
    kept = Capture.load(tmp_path / "kept" / cold[0].key)
    assert kept.source_line == cold[0].source_line
    assert Capture.load(kept.save(tmp_path / "again").trace_path).source == "recorded"


@pytest.fixture(scope="module")
def repeated(tmp_path_factory):
    out = tmp_path_factory.mktemp("repeated")
    schedule = Schedule(wait=0, warmup=1, active=2, repeat=2)
    return capture(MatmulAdd(8, "fp32"), compile="default", schedule=schedule, source="cpu", out=out), out


def test_each_window_of_a_repeating_schedule_has_its_files(repeated):
    captured, out = repeated
    stem = "8_fp32_warm_compile_wait0_active2_repeat2_cycle"
    names = {path.name for path in out.rglob("*.json.gz")}
    assert names == {f"{stem}1.json.gz", f"{stem}2.json.gz"}
    assert [cycle.key for cycle in captured.cycles] == [f"01_matmul_add/{stem}1", f"01_matmul_add/{stem}2"]
    assert captured.key == captured.cycles[-1].key
    steps = [
        sorted(e["name"] for e in events_of(cycle, "user_annotation") if e["name"].startswith("Profiler"))
        for cycle in captured.cycles
    ]
    assert steps == [["ProfilerStep#1", "ProfilerStep#2"], ["ProfilerStep#4", "ProfilerStep#5"]]


def test_torch_compile_stands_before_the_workloads_own_function(repeated):
    names = {event["name"] for event in events_of(repeated[0], "cpu_op")}
    assert any(name.startswith("Torch-Compiled Region") for name in names)
    assert "aten::addmm" in names or any("Compiled" in name for name in names)


def test_without_a_folder_the_files_live_as_long_as_the_process(monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setenv("PROFILING_SERIES_KEEP", str(tmp_path))
    captured = capture(MatmulAdd(8))  # "auto", which is this CPU
    assert captured.provenance.machine.device == "cpu"
    assert captured.trace_path.exists()
    assert captured.source == "live"
    assert [path.name for path in tmp_path.rglob("*.json.gz")] == ["8_bf16_warm_eager.json.gz"]


def test_a_size_that_cannot_fit_is_refused_before_allocation(tmp_path):
    with pytest.raises(UsageError) as caught:
        capture(MatmulAdd(10**7, "fp64"), source="cpu", out=tmp_path)
    needed = 5 * 10**14 * 8
    assert f"need 4 PB ({needed} bytes) on cpu, where" in str(caught.value)
    assert "are free" in str(caught.value)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_cuda_that_is_not_there_is_refused_in_one_line(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(UsageError, match="CUDA was asked for, but torch") as caught:
        capture(MatmulAdd(), source="cuda")
    assert "source='cpu'" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_paths_are_checked_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(spawn, "run_each", lambda *_, **__: pytest.fail("it ran"))
    (tmp_path / "file").write_text("")
    for out in ("", tmp_path / "file"):
        with pytest.raises(UsageError):
            capture(MatmulAdd(), source="cpu", out=out)


def test_a_failed_capture_leaves_the_files_of_the_last_one(cold, tmp_path, monkeypatch):
    saved = cold[0].save(tmp_path)
    before = saved.trace_path.read_bytes()
    monkeypatch.setattr(spawn, "_COMMAND", ("-c", "raise SystemExit(3)"))
    with pytest.raises(CaptureError):
        capture(MatmulAdd(64), warm=False, source="cpu", out=tmp_path)
    assert saved.trace_path.read_bytes() == before


def test_a_step_that_fails_keeps_its_own_error_and_no_file(tmp_path):
    pytest.importorskip("torch")
    from profiling_series.profiler.window import Windows
    from profiling_series.workloads import Step

    calls = []

    def fail():
        calls.append(1)
        if len(calls) == 3:  # the first recorded step
            raise ZeroDivisionError("mine")

    windows = Windows(tmp_path, "k", "a", Schedule(), "cpu")
    with pytest.raises(ZeroDivisionError, match="mine"):
        capture_loop.profile_steps(Step(fail, ()), windows)
    assert os.listdir(tmp_path) == []


def test_a_temporary_folder_that_torch_cannot_write_to_is_avoided(tmp_path, monkeypatch):
    import tempfile

    from profiling_series.profiler import window

    odd = tmp_path / 'a"b\\é'
    odd.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(odd))
    assert window._plain_folder() in ("/tmp", "/var/tmp")
