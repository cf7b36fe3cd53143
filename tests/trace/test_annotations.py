"""Annotations with their dead windows, and waits for the GPU; values worked out by hand."""

from __future__ import annotations

import pytest

from .build import LAYOUTS, annotation, call, memcpy, op, reading
from .scenes import (
    loop,
)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_dead_windows(tmp_path, layout):
    """Start to first op on its thread; the op of another thread does not end it."""
    events = [
        annotation("forward", 0, 100),
        op("other thread", 10, 5, tid=9),
        op("aten::linear", 30, 50),
        annotation("forward", 200, 100),
        op("aten::linear", 204, 50),
        annotation("nothing", 400, 10),
        op("after", 420, 5),
        annotation("at once", 500, 10),
        op("at once op", 500, 5),
    ]
    found = {a["name"]: a for a in reading(tmp_path, *events, layout=layout)["annotations"]}
    assert (found["forward"]["count"], found["forward"]["total_us"]) == (2, 200.0)
    assert (found["forward"]["dead_window_us"], found["forward"]["first_op"]) == (30.0, "aten::linear")
    assert found["forward"]["dead_windows_us"] == [30.0, 4.0]
    assert (found["nothing"]["dead_window_us"], found["nothing"]["first_op"]) == (None, None)
    assert (found["at once"]["dead_window_us"], found["at once"]["first_op"]) == (0.0, "at once op")


# Waits


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "name",
    [
        "cudaDeviceSynchronize",
        "cudaStreamSynchronize",
        "cudaEventSynchronize",
        "cuStreamSynchronize",
        "hipDeviceSynchronize",
        "hipStreamSynchronize",
        "hipEventSynchronize",
        "urQueueFinish",
        "zeEventHostSynchronize",
    ],
)
def test_synchronising_calls_are_waits(tmp_path, layout, name):
    events = [
        *loop(1, 2, 0, 100),
        call(50, 40, 900, name=name),
        call(250, 10, 901, name="cudaDeviceSynchronize"),
    ]
    found = reading(tmp_path, *events, layout=layout)
    assert found["sync_wait_us"] == 40.0
    assert found["flush_sync_us"] == 10.0  # the profiler's own, after the last step


@pytest.mark.parametrize(
    "name", ["cudaStreamWaitEvent", "cudaEventRecord", "cudaEventQuery", "cudaStreamQuery"]
)
def test_calls_that_do_not_wait(tmp_path, name):
    assert reading(tmp_path, *loop(1, 2, 0, 100), call(50, 40, 900, name=name))["sync_wait_us"] == 0.0


def test_a_copy_that_returns_after_its_work_waits_for_it(tmp_path):
    """The first returns when its copy has ended, the second long before."""
    events = [*loop(1, 2, 0, 100)]
    events += [call(50, 20, 900, name="cudaMemcpyAsync"), memcpy(60, 10, 900)]
    events += [call(150, 5, 901, name="cudaMemcpyAsync"), memcpy(160, 10, 901)]
    assert reading(tmp_path, *events)["sync_wait_us"] == 20.0


def test_waits_of_one_thread_that_overlap_count_once(tmp_path):
    """A driver call inside the runtime call of the same wait."""
    events = [
        *loop(1, 1, 0, 100),
        call(40, 30, 1, "cudaStreamSynchronize"),
        call(45, 20, 2, "cuStreamSynchronize"),
    ]
    assert reading(tmp_path, *events)["sync_wait_us"] == 30.0
