from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from profiling_series import (
    CaptureError,
    MatmulAdd,
    Point,
    RecordingMissing,
    Schedule,
    UsageError,
    capture,
    recordings,
)
from profiling_series.profiler import obtain as obtaining
from profiling_series.profiler import sources
from profiling_series.recordings import __main__ as command
from profiling_series.recordings import making
from profiling_series.results import CeilingsRequest, Request, SweepRequest, TimingRequest, figures
from profiling_series.results.capture import from_files
from profiling_series.results.planted import twins
from profiling_series.workloads.faults import FAULTS

from ..results.made_up import store_capture, store_timing

REQUEST = Request(MatmulAdd(64), warm=False)
SHIPPED = making.known()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PROFILING_SERIES_RECORDINGS", str(tmp_path))
    return tmp_path


def test_a_recording_is_found_and_says_that_it_is_one(folder):
    store_capture(folder, REQUEST)
    store_capture(folder, replace(REQUEST, warm=True))
    found = capture(REQUEST.workload, warm=False, source="recorded")
    assert found.source_line == "recorded on NVIDIA H200, torch 2.11.0, 2026-11-29"
    assert (found.source, found.key, found.workload) == ("recorded", REQUEST.key, REQUEST.workload)


def test_it_is_found_by_its_digest_whatever_its_file_is_called(folder):
    files = store_capture(folder, REQUEST)
    for path in (files.trace, files.table, files.provenance):
        path.rename(path.with_name(path.name.replace("cold", "renamed")))
    assert recordings.load(REQUEST).trace_path.name == "64_bf16_renamed_eager.json.gz"


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, seed=1),
        replace(REQUEST, warm=True),
        replace(REQUEST, compile="default"),
        replace(REQUEST, schedule=Schedule(active=20)),
        replace(REQUEST, workload=MatmulAdd(64, batch=1)),
    ],
)
def test_a_recording_of_other_parameters_is_not_taken(folder, other):
    store_capture(folder, REQUEST)
    with pytest.raises(RecordingMissing) as caught:
        recordings.load(other)
    for part in (other.key, other.digest, "nox -s record", "source='cpu'"):
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_recording_from_before_a_parameter_was_added_is_taken_and_says_so(folder):
    store_capture(folder, REQUEST, digest="of then")
    assert recordings.load(REQUEST).source_line == (
        "recorded on NVIDIA H200, torch 2.11.0, 2026-11-29 (of a workload that has changed since)"
    )


def test_a_recording_of_code_that_has_changed_since_says_so(folder):
    store_capture(folder, REQUEST, code={MatmulAdd.code: "of then"})
    assert "changed since" in recordings.load(REQUEST).source_line


