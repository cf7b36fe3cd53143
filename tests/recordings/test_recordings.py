from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from profiling_series import (
    CaptureError,
    MatmulAdd,
    RecordingMissing,
    Schedule,
    UsageError,
    capture,
    recordings,
)
from profiling_series.profiler import CeilingsRequest, Request, SweepRequest, TimingRequest, store
from profiling_series.recordings import __main__ as command
from profiling_series.recordings import making, manifest

REQUEST = Request(MatmulAdd(64), warm=False)
H200 = {"source": "live", "gpu": "NVIDIA H200", "torch": "2.11.0+cu130", "date": "2026-11-29T18:00:00+00:00"}


def store_recording(folder, request=REQUEST, **facts):
    """A recording as `nox -s record` leaves it; its trace says nothing of importance here."""
    from profiling_series.workloads import code_digest

    first = request.workloads[0] if request.kind == "sweep" else request.workload
    described = {**request.to_json(), "digest": request.digest, "code": code_digest(first), **H200}
    described.setdefault("schedule", {"wait": 1, "warmup": 1, "active": 3, "repeat": 1})
    files = store.place(folder, request.key)
    store.write(
        files, store.compress(b'{"traceEvents": []}'), "table", {"key": request.key, **described, **facts}
    )
    return files


def store_measurement(folder, request, **facts):
    """Figures as `nox -s record` leaves them."""
    from profiling_series.workloads import code_digest

    code = {"code": code_digest(request.workload)} if request.kind == "timing" else {}
    described = {**request.to_json(), "digest": request.digest, "key": request.key, **code, **H200, **facts}
    path = store.place_measure(folder, request.key)
    store.write_measure(path, {**described, "values": {"each_us": [1.0], "calls": 1}})
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PROFILING_SERIES_RECORDINGS", str(tmp_path))
    return tmp_path


def test_a_recording_is_found_and_says_that_it_is_one(folder):
    store_recording(folder)
    store_recording(folder, replace(REQUEST, warm=True))
    found = capture(REQUEST.workload, warm=False, source="recorded")
    assert found.source_line == "recorded on NVIDIA H200, torch 2.11.0, 2026-11-29"
    assert (found.source, found.key, found.workload) == ("recorded", REQUEST.key, REQUEST.workload)


def test_it_is_found_by_its_digest_whatever_its_file_is_called(folder):
    files = store_recording(folder)
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
    store_recording(folder)
    with pytest.raises(RecordingMissing) as caught:
        recordings.load(other)
    for part in (other.key, other.digest, "nox -s record", "source='cpu'"):
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_recording_from_before_a_parameter_was_added_is_taken_and_says_so(folder):
    params = {"size": 64, "dtype": "bf16"}
    store_recording(folder, workload={"name": "matmul-add", "params": params}, digest="of then")
    assert recordings.load(REQUEST).source_line == (
        "recorded on NVIDIA H200, torch 2.11.0, 2026-11-29 (of a workload that has changed since)"
    )


def test_a_recording_of_code_that_has_changed_since_says_so(folder):
    store_recording(folder, code="of then")
    assert "changed since" in recordings.load(REQUEST).source_line


def test_replay_without_cuda_takes_the_recording_and_keeps_a_copy(folder, monkeypatch, tmp_path):
    from profiling_series.profiler import sources

    monkeypatch.setattr(sources, "cuda_available", lambda: False)
    monkeypatch.setenv("PROFILING_SERIES_SOURCE", "replay")
    monkeypatch.setenv("PROFILING_SERIES_KEEP", str(tmp_path / "kept"))
    store_recording(folder)
    replayed = capture(REQUEST.workload, warm=False, out=tmp_path / "out")
    assert replayed.trace_path == tmp_path / "out" / f"{REQUEST.key}.json.gz"
    assert replayed.source == "recorded"
    assert (tmp_path / "kept" / f"{REQUEST.key}.json.gz").exists()


def test_a_provenance_that_is_broken_is_told_with_its_file(folder):
    files = store_recording(folder)
    files.provenance.write_text("{")
    with pytest.raises(UsageError, match=r"64_bf16_cold_eager\.provenance\.json: not the provenance"):
        recordings.load(REQUEST)


def test_all_recordings_of_a_folder_are_listed(folder):
    assert list(recordings.recorded()) == []
    store_recording(folder)
    assert [one.key for one in recordings.recorded()] == [REQUEST.key]


def test_no_two_entries_of_the_manifest_share_a_file_or_a_digest():
    assert len({request.key for request in manifest.MANIFEST}) == len(manifest.MANIFEST)
    assert len({request.digest for request in manifest.MANIFEST}) == len(manifest.MANIFEST)


def test_the_manifest_holds_what_the_first_lesson_replays():
    keys = {request.key for request in manifest.MANIFEST}
    assert keys >= {
        f"01_matmul_add/{size}_bf16_{state}_eager" for size in (64, 4096) for state in ("cold", "warm")
    }


