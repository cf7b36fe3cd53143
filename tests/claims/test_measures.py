from __future__ import annotations

import json

import pytest

from profiling_series.claims.measures import MEASURES
from profiling_series.trace import read

EXPECTED = {
    "launches_per_step": 2,
    "gpu_events_per_step": 2,
    "gpu_sum_per_step_us": 2.784,
    "copy_us_per_step": 0,
    "step_cpu_us": 100,
    "first_step_factor": 2,
    "first_to_third_factor": 2,
    "launch_latency_us": 12,  # 15 and 9 µs, twice
    "launch_latency_max_us": 15,
    "regime": "overhead-bound",
    "self_cpu_total_us": 300,
    "self_device_total_us": 5.568,
    "dead_window_first_us": 20,
    "dead_window_later_us": 10,
    "lane_offset_us": 115,
    "flush_sync_us": 25,
    "buffer_requests": 1,
    "buffer_request_us": 60,
    "occupancy_queries_per_step": 0,
    "gemm_us": 1.92,
    "gemm_range_percent": 0,
    "gemm_mean_factor": 1,
    "gemm_tflops": (2 * 64**3 + 64**2) / 1.92e-6 / 1e12,
    "gemm_chain": "matmul_add → aten::matmul → aten::mm",
    "gemm_op": "aten::mm",
    "gemm_call": "cuLaunchKernelEx",
    "gemm_registers": 168,
    "gemm_shared_memory_bytes": 164308,
    "gemm_occupancy_percent": None,  # the trace does not say what GPU it was
    "gemm_tensor_cores": None,  # the name does not say
    "add_registers": 34,
    "add_shared_memory_bytes": 0,
}


def test_every_measure_has_an_expected_value():
    assert set(EXPECTED) == set(MEASURES) - {"cpu_step_factor"}  # which is of two programs


@pytest.mark.parametrize("name", EXPECTED)
def test_measure_of_a_known_capture(name, capture):
    expected = EXPECTED[name]
    value = MEASURES[name](capture).value
    assert value == (expected if isinstance(expected, str) else pytest.approx(expected))


def test_the_values_behind_a_median_are_kept(capture):
    assert MEASURES["gpu_sum_per_step_us"](capture).each == (2.784, 2.784)


@pytest.fixture
def cpu_trace(tmp_path):
    rows = [("user_annotation", "ProfilerStep#1", 0, 90), ("cpu_op", "aten::mm", 10, 50)]
    events = [
        {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": {}}
        for cat, name, ts, dur in rows
    ]
    path = tmp_path / "cpu.json"
    path.write_text(json.dumps({"traceEvents": events}))
    return read(path)


def test_a_cpu_trace_answers_for_its_steps_and_for_nothing_else(cpu_trace):
    told = {name for name, measure in MEASURES.items() if measure(cpu_trace).value is not None}
    assert told == {"step_cpu_us"}


def test_an_empty_trace_answers_nothing(tmp_path):
    path = tmp_path / "empty.json"
    path.write_text('{"traceEvents": []}')
    trace = read(path)
    assert all(measure(trace).value is None for measure in MEASURES.values())


@pytest.fixture
def make_trace(tmp_path):
    """Write events, (cat, name, pid, tid, ts, dur, args), and read them back."""

    def make(events):
        keys = ("cat", "name", "pid", "tid", "ts", "dur", "args")
        path = tmp_path / "made.json"
        path.write_text(
            json.dumps(
                {"traceEvents": [{"ph": "X", **dict(zip(keys, event, strict=True))} for event in events]}
            )
        )
        return read(path)

    return make


def test_a_factor_of_two_programs_needs_five_processes_each(capture, make_trace):
    from profiling_series.report import comparison

    trace = capture.trace
    # The fixture's second step takes 100 µs, the only steady one; this one's 250.
    slow = make_trace(
        [
            (cat, name, 5, 5, ts + 1000.0 * number, dur, {})
            for number in (1, 2)
            for cat, name, ts, dur in (
                ("user_annotation", f"ProfilerStep#{number}", 0.0, 250.0),
                ("cpu_op", "aten::mm", 10.0, 200.0),
            )
        ]
    )
    factor = MEASURES["cpu_step_factor"]
    found = factor(comparison([trace] * 5, [slow] * 5))
    assert found.value == pytest.approx(2.5)
    assert found.each == (pytest.approx(2.5),) * 25
    assert factor(comparison([trace] * 5, [slow] * 4)).value is None
    assert factor(trace).value is None


def test_extremes_and_mean_of_a_kernel_by_hand(make_trace):
    events = []
    for number, time in enumerate((580.0, 580.0, 3100.0, 580.0, 580.0), start=1):
        start, tie = 10_000.0 * number, {"correlation": number}
        events.append(("user_annotation", f"ProfilerStep#{number}", 5, 5, start, 80.0, {}))
        events.append(("cuda_runtime", "cudaLaunchKernel", 5, 5, start + 10, 8.0, tie))
        events.append(("kernel", "gemm", 0, 7, start + 20, time, {"device": 0, "stream": 7, **tie}))
    trace = make_trace(events)
    assert MEASURES["gemm_mean_factor"](trace).value == pytest.approx(1084 / 580)
    assert MEASURES["gemm_range_percent"](trace).value == pytest.approx(100 * 2520 / 580)
