"""Calls that share a correlation: reused, nested, of ranks merged into one file."""

from __future__ import annotations

import random

import pytest

from .build import LAYOUTS, call, kernel, read_events, reading
from .scenes import (
    joins,
    latencies,
)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_reused_correlation(tmp_path, layout):
    """The counter began anew: each kernel belongs to the last call before it."""
    events = [
        call(0, 4, 7),
        kernel(10, 5, 7, "first"),
        call(100, 4, 7),
        kernel(120, 5, 7, "second"),
        call(200, 4, 7),
    ]
    events += [kernel(230, 5, 7, "third")]
    trace = read_events(tmp_path, *events, layout=layout)
    assert latencies(trace) == [10.0, 20.0, 30.0]
    assert trace.launches["calls"] == 3


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_correlation_that_other_calls_carry_too(tmp_path, layout):
    """A query of the same number, later than the launch, launched nothing."""
    events = [call(0, 4, 7), call(6, 1, 7, "cudaStreamIsCapturing"), kernel(20, 5, 7)]
    trace = read_events(tmp_path, *events, layout=layout)
    assert latencies(trace) == [20.0]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_driver_call_inside_the_runtime_call(tmp_path, layout):
    """Both carry the number: one launch, of the call that the code made, and no lost kernel."""
    events = [call(0, 10, 7), call(2, 6, 7, "cuLaunchKernel"), kernel(20, 5, 7)]
    trace = read_events(tmp_path, *events, layout=layout)
    assert joins(trace) == {"gemm": "cudaLaunchKernel"}
    assert (trace.launches["calls"], trace.launches["calls_without_gpu_event"]) == (1, 0)
    assert trace.launches["call_time_us"] == 10.0
    assert trace.verdict["regime"] != "undetermined"


def test_a_driver_call_of_its_own_number_inside_the_runtime_call(tmp_path):
    """The work is recorded under the outer call's number: no kernel is lost; but beside it one would be."""
    events = [call(0, 10, 7), call(2, 6, 8, "cuLaunchKernel"), kernel(20, 5, 7)]
    assert reading(tmp_path, *events)["verdict"]["regime"] != "undetermined"
    events[1] = call(12, 6, 8, "cuLaunchKernel")
    assert reading(tmp_path, *events)["verdict"]["regime"] == "undetermined"


def merged(order: str, gap: float = 5) -> list[dict]:
    """Two ranks whose counters both begin at 1: latencies 20 on device 0 and 40 on device 1, interleaved."""
    ranks = []
    for rank in (0, 1):
        host, gpu = [], []
        for i in range(5):
            at = 100 * i + gap * rank
            host.append(call(at, 4, i + 1, pid=100 + rank, tid=100 + rank))
            gpu.append(kernel(at + 20 * (rank + 1), 5, i + 1, f"of rank {rank}", device=rank))
        ranks.append((host, gpu))
    if order == "by rank":
        return [e for host, gpu in ranks for e in host + gpu]
    if order == "by kind":
        return [e for host, _ in ranks for e in host] + [e for _, gpu in ranks for e in gpu]
    return sorted((e for host, gpu in ranks for e in host + gpu), key=lambda e: e["ts"])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", ["by rank", "by kind", "by time"])
@pytest.mark.parametrize("gap", [5, 30, 1])
def test_merged_ranks_that_share_all_numbers(tmp_path, layout, order, gap):
    trace = read_events(tmp_path, *merged(order, gap), layout=layout)
    for row in trace.gpu_rows:
        assert trace.event(trace.launch_of[row]).pid == 100 + trace.device_of(row)
    assert sorted(latencies(trace)) == [20.0] * 5 + [40.0] * 5


@pytest.mark.parametrize("seed", range(5))
def test_merged_ranks_where_some_numbers_differ(tmp_path, seed):
    """Rank 1 counts on: its own numbers say which device it drives, even when ranks come in another order."""
    events = merged("by rank")
    events += [call(900, 4, 77, pid=101, tid=101), kernel(940, 5, 77, device=1)]
    events += [call(950, 4, 78, pid=100, tid=100), kernel(970, 5, 78, device=0)]
    random.Random(seed).shuffle(events)
    trace = read_events(tmp_path, *events)
    for row in trace.gpu_rows:
        assert trace.event(trace.launch_of[row]).pid == 100 + trace.device_of(row)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_two_processes_that_drive_one_device(tmp_path, layout):
    """One vote each: the process that was there first wins, whatever order its lanes are numbered in."""
    for pids in ([101, "b"], ["b", 101]):
        events = [call(100 * i, 4, i + 1, pid=pid, tid=pid) for i, pid in enumerate(pids)]
        events += [kernel(100 * i + 20, 5, i + 1) for i in range(2)]
        events += [
            call(400, 4, 9, pid=pids[0], tid="x"),
            call(405, 4, 9, pid=pids[1], tid="x"),
            kernel(420, 5, 9),
        ]
        trace = read_events(tmp_path, *events, layout=layout)
        assert trace.event(trace.launch_of[trace.gpu_rows[-1]]).pid == pids[0]


def test_one_process_that_drives_two_devices(tmp_path):
    """Reused numbers of one process: the device says nothing, the time does."""
    events = [call(0, 4, 1), kernel(20, 5, 1, device=0), call(50, 4, 1), kernel(80, 5, 1, device=1)]
    assert latencies(read_events(tmp_path, *events)) == [20.0, 30.0]