def test_every_shipped_recording_is_in_the_manifest_and_of_the_code_as_it_is():
    digests = {request.digest for request in manifest.MANIFEST}
    for one in recordings.recorded():
        assert one.provenance["digest"] in digests, f"{one.key} is in no manifest: delete its files"
        assert one.provenance["gpu"], f"{one.key} was not made on a GPU"
        assert one.provenance["changed"] is None, f"{one.key} is out of date: run `nox -s record`"
        assert one.warnings == ()
    for one in recordings.measurements():
        assert one.provenance["digest"] in digests, f"{one.key} is in no manifest: delete its file"
        assert one.provenance["gpu"], f"{one.key} was not made on a GPU"
        assert one.provenance["changed"] is None, f"{one.key} is out of date: run `nox -s record`"


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
            store_measurement(folder, other)
    with pytest.raises(RecordingMissing) as caught:
        recordings.load(request_)
    assert request_.key in str(caught.value)
    store_measurement(folder, request_)
    assert recordings.load(request_).key == request_.key


def test_a_sweep_is_found_whole_or_not_at_all(folder):
    sizes = tuple(MatmulAdd(n) for n in (8, 16, 32))
    store_recording(folder, SweepRequest(sizes))
    assert recordings.load(SweepRequest(sizes)).source == "recorded"
    for other in (SweepRequest(sizes[:2]), SweepRequest(sizes[::-1]), SweepRequest(sizes, steps=30)):
        with pytest.raises(RecordingMissing):
            recordings.load(other)


def test_recordings_are_made_on_a_gpu_only(monkeypatch, tmp_path):
    monkeypatch.setattr(making, "cuda_available", lambda: False)
    with pytest.raises(UsageError, match="recordings are made on a GPU, and torch finds none here"):
        making.record_all(tmp_path)
    with pytest.raises(UsageError, match="no recording of the manifest has 'nothing' in its key"):
        making.record_all(tmp_path, only="nothing")


def measured(monkeypatch, tmp_path, **facts):
    """Stand in for a GPU: each entry of the manifest comes back as asked for, from a made-up H200."""
    from profiling_series.profiler.captured import from_files
    from profiling_series.profiler.measured import from_file

    known = {"warnings": [], "elapsed_s": 5.0, "stages_s": {"importing torch": 4.0}, **facts}

    def made(request):
        if request.kind in ("capture", "sweep"):
            return from_files(store_recording(tmp_path / "made", request, **known).trace, source="live")
        return from_file(store_measurement(tmp_path / "made", request, **known), source="live")

    def fake(requests, *, source, progress):
        assert source == "cuda"
        return [made(request) for request in requests]

    monkeypatch.setattr(making, "obtain", fake)
    monkeypatch.setattr(making, "cuda_available", lambda: True)


def test_record_all_stores_the_manifest_where_it_is_looked_up(monkeypatch, tmp_path_factory, folder):
    measured(monkeypatch, tmp_path_factory.mktemp("elsewhere"))
    heard = []
    made = making.record_all(progress=heard.append)
    assert [one.key for one in made] == [request.key for request in manifest.MANIFEST]
    assert heard[0].startswith(f"1 to 6 of {len(made)}: {made[0].key}, ")
    for request in manifest.MANIFEST:
        found = recordings.load(request)
        path = getattr(found, "trace_path", None) or found.path
        assert path.parent == (folder / request.key).parent
        assert found.source_line == "recorded on NVIDIA H200, torch 2.11.0, 2026-11-29"


def test_only_what_is_missing_or_out_of_date_can_be_made(monkeypatch, tmp_path_factory, folder):
    measured(monkeypatch, tmp_path_factory.mktemp("elsewhere"))
    making.record_all()
    store_recording(folder, REQUEST, code="of then")
    timing = next(request for request in manifest.MANIFEST if request.kind == "timing")
    (folder / f"{timing.key}.measure.json").unlink()
    assert [one.key for one in making.record_all(missing=True)] == [REQUEST.key, timing.key]


def test_only_some_can_be_made_again(monkeypatch, tmp_path, capsys):
    measured(monkeypatch, tmp_path)
    assert command.main(["--only", "4096_bf16_cold", "--out", str(tmp_path / "out")]) == 0
    assert [path.name for path in (tmp_path / "out").rglob("*.gz")] == ["4096_bf16_cold_eager.json.gz"]
    said = capsys.readouterr().out
    assert "live on NVIDIA H200, torch 2.11.0, 2026-11-29, 5.0 s (importing torch 4.0 s)" in said


def test_a_capture_without_gpu_events_is_not_stored(monkeypatch, tmp_path):
    measured(monkeypatch, tmp_path, warnings=["the trace holds no GPU events"])
    with pytest.raises(CaptureError, match="is not stored: the trace holds no GPU events"):
        making.record_all(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command_lists_the_manifest_and_fails_in_one_line(monkeypatch, capsys):
    assert command.main(["--list"]) == 0
    assert capsys.readouterr().out.split() == [request.key for request in manifest.MANIFEST]
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
