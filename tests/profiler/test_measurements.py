"""Measurements without a trace, sweeps, several processes, and what a build measures once."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from profiling_series import CaptureError, MatmulAdd, UsageError, capture
from profiling_series.profiler import (
    CeilingsRequest,
    Request,
    SweepRequest,
    TimingRequest,
    capture_runs,
    ceilings,
    measured,
    reuse,
    spawn,
    sweep,
    time_runs,
    time_workload,
)
from profiling_series.profiler import best_rates as ceilings_module
from profiling_series.profiler import sweeping as sweeping_module
from profiling_series.profiler import timing as timing_module
from profiling_series.profiler.obtain import obtain
from profiling_series.profiler.window import combined


@pytest.fixture(scope="module")
def timing(tmp_path_factory):
    out = tmp_path_factory.mktemp("timing")
    return time_workload(MatmulAdd(8), source="cpu", out=out), out


def test_a_timing_is_one_file_that_gives_it_back(timing):
    found, out = timing
    assert [path.name for path in out.rglob("*") if path.is_file()] == [
        "8_bf16_warm_eager_timing.measure.json"
    ]
    loaded = measured.from_file(found.path, source="recorded")
    assert loaded.values == found.values
    assert found.source_line.startswith("live on CPU")
    assert loaded.source_line == found.source_line.replace("live", "recorded", 1)


def test_a_timing_is_the_median_of_blocks_and_says_how_they_scatter(timing):
    found = timing[0]
    assert found.calls >= 1
    assert len(found.each_us) > 1
    assert min(found.each_us) <= found.median_us <= max(found.each_us)
    assert 0 <= found.iqr_us <= max(found.each_us) - min(found.each_us)
    assert 0.5 < found.median_us < 10_000, "an 8×8 product in µs"


def test_the_provenance_of_a_timing_says_what_was_timed_and_how_long_it_took(timing):
    facts = timing[0].provenance
    assert facts["workload"]["params"]["size"] == 8
    assert facts["digest"] == TimingRequest(MatmulAdd(8)).digest
    assert set(facts["stages_s"]) >= {"importing torch", "warming up", "timing"}
    assert 0.5 * facts["elapsed_s"] < sum(facts["stages_s"].values()) < facts["elapsed_s"] + 0.05


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"kind": "timing"}', '{"kind":"x","key":"k","values":{},"digest":""}']
)
def test_a_file_that_is_no_measurement_is_refused_in_one_line(tmp_path, text):
    path = tmp_path / "x.measure.json"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        measured.from_file(path, source="recorded")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_timing_of_code_that_has_changed_since_says_so(timing, tmp_path):
    path = timing[0].save(tmp_path).path
    path.write_text(json.dumps({**json.loads(path.read_text()), "code": "of then"}))
    assert measured.from_file(path, source="recorded").source_line.endswith("changed since)")


def test_ceilings_are_rates_of_the_sizes_that_they_name():
    found = ceilings(("fp32",), source="cpu")
    products, copies = found.values["matmul"]["fp32"], found.values["copy"]
    assert [each["size"] for each in products] == [512]
    assert found.tflops["fp32"] == max(2 * each["size"] ** 3 / each["us"] / 1e6 for each in products)
    assert found.gbs == max(2 * each["bytes"] / each["us"] / 1e3 for each in copies)
    assert all(each["us"] == min(each["each_us"]) for each in [*products, *copies])
    assert found.sustained_tflops["fp32"] == max(each["sustained_tflops"] for each in products)
    assert found.ridge("fp32") == pytest.approx(found.tflops["fp32"] * 1e12 / (found.gbs * 1e9))
    assert not found.on_gpu


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    sizes = [MatmulAdd(n, "fp32") for n in (8, 256)]
    return sweep(sizes, steps=10, source="cpu", out=tmp_path_factory.mktemp("sweep"))


def test_a_sweep_is_one_recording_with_a_stretch_for_each_workload(swept):
    assert [point.workload.size for point in swept.points] == [8, 256]
    assert [point.stretch.steps for point in swept.points] == [5, 5]
    small, large = (point.stretch for point in swept.points)
    assert large.step_us > small.step_us
    assert small.gpu_busy_share is None
    assert small.regime == "undetermined"
    assert "2 workloads in one process, steps 6 to 10 of each" in swept.source_line
    names = {name["name"] for name in swept.capture.trace.annotations}
    assert {"sweep 8_fp32", "sweep 256_fp32", "matmul_add"} <= names


def test_a_sweeps_rates_are_its_workloads_over_its_times(swept):
    point = swept.points[1]
    assert point.tflops == pytest.approx(MatmulAdd(256).flops() / point.stretch.step_us / 1e6)
    assert point.gbs == pytest.approx(4 * 256**2 * 4 / point.stretch.step_us / 1e3)
    assert point.intensity == pytest.approx((2 * 256**3 + 256**2) / (4 * 256**2 * 4))
    assert point.gpu_tflops is None


def test_a_trace_without_the_sweeps_steps_is_not_read_as_one(swept):
    other = sweeping_module.Sweep(swept.capture, SweepRequest((MatmulAdd(16), MatmulAdd(8))))
    with pytest.raises(UsageError, match=r"0 of 20 steps follow 'sweep 16_bf16'"):
        _ = other.points


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SweepRequest(()), "at least one workload"),
        (lambda: SweepRequest((MatmulAdd(8), MatmulAdd(8))), "comes twice"),
        (lambda: SweepRequest((MatmulAdd(8),), steps=9), "the first 5 of 9 steps do not count"),
        (lambda: CeilingsRequest(()), "name each dtype once"),
        (lambda: CeilingsRequest(("bf16", "bf16")), "name each dtype once"),
        (lambda: CeilingsRequest(("int8",)), "unknown dtype 'int8'"),
        (lambda: TimingRequest(MatmulAdd(8), compile="fast"), "unknown compile mode 'fast'"),
        (lambda: TimingRequest("matmul"), "takes a workload"),
        (lambda: TimingRequest(MatmulAdd(8), run=-1), "run must be from 0"),
        (lambda: capture_runs(MatmulAdd(8), 0), "n must be at least 1"),
        (lambda: time_runs(MatmulAdd(8), 0), "n must be at least 1"),
        (lambda: sweep([MatmulAdd(10**6), MatmulAdd(10**6, "fp32")], source="cpu"), "leave out the largest"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(make, said):
    with pytest.raises(UsageError) as caught:
        make()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("request_", "from_json", "key"),
    [
        (
            TimingRequest(MatmulAdd(8), "default", 3, 2),
            timing_module.from_json,
            "01_matmul_add/8_bf16_warm_compile_timing_seed3_run2",
        ),
        (CeilingsRequest(("fp16",), 1), ceilings_module.from_json, "ceilings/fp16_seed1"),
        (
            SweepRequest((MatmulAdd(8), MatmulAdd(16))),
            sweeping_module.from_json,
            "01_matmul_add/sweep_8-16_bf16_",
        ),
    ],
)
def test_a_request_survives_json_and_names_its_file(request_, from_json, key):
    again = from_json(json.loads(json.dumps(request_.to_json())))
    assert again == request_
    assert again.digest == request_.digest
    assert request_.key.startswith(key)


def test_the_first_of_several_runs_is_the_single_capture():
    assert Request(MatmulAdd(64), run=0).digest == Request(MatmulAdd(64)).digest
    other = Request(MatmulAdd(64), run=2)
    assert other.digest != Request(MatmulAdd(64)).digest
    assert other.key == "01_matmul_add/64_bf16_warm_eager_run2"


def test_several_processes_each_give_a_capture_of_their_own(tmp_path):
    heard = []
    runs = capture_runs(MatmulAdd(8), 2, source="cpu", out=tmp_path, progress=heard.append)
    assert [one.key for one in runs] == [f"01_matmul_add/8_bf16_warm_eager{run}" for run in ("", "_run1")]
    assert runs[0].trace_path.read_bytes() != runs[1].trace_path.read_bytes()
    assert runs[0].trace.steps[0].pid != runs[1].trace.steps[0].pid
    # Both import torch before the first measures: the second does not start while the first is measured.
    assert heard[:3] == ["importing torch", "importing torch", "preparing the data on cpu"]


def test_what_is_asked_for_twice_in_one_build_is_measured_once(cold, timing, tmp_path, monkeypatch):
    monkeypatch.setattr(spawn, "_COMMAND", ("-c", "raise SystemExit(3)"))
    monkeypatch.setenv("PROFILING_SERIES_REUSE", str(tmp_path / "shared"))
    for request, result in (
        (Request(MatmulAdd(64), warm=False), cold[0]),
        (TimingRequest(MatmulAdd(8)), timing[0]),
    ):
        with pytest.raises(CaptureError, match="ended with code 3"):
            obtain([request], source="cpu")
        reuse.share(request.digest, "cpu", result)
    again = capture(MatmulAdd(64), warm=False, source="cpu", out=tmp_path / "out")
    assert again.trace_path.read_bytes() == cold[0].trace_path.read_bytes()
    assert (again.source, again.source_line) == ("live", cold[0].source_line)
    assert time_workload(MatmulAdd(8), source="cpu").values == timing[0].values
    with pytest.raises(CaptureError, match="ended with code 3"):
        capture(MatmulAdd(64), source="cpu")
    monkeypatch.delenv("PROFILING_SERIES_REUSE")
    with pytest.raises(CaptureError, match="ended with code 3"):
        capture(MatmulAdd(64), warm=False, source="cpu")


def test_all_windows_of_a_shared_capture_come_back_in_order(cold, tmp_path, monkeypatch):
    monkeypatch.setenv("PROFILING_SERIES_REUSE", str(tmp_path))
    names = [f"{cold[0].key}_cycle{number}" for number in range(1, 12)]
    windows = [replace(cold[0], provenance={**cold[0].provenance, "key": name}) for name in names]
    reuse.share("0" * 16, "cpu", combined(windows))
    found = reuse.find("0" * 16, "cpu")
    assert [one.key for one in found.cycles] == names
    assert found.key == names[-1]


def test_a_measurement_is_kept_for_the_builds_list(timing, tmp_path, monkeypatch):
    monkeypatch.setenv("PROFILING_SERIES_KEEP", str(tmp_path))
    timing[0].kept()
    (path,) = tmp_path.rglob("*.measure.json")
    assert measured.from_file(path, source="recorded").source == "live"
