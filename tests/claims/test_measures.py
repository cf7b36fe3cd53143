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
    "first_to_last_factor": 2,
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
    "gemm_tflops": (2 * 64**3 + 64**2) / 1.92e-6 / 1e12,
    "gemm_chain": "matmul_add → aten::matmul → aten::mm",
    "gemm_op": "aten::mm",
    "gemm_call": "cuLaunchKernelEx",
    "gemm_registers": 168,
    "add_registers": 34,
    "add_shared_memory_bytes": 0,
}


def test_every_measure_has_an_expected_value():
    assert set(EXPECTED) == set(MEASURES)


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
