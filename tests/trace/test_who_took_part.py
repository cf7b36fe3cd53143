"""Which device, which sync and which event at time 0 are meant: values by hand, in µs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from profiling_series.trace import read


def complete(cat, name, pid, tid, ts, dur, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def reading(tmp_path: Path, events) -> dict:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": events}))
    return read(path).as_dict()


def steps_at(first: float, count: int = 3):
    """Steps of 100 µs, in each of which GPU 0 works for 95."""
    for k in range(count):
        start = first + 100 * k
        yield complete("user_annotation", f"ProfilerStep#{k + 2}", 7, 7, start, 100)
        yield complete("cuda_runtime", "cudaLaunchKernel", 7, 7, start + 1, 2, correlation=k + 1)
        yield complete("kernel", "work", 0, 7, start + 4, 95, correlation=k + 1, device=0, stream=7)


def test_a_device_that_did_nothing_in_the_window_is_not_averaged_in(tmp_path):
    copy = complete("gpu_memcpy", "Memcpy PtoP (Device -> Device)", 1, 7, 990, 2, device=1, stream=7)
    found = reading(tmp_path, [copy, *steps_at(1000)])
    # W from 1100 (the second step) to 1300; busy 1104 to 1199 and 1204 to 1299.
    assert found["verdict"]["gpu_busy_share"] == pytest.approx(190 / 200)
    assert found["verdict"]["regime"] == "gpu-bound"
    assert [d["index"] for d in found["devices"]] == [0, 1]


def test_two_devices_that_both_work_are_averaged(tmp_path):
    other = complete("kernel", "work", 1, 7, 1150, 95, device=1, stream=7)
    found = reading(tmp_path, [other, *steps_at(1000)])
    assert found["verdict"]["gpu_busy_share"] == pytest.approx((190 + 95) / 400)


@pytest.mark.parametrize("pids", [("0", "1"), (0.0, 1.0), (0, 1)])
def test_devices_are_told_apart_whatever_type_their_number_has(tmp_path, pids):
    events = [complete("kernel", "work", pid, 7, 1000 + 10 * k, 5) for k, pid in enumerate(pids)]
    found = reading(tmp_path, events)
    assert [(d["index"], d["busy_us"]) for d in found["devices"]] == [(0, 5.0), (1, 5.0)]


def test_a_sync_with_work_after_it_is_the_codes_own(tmp_path):
    launch = complete("cuda_runtime", "cudaLaunchKernel", 7, 7, 1100, 5, correlation=2)
    sync = complete("cuda_runtime", "cudaDeviceSynchronize", 7, 7, 1050, 40)
    kernel = complete("kernel", "work", 0, 7, 1110, 5, correlation=2)
    assert reading(tmp_path, [sync, launch, kernel])["flush_sync_us"] is None
    last = complete("cuda_runtime", "cudaDeviceSynchronize", 7, 7, 1200, 30)
    assert reading(tmp_path, [sync, launch, kernel, last])["flush_sync_us"] == 30.0


def test_a_trace_that_was_based_on_0_keeps_its_first_event(tmp_path):
    first = complete("cpu_op", "aten::mm", 7, 7, 0, 10)
    later = complete("cpu_op", "aten::add", 7, 7, 2_000_000, 10)
    assert reading(tmp_path, [first, later])["cpu_ops"] == 2


def test_an_event_at_0_is_set_aside_where_the_rest_is_far_away(tmp_path):
    first = complete("cpu_op", "aten::mm", 7, 7, 0, 10)
    later = complete("cpu_op", "aten::add", 7, 7, 4_100_000_000_000, 10)
    found = reading(tmp_path, [first, later])
    assert (found["cpu_ops"], found["skipped_events"]) == (1, 1)


def test_only_names_that_occur_are_asked_about(tmp_path):
    path = tmp_path / "trace.json"
    events = [complete("python_function", f"frame {k}", 7, 7, 1000 + k, 1) for k in range(50)]
    path.write_text(json.dumps({"traceEvents": [*events, complete("kernel", "work", 0, 7, 1000, 5)]}))
    trace = read(path)
    asked: list[str] = []
    trace.named(lambda name: asked.append(name), trace.gpu_rows)
    assert asked == ["work"]


@pytest.mark.parametrize(
    ("info", "right"),
    [
        ({"rank": 1, "world_size": 8}, {"rank": 1, "world_size": 8}),
        ({"rank": "1", "world_size": "8"}, {"rank": 1, "world_size": 8}),
        ({"rank": 1, "world_size": 8.0}, {"rank": 1, "world_size": 8}),
        ({"rank": 1}, {"rank": 1, "world_size": None}),
        ({"rank": True, "world_size": 8}, None),
        ({"rank": "first"}, None),
        (None, None),
    ],
)
def test_rank_and_world_size(tmp_path, info, right):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"distributedInfo": info, "traceEvents": list(steps_at(1000))}))
    assert read(path).as_dict()["distributed"] == right
