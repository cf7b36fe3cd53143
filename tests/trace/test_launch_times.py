"""Launch latency, queueing and captured launches; values worked out by hand."""

from __future__ import annotations

import pytest

from .build import LAYOUTS, call, kernel, memcpy, memset, reading


@pytest.mark.parametrize("layout", LAYOUTS)
def test_clock_skew_is_kept_and_counted(tmp_path, layout):
    """-2, 8, 9: the median stays, the negative one is there."""
    events = []
    for i, latency in enumerate((-2, 8, 9)):
        events += [call(100 * i + 10, 5, i), kernel(100 * i + 10 + latency, 1, i)]
    found = reading(tmp_path, *events, layout=layout)["launches"]
    assert (found["negative"], found["latency_us"]["min"], found["latency_us"]["median"]) == (1, -2.0, 8.0)


def test_a_kernel_that_starts_inside_its_call_is_no_skew(tmp_path):
    found = reading(tmp_path, call(0, 50, 1), kernel(10, 5, 1))["launches"]
    assert (found["negative"], found["latency_us"]["median"]) == (0, 10.0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_stalled_launch_call(tmp_path, layout):
    """A call of 5000 (the launch queue was full): call time, not latency of its kernel."""
    events = [call(0, 5, 1), kernel(10, 5000, 1), call(10, 5000, 2), kernel(5015, 10, 2)]
    found = reading(tmp_path, *events, layout=layout)["launches"]
    assert found["call_time_us"] == 5005.0
    assert (found["latency_us"]["min"], found["latency_us"]["max"]) == (10.0, 5005.0)
    assert found["latency_unqueued_us"]["max"] == 10.0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_queueing(tmp_path, layout):
    """Launched each 10, running 100 each: only the first finds the device idle."""
    events = []
    for i in range(5):
        events += [call(10 * i, 4, i), kernel(8 + 100 * i, 100, i)]
    found = reading(tmp_path, *events, layout=layout)["launches"]
    assert (found["latency_us"]["min"], found["latency_us"]["max"]) == (8.0, 368.0)
    assert found["latency_unqueued_us"] == {"min": 8.0, "median": 8.0, "p90": 8.0, "max": 8.0}


def test_the_edge_of_queueing(tmp_path):
    """A launch at the moment in which the device falls idle is not queued; one before is."""
    events = [
        call(0, 1, 1),
        kernel(10, 90, 1),
        call(100, 1, 2),
        kernel(105, 1, 2),
        call(105.5, 0.1, 3),
        kernel(110, 1, 3),
    ]
    found = reading(tmp_path, *events)["launches"]
    assert (found["latency_unqueued_us"]["min"], found["latency_unqueued_us"]["max"]) == (5.0, 10.0)


def test_another_device_does_not_queue(tmp_path):
    events = [call(0, 1, 1), kernel(10, 500, 1), call(20, 1, 2), kernel(27, 1, 2, device=1)]
    found = reading(tmp_path, *events)["launches"]
    assert (found["latency_unqueued_us"]["min"], found["latency_unqueued_us"]["max"]) == (7.0, 10.0)


# Capture


def capture(at: float, launches: int, first: int, *, tid: int = 100, prefix: str = "cuda") -> list[dict]:
    events = [call(at, 2, first, f"{prefix}StreamBeginCapture", tid=tid, cat="cuda_runtime")]
    events += [
        call(at + 10 * (i + 1), 4, first + i + 1, f"{prefix}LaunchKernel", tid=tid) for i in range(launches)
    ]
    return [*events, call(at + 10 * (launches + 1), 2, first + 90, f"{prefix}StreamEndCapture", tid=tid)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("prefix", ["cuda", "cu", "hip"])
def test_captured_launches_are_not_lost(tmp_path, layout, prefix):
    events = [call(0, 4, 1), kernel(20, 5, 1), *capture(100, 5, 200, prefix=prefix)]
    events += [call(300, 4, 400, "cudaGraphLaunch"), *[kernel(320 + 10 * i, 5, 400) for i in range(5)]]
    found = reading(tmp_path, *events, layout=layout)
    assert found["launches"]["calls_without_gpu_event"] == 5
    assert found["verdict"]["regime"] != "undetermined"


@pytest.mark.parametrize("at", [95, 170])
def test_launches_beside_a_capture_are_lost(tmp_path, at):
    events = [call(0, 4, 1), kernel(20, 5, 1), *capture(100, 5, 200), call(at, 4, 300)]
    assert reading(tmp_path, *events)["verdict"]["regime"] == "undetermined"


def test_the_backward_threads_launches_are_captured_too(tmp_path):
    """Autograd launches into the capture that the main thread began; another process does not."""
    events = [call(0, 4, 1), kernel(20, 5, 1), *capture(100, 5, 200), call(125, 4, 300, tid=7)]
    assert reading(tmp_path, *events)["verdict"]["regime"] != "undetermined"
    events[-1] = call(125, 4, 300, pid=7, tid=7)
    assert reading(tmp_path, *events)["verdict"]["regime"] == "undetermined"


def test_a_capture_that_is_never_ended(tmp_path):
    events = [call(0, 4, 1), kernel(20, 5, 1), *capture(100, 5, 200)[:-1]]
    assert reading(tmp_path, *events)["verdict"]["regime"] != "undetermined"


def test_an_end_without_a_begin(tmp_path):
    """Recording began inside a capture: what follows its end is launched for real."""
    events = [call(0, 1, 9, "cudaStreamEndCapture"), call(10, 4, 1), kernel(20, 5, 1), call(30, 4, 2)]
    events += capture(100, 3, 200)
    found = reading(tmp_path, *events)
    assert "1 kernel launch without" in found["verdict"]["because"]


def test_kernels_and_copies_in_one_trace(tmp_path):
    events = [call(0, 4, 1), kernel(10, 5, 1), call(20, 4, 2, "cudaMemcpyAsync"), memcpy(30, 5, 2)]
    events += [call(40, 4, 3, "cudaMemsetAsync"), memset(50, 5, 3)]
    found = reading(tmp_path, *events)
    device = found["devices"][0]
    assert (device["kernels"], device["memcpy"], device["memset"], device["gpu_events"]) == (1, 1, 1, 3)
    assert found["launches"]["latency_us"]["median"] == 10.0
    assert [k["name"] for k in found["kernels"]] == ["gemm"]