def test_replay_without_cuda_takes_the_recording_and_keeps_a_copy(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(sources, "cuda_available", lambda: False)
    monkeypatch.setenv("PROFILING_SERIES_SOURCE", "replay")
    monkeypatch.setenv("PROFILING_SERIES_KEEP", str(tmp_path / "kept"))
    store_capture(folder, REQUEST)
    replayed = capture(REQUEST.workload, warm=False, out=tmp_path / "out")
    assert replayed.trace_path == tmp_path / "out" / f"{REQUEST.key}.json.gz"
    assert replayed.source == "recorded"
    assert (tmp_path / "kept" / f"{REQUEST.key}.json.gz").exists()


def test_a_provenance_that_is_broken_is_told_with_its_file(folder):
    files = store_capture(folder, REQUEST)
    files.provenance.write_text("{")
    with pytest.raises(UsageError, match=r"64_bf16_cold_eager\.provenance\.json: not the provenance"):
        recordings.load(REQUEST)


def test_all_recordings_of_a_folder_are_listed(folder):
    assert list(recordings.recorded()) == []
    store_capture(folder, REQUEST)
    assert [one.key for one in recordings.recorded()] == [REQUEST.key]


def test_no_two_recordings_share_a_file_or_a_digest():
    assert len({request.key for request in SHIPPED}) == len(SHIPPED)
    assert len({request.digest for request in SHIPPED}) == len(SHIPPED)


def test_every_shipped_recording_is_found_by_what_was_asked_and_is_of_the_code_as_it_is():
    every = [*recordings.recorded(), *recordings.measurements()]
    assert {one.provenance.digest for one in every} == {request.digest for request in SHIPPED}
    for one in every:
        assert one.provenance.request is not None, f"{one.key} is of nothing that can be asked for now"
        assert one.provenance.request.key == one.key
        assert recordings.load(one.provenance.request).key == one.key
        assert one.on_gpu, f"{one.key} was not made on a GPU"
        assert one.provenance.changed is None, f"{one.key} is out of date: run `nox -s record`"
        assert one.warnings == ()


def test_files_of_the_first_schema_say_what_those_of_today_do(tmp_path):
    """A shipped recording, read, stored as of today and read again, is the same."""
    for one in (next(recordings.recorded()), next(recordings.measurements())):
        one.save(tmp_path)
        (path,) = (path for path in tmp_path.rglob("*.json") if path.name.startswith(one.key.split("/")[-1]))
        assert '"schema": 2' in path.read_text()
        opened = from_files if path.name.endswith(".provenance.json") else figures.from_file
        again = opened(path, source="recorded")
        assert again.provenance == one.provenance


MEASUREMENTS = [
    TimingRequest(MatmulAdd(64)),
    TimingRequest(MatmulAdd(64), run=1),
    TimingRequest(MatmulAdd(64), compile="default"),
    CeilingsRequest(("bf16",)),
    CeilingsRequest(("bf16", "fp32")),
]


@pytest.mark.parametrize("request_", MEASUREMENTS, ids=lambda one: one.key)
def test_a_measurement_is_found_by_all_its_parameters_and_no_other(folder, request_):
    for other in MEASUREMENTS:
        if other != request_:
            store_timing(folder, other)
    with pytest.raises(RecordingMissing) as caught:
        recordings.load(request_)
    assert request_.key in str(caught.value)
    store_timing(folder, request_)
    assert recordings.load(request_).key == request_.key


def test_a_sweep_is_found_whole_or_not_at_all(folder):
    sizes = tuple(Point(MatmulAdd(n)) for n in (8, 16, 32))
    store_capture(folder, SweepRequest(sizes))
    assert recordings.load(SweepRequest(sizes)).source == "recorded"
    for other in (SweepRequest(sizes[:2]), SweepRequest(sizes[::-1]), SweepRequest(sizes, steps=30)):
        with pytest.raises(RecordingMissing):
            recordings.load(other)


def test_recordings_are_made_on_a_gpu_only(monkeypatch, tmp_path):
    monkeypatch.setattr(making, "cuda_available", lambda: False)
    with pytest.raises(UsageError, match="recordings are made on a GPU, and torch finds none here"):
        making.record_again(tmp_path)
    with pytest.raises(UsageError, match="no recording has 'nothing' in its key"):
        making.record_again(tmp_path, only="nothing")


@pytest.fixture
def gpu(monkeypatch, tmp_path_factory):
    """Stand in for a GPU: each request comes back as asked for, from a made-up H200; `asked` has all."""
    made_in = tmp_path_factory.mktemp("made")
    asked = []
    facts = {"elapsed_s": 5.0, "stages_s": {"importing torch": 4.0}}

    def made(request):
        asked.append(request)
        if request.leaves_trace:
            return from_files(store_capture(made_in, request, **facts).trace, source="live")
        return figures.from_file(store_timing(made_in, request, **facts), source="live")

    def live(requests, device, progress):
        assert device == "cuda"
        return [made(request) for request in requests]

    monkeypatch.setattr(obtaining, "_live", live)
    for module in (making, sources):
        monkeypatch.setattr(module, "cuda_available", lambda: True)
    return asked, facts


def keys(made):
    return [one.key for one in made]


def test_what_is_recorded_and_what_is_planted_is_made_again_where_it_is_looked_up(gpu, folder):
    store_capture(folder, REQUEST)
    heard = []
    made = making.record_again(progress=heard.append)
    planted = [request.key for fault in FAULTS for request in twins(fault)]
    assert keys(made) == [REQUEST.key, *planted]
    assert heard[0].startswith(f"1 to 6 of {len(made)}: {REQUEST.key}, ")
    assert recordings.load(REQUEST).provenance.elapsed_s == 5.0
    assert making.asked_by_pages() == [REQUEST]


def test_only_what_is_missing_or_out_of_date_can_be_made(gpu, folder):
    store_capture(folder, REQUEST, code={MatmulAdd.code: "of then"})
    store_timing(folder, TimingRequest(MatmulAdd(64)))
    for fault in FAULTS[1:]:
        for request in twins(fault):
            store_capture(folder, request)
    lacking = [request.key for request in twins(FAULTS[0])]
    assert keys(making.record_again(missing=True)) == [REQUEST.key, *lacking]
    assert making.record_again(missing=True) == []


def test_only_some_can_be_made_again(gpu, tmp_path, capsys):
    assert command.main(["--only", "4096_bf16_cold", "--out", str(tmp_path / "out")]) == 0
    assert [path.name for path in (tmp_path / "out").rglob("*.gz")] == ["4096_bf16_cold_eager.json.gz"]
    said = capsys.readouterr().out
    assert "live on NVIDIA H200, torch 2.11.0, 2026-11-29, 5.0 s (importing torch 4.0 s)" in said


def test_a_capture_that_warns_of_itself_is_not_stored(gpu, tmp_path):
    gpu[1]["warnings"] = ("the trace holds no GPU events",)
    with pytest.raises(CaptureError, match="is not stored: the trace holds no GPU events"):
        making.record_again(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_lesson_that_is_run_to_record_measures_what_has_no_recording_of_todays_code(gpu, folder):
    store_capture(folder, REQUEST)
    store_capture(folder, replace(REQUEST, warm=True), code={MatmulAdd.code: "of then"})
    runs = [capture(MatmulAdd(64), warm=warm, source="record") for warm in (False, True)]
    new = capture(MatmulAdd(128), source="record")
    assert [one.source for one in (*runs, new)] == ["recorded", "live", "live"]
    assert [request.key for request in gpu[0]] == [replace(REQUEST, warm=True).key, new.key]
    for request in gpu[0]:
        assert recordings.load(request).provenance.changed is None
    assert capture(MatmulAdd(128), source="record").source == "recorded"


def test_the_command_lists_what_it_makes_and_fails_in_one_line(monkeypatch, capsys):
    assert command.main(["--list"]) == 0
    assert capsys.readouterr().out.split() == [request.key for request in SHIPPED]
    monkeypatch.setattr(making, "cuda_available", lambda: False)
    assert command.main([]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_command_starts_as_a_module():
    source = Path(recordings.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "profiling_series.recordings", "--list"],
        env={"PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "01_matmul_add/64_bf16_cold_eager" in done.stdout
