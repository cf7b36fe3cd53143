"""Measures of a run whose answers were worked out by hand, and of runs that cannot answer."""

from __future__ import annotations

import pytest

from profiling_series.claims import all_claims
from profiling_series.measures import UNTOLD, answer

from ..trace.build import annotation, call, kernel, op, overhead, read_events, step

EXPECTED = {
    "steps.count": 2,
    "steps.launches": 2,
    "steps.gpu_events": 2,
    "steps.kernels": 2,
    "steps.copies": 0,
    "steps.gpu_sum": 2.784,
    "steps.copy_time": 0,
    "steady.dur": 100,
    "step(1).dur": 200,
    "step(-1).dur": 100,
    "step(1).dur / steps(2).dur": 2,
    "step(3).dur": None,
    "step(1).offset": 115,
    "step(1).prepare": 100,
    "step(1).offset_overhead": 0,  # the request begins behind the first kernel
    "pace": 220,
    "launch_latency": 12,  # 15 and 9 µs, twice
    "launch_latency.high": 15,
    "regime": "overhead-bound",
    "self_cpu_total": 300,
    "self_device_total": 5.568,
    "gpu_sum": 5.568,
    "annotation(last=1).dead_window": 20,
    "annotation(first=2).dead_window": 10,
    'annotation("matmul_add").count': 2,
    'annotation("nobody").count': None,
    "flush_sync": 25,
    'rows("Activity Buffer Request", kind="overhead").count': 1,
    'rows("Buffer").dur.high': 60,
    'rows("Nobody").count': 0,
    'rows("Nobody").dur': None,
    'steps.rows("Occupancy", kind="call").count': 0,
    'step(1).rows("Activity", "aten::mm").names': "Activity Buffer Request, aten::mm",
    'step(1).rows(kind="call").counts': "1 × cuLaunchKernelEx, 1 × cudaLaunchKernel",
    'op("aten::matmul").total': 135,
    'op("aten::mm", step=-1).parent': "aten::matmul",
    'op("aten::mm").call': "cuLaunchKernelEx",
    'op("aten::mm").launches': 2,
    'op("aten::matmul").launches': 0,
    'op("aten::nothing").count': 0,
    'op("aten::nothing").total': None,
    "op.name": "aten::mm",
    "op.gpu_share": 100 * 1.92 / 2.784,
    "hottest.dur": 1.92,
    "hottest.name": "nvjet_sm90_tst_64x8_64x16_1x4_h_bz_NNT",
    "hottest.is_kernel": True,
}


@pytest.mark.parametrize("text", EXPECTED)
def test_a_measure_of_a_known_capture(text, capture):
    expected = EXPECTED[text]
    value = answer(capture, text).value
    assert value == (expected if isinstance(expected, str) else pytest.approx(expected))


CLAIMED = {one.measure for one in all_claims()}


def test_the_values_behind_a_median_are_kept(capture):
    assert answer(capture, "steps.gpu_sum").each == (2.784, 2.784)


@pytest.fixture
def cpu_trace(tmp_path):
    return read_events(tmp_path, step(1, 0, 90), op("aten::mm", 10, 50))


def test_a_cpu_trace_answers_for_its_steps_and_its_ops_only(cpu_trace):
    assert {text for text in CLAIMED if answer(cpu_trace, text).value is not None} == {"steady.dur"}
    assert answer(cpu_trace, "op.name") == UNTOLD
    assert answer(cpu_trace, 'op("aten::mm").launches').value == 0
    assert answer(cpu_trace, "hottest.dur").value == 50


def test_an_empty_trace_answers_nothing(tmp_path):
    trace = read_events(tmp_path)
    told = {text for text in (*CLAIMED, *EXPECTED) if answer(trace, text).value is not None}
    assert told == set()


def test_a_step_whose_kernels_were_lost_leaves_its_figure_untold(tmp_path):
    """A launch without its kernel, between two that have theirs."""
    events = []
    for number in (1, 2, 3):
        start = 1000 * number
        events += [step(number, start, 100), call(start + 10, 5, number)]
        events += [kernel(start + 20, 7, number)] if number != 2 else []
    trace = read_events(tmp_path, *events)
    assert answer(trace, "steps.gpu_sum").each == (7.0, 7.0), "the step that lost one is not complete"
    assert answer(trace, "busy_share") == UNTOLD


def test_the_dead_window_is_the_workloads_own(capture, tmp_path):
    trace = read_events(
        tmp_path,
        *(step(1, 0, 100), annotation("other", 1, 20), op("aten::a", 2, 3)),
        *(annotation("matmul_add", 30, 50), op("aten::b", 39, 3)),
    )
    assert answer(trace, "annotation.dead_window").value == 1, "a bare trace: the first"
    capture.trace = trace
    assert answer(capture, "annotation.dead_window").value == 9


def test_extremes_and_mean_of_a_kernel_by_hand(tmp_path):
    events = []
    for number, time in enumerate((580.0, 580.0, 3100.0, 580.0, 580.0), start=1):
        start = 10_000 * number
        events += [step(number, start, 80), op("aten::mm", start + 5, 30)]
        events += [call(start + 10, 8, number), kernel(start + 20, time, number)]
    trace = read_events(tmp_path, *events)
    product = 'kernel("product").dur'
    assert answer(trace, f"{product}.mean / {product}").value == pytest.approx(1084 / 580)
    assert answer(trace, f"percent({product}.range / {product})").value == pytest.approx(100 * 2520 / 580)
    assert answer(trace, f"{product}.longest").value == 3


def test_what_lies_before_the_first_kernel_of_a_step(tmp_path):
    trace = read_events(
        tmp_path,
        *(step(1, 0, 100), overhead(5, 30), call(40, 5, 1), kernel(62, 7, 1), overhead(70, 9)),
        *(step(2, 100, 50), call(120, 5, 2), kernel(131, 7, 2)),
    )
    for text, expected in (
        ("offset", (62, 31)),
        ("prepare", (40, 20)),
        ("latency", (22, 11)),
        ("offset_overhead", (30, 0)),
    ):
        assert answer(trace, f"steps.{text}").each == expected
    assert answer(trace, 'steps.rows("Buffer").count').each == (2, 0)
    assert answer(trace, 'rows("Buffer").dur.low').value == 9
