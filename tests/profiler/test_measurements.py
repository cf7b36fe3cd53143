"""Measurements without a trace, sweeps, several processes, and what a build measures once."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from profiling_series import CaptureError, MatmulAdd, Point, SmallMatmuls, UsageError, capture
from profiling_series.profiler import (
    capture_runs,
    ceilings,
    reuse,
    spawn,
    sweep,
    sweep_loop,
    time_runs,
    time_workload,
)
from profiling_series.profiler.obtain import obtain
from profiling_series.results import Request, Sweep, SweepRequest, TimingRequest, figures
from profiling_series.results.capture import combined, from_files
from profiling_series.workloads import WORKLOADS, Step, Workload


@pytest.fixture(scope="module")
def timing(tmp_path_factory):
    out = tmp_path_factory.mktemp("timing")
    return time_workload(MatmulAdd(8), source="cpu", out=out), out


def test_a_timing_is_one_file_that_gives_it_back(timing):
    found, out = timing
    assert [path.name for path in out.rglob("*") if path.is_file()] == [
        "8_bf16_warm_eager_timing.measure.json"
    ]
    (path,) = out.rglob("*.measure.json")
    loaded = figures.from_file(path, source="recorded")
    assert (loaded.each_us, loaded.calls) == (found.each_us, found.calls)
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
    assert facts.request == TimingRequest(MatmulAdd(8))
    assert facts.digest == facts.request.digest
    assert set(facts.stages_s) >= {"importing torch", "warming up", "timing"}
    assert 0.5 * facts.elapsed_s < sum(facts.stages_s.values()) < facts.elapsed_s + 0.05


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"kind": "timing"}', '{"kind":"x","provenance":{"key":"k"}}', '{"schema": 1}']
)
def test_a_file_that_is_no_measurement_is_refused_in_one_line(tmp_path, text):
    path = tmp_path / "x.measure.json"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        figures.from_file(path, source="recorded")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_timing_of_code_that_has_changed_since_says_so(timing, tmp_path):
    timing[0].save(tmp_path)
    (path,) = tmp_path.rglob("*.measure.json")
    facts = json.loads(path.read_text())
    facts["provenance"]["code"] = {MatmulAdd.code: "of then"}
    path.write_text(json.dumps(facts))
    assert figures.from_file(path, source="recorded").source_line.endswith("changed since)")


def test_ceilings_are_rates_of_the_sizes_that_they_name():
    found = ceilings(("fp32",), source="cpu")
    products, copies = found.matmul["fp32"], found.copy
    assert [each.size for each in products] == [512]
    assert found.tflops["fp32"] == max(2 * each.size**3 / each.us / 1e6 for each in products)
    assert found.gbs == max(2 * each.bytes / each.us / 1e3 for each in copies)
    assert all(each.us == min(each.each_us) for each in [*products, *copies])
    assert found.sustained_tflops["fp32"] == max(each.sustained_tflops for each in products)
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
    other = Sweep(swept.capture, SweepRequest((Point(MatmulAdd(16)), Point(MatmulAdd(8)))))
    with pytest.raises(UsageError, match=r"0 of 20 steps follow 'sweep 16_bf16'"):
        _ = other.points


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: capture_runs(MatmulAdd(8), 0), "n must be at least 1"),
        (lambda: time_runs(MatmulAdd(8), 0), "n must be at least 1"),
        (
            lambda: sweep([MatmulAdd(8)], x="width"),
            "matmul-add has no width; choose x= and series= of size, ",
        ),
        (lambda: sweep([MatmulAdd(8)], series="width"), "matmul-add has no width"),
        (
            lambda: sweep([MatmulAdd(8)], x="dtype"),
            "x must name a number of the workload, and dtype is 'bf16'",
        ),
        (lambda: sweep([MatmulAdd(8), MatmulAdd(8, batch=2)]), "two points have the same size and dtype"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(make, said):
    with pytest.raises(UsageError) as caught:
        make()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_sweep_may_compile_some_points_and_lie_along_any_number(tmp_path):
    """The compiled form of each count is a line of its own, and each is compiled for its own shape."""
    forms = [Point(SmallMatmuls(count, 4), mode) for count in (1, 2) for mode in (None, "default")]
    swept = sweep(forms, x="count", series="compile", steps=10, source="cpu", out=tmp_path)
    assert [(one.x, one.series) for one in swept.points] == [
        (count, form) for count in (1, 2) for form in ("eager", "compile")
    ]
    assert all(one.failed is None and one.stretch.steps == 5 for one in swept.points)
    assert any("Torch-Compiled Region" in name for name in swept.capture.trace.names)


class Toy(Workload, frozen=True, tag="toy"):
    """A step whose data does not fit from size 2 on; 9 is not there at all, and 10 fails by itself."""

    series, annotation, code = "toy", "toy_step", MatmulAdd.code

    size: int = 1
    dtype: str = "fp32"

    def prepare(self, device, seed):
        import torch

        if 2 <= self.size < 9:
            raise torch.OutOfMemoryError("tried to allocate\nsome GB")
        if self.size == 10:
            raise ZeroDivisionError("mine")
        return Step(torch.add, (torch.ones(self.size), 1))

    def unavailable(self, device):
        return f"no {device} has nine of them" if self.size == 9 else None

    def required_bytes(self):
        return 4 * self.size

    def slug_parts(self):
        return (str(self.size), self.dtype), ()


@pytest.fixture
def toy_sweep(monkeypatch, tmp_path):
    """Profile a sweep over toys, in this process, and return what comes of it."""
    monkeypatch.setitem(WORKLOADS, "toy", Toy)

    def of(*sizes):
        request = SweepRequest(tuple(Point(Toy(size)) for size in sizes), steps=10)
        (path,) = sweep_loop.profile_sweep(request, "cpu", str(tmp_path), lambda stage: None)
        return Sweep(from_files(path, source="live"), request)

    return of


def test_a_point_that_fails_is_a_result_and_the_rest_goes_on(toy_sweep):
    swept = toy_sweep(1, 2, 9, 20)
    assert [one.failed for one in swept.points] == [
        None,
        "out of memory: choose a smaller size (tried to allocate)",
        "toy: no cpu has nine of them",
        None,
    ]
    assert [one.stretch.steps for one in swept.measured] == [5, 5]
    with pytest.raises(UsageError, match="sweep 2_fp32 was not measured: out of memory"):
        _ = swept.points[1].stretch


def test_a_sweep_of_which_no_point_can_be_measured_is_an_error(toy_sweep, tmp_path):
    with pytest.raises(UsageError, match="no point can be measured here: out of memory"):
        toy_sweep(3, 4)
    assert not list(tmp_path.rglob("*.json.gz"))


def test_a_fault_of_the_steps_own_ends_the_sweep(toy_sweep, tmp_path):
    with pytest.raises(ZeroDivisionError, match="mine"):
        toy_sweep(1, 10)
    assert not list(tmp_path.rglob("*.json.gz"))


def test_what_a_workload_says_of_this_device_is_the_error_of_a_capture(monkeypatch):
    from profiling_series.profiler.prepare import prepared

    monkeypatch.setitem(WORKLOADS, "toy", Toy)
    with pytest.raises(UsageError, match=r"^toy: no cpu has nine of them$"):
        prepared(Toy(9), None, 0, "cpu", lambda stage: None, warm=False)


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
    assert time_workload(MatmulAdd(8), source="cpu").each_us == timing[0].each_us
    with pytest.raises(CaptureError, match="ended with code 3"):
        capture(MatmulAdd(64), source="cpu")
    monkeypatch.delenv("PROFILING_SERIES_REUSE")
    with pytest.raises(CaptureError, match="ended with code 3"):
        capture(MatmulAdd(64), warm=False, source="cpu")


def test_all_windows_of_a_shared_capture_come_back_in_order(cold, tmp_path, monkeypatch):
    monkeypatch.setenv("PROFILING_SERIES_REUSE", str(tmp_path))
    names = [f"{cold[0].key}_cycle{number}" for number in range(1, 12)]
    windows = [replace(cold[0], provenance=replace(cold[0].provenance, key=name)) for name in names]
    reuse.share("0" * 16, "cpu", combined(windows))
    found = reuse.find("0" * 16, "cpu")
    assert [one.key for one in found.cycles] == names
    assert found.key == names[-1]


def test_a_measurement_is_kept_for_the_builds_list(timing, tmp_path, monkeypatch):
    monkeypatch.setenv("PROFILING_SERIES_KEEP", str(tmp_path))
    reuse.keep(timing[0])
    (path,) = tmp_path.rglob("*.measure.json")
    assert figures.from_file(path, source="recorded").source == "live"
