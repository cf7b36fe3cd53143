"""Other fields that are not as torch writes them today, one kind a test; values worked out by hand."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from profiling_series.trace import python_frames
from profiling_series.trace.load import columns

from .build import (
    LAYOUTS,
    call,
    compact,
    event,
    kernel,
    kineto,
    memcpy,
    memset,
    op,
    read_events,
    read_text,
    reading,
    step,
    text_of,
)
from .scenes import (
    EVENTS,
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("pid", "tid", "as_pid", "as_tid"),
    [
        (7_168_000_000, 2**63 - 1, 7_168_000_000, 2**63 - 1),
        (2**64 + 1, -(2**70), 2**64 + 1, -(2**70)),
        ("rank0", "main", "rank0", "main"),
        ("100", "100", "100", "100"),
        (True, False, "True", "False"),
        (None, None, "None", "None"),
        (-1, 0, -1, 0),
        ([1], {"a": 2}, "[1]", "{'a': 2}"),
    ],
)
def test_any_pid_and_tid(tmp_path, layout, pid, tid, as_pid, as_tid):
    events = [step(1, 0, 100), op("aten::mm", 5, 20), call(10, 4, 7)]
    events = [e | {"pid": pid, "tid": tid} for e in events]
    found = read_events(tmp_path, *events, kernel(30, 50, 7), layout=layout).as_dict()
    assert json.loads(json.dumps(found)) == found
    assert (found["steps"][0]["pid"], found["steps"][0]["tid"]) == (as_pid, as_tid)
    assert found["steps"][0]["gpu_sum_us"] == 50.0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pids_of_different_types_are_different_processes(tmp_path, layout):
    """A call of "100" is in no step of 100."""
    events = [step(1, 0, 100), op("aten::mm", 5, 5, pid="100", tid="100"), call(30, 4, 7, pid=100, tid="100")]
    trace = read_events(tmp_path, *events, kernel(40, 5, 7), layout=layout)
    assert len(trace.lanes) == 4
    assert trace.step_index[trace.rows(name="aten::mm")[0]] == -1
    assert trace.step_index[trace.gpu_rows[0]] == 0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_missing_pid_tid_name_and_cat(tmp_path, layout):
    odd = op("odd", 40, 2)
    del odd["pid"], odd["tid"]
    unnamed = op("", 44, 2)
    del unnamed["name"]
    uncategorised = op("no cat", 48, 2)
    del uncategorised["cat"]
    trace = read_text(tmp_path, text_of(layout, [*EVENTS, odd, unnamed, uncategorised]))
    found = trace.as_dict()
    assert found["skipped_events"] == 0
    assert found["events"] == len(EVENTS) + 3
    assert {o["name"] for o in found["ops"]} == {"aten::mm", "odd", ""}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", [5, 1.5, True, ["a"], {"a": 1}])
def test_names_that_are_no_texts(tmp_path, layout, name):
    found = reading(tmp_path, *EVENTS, op(name, 40, 2), layout=layout)
    assert found["skipped_events"] == 0
    assert len(found["ops"]) == 2
    assert all(isinstance(o["name"], str) for o in found["ops"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_huge_numbers_in_args(tmp_path, layout):
    big = {"External id": 2**80, "address": 2**64, "Ev Idx": -(2**63) - 1}
    trace = read_events(
        tmp_path, *EVENTS, op("big", 40, 2, **big), kernel(90, 1, 8, "k", more=2**90), layout=layout
    )
    assert trace.args(trace.rows(name="big")[0]) == big
    assert trace.args(trace.rows(name="k")[0])["more"] == 2**90


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("written", "joins"),
    [
        (7, True),
        ("7", True),  # as text
        (2**40, True),
        (2**63 - 1, True),
        (0, True),
        (-1, False),
        (None, False),
        (2**63, False),
        ("seven", False),
        ([7], False),
    ],
)
def test_correlations(tmp_path, layout, written, joins):
    trace = read_events(tmp_path, call(10, 4, written), kernel(30, 50, written), layout=layout)
    found = trace.as_dict()
    assert found["launches"]["matched_gpu_events"] == int(joins)
    assert (found["launches"]["latency_us"] or {}).get("median") == (20.0 if joins else None)
    assert found["devices"][0]["busy_us"] == 50.0


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("device", "stream", "as_device", "as_stream"),
    [
        (3, 7, 3, 7),
        ("3", "7", 3, 7),
        (3, "0x10", 3, 16),
        (3, "default", 3, "default"),
        (None, 7, 0, 7),  # then the process says it
        (3, None, 3, 7),  # then the thread says it
        (None, None, 0, 7),
        (2**40, 2**50, 2**40, 2**50),
        (3, "0x" + "f" * 40, 3, "0x" + "f" * 40),
    ],
)
def test_devices_and_streams(tmp_path, layout, device, stream, as_device, as_stream):
    trace = read_events(
        tmp_path, *EVENTS[:3], kernel(30, 50, 7, device=device, stream=stream, pid=0, tid=7), layout=layout
    )
    row = trace.gpu_rows[0]
    assert (trace.device_of(row), trace.stream_of(row)) == (as_device, as_stream)
    assert [d["index"] for d in trace.devices] == [as_device]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("pid", "device"), [(3, 3), ("3", 3), ("GPU 3", 0), (None, 0), (2**70, 0)])
def test_devices_that_only_the_process_tells(tmp_path, layout, pid, device):
    trace = read_events(
        tmp_path, *EVENTS[:3], kernel(30, 50, 7, device=None, stream=None, pid=pid), layout=layout
    )
    assert trace.device_of(trace.gpu_rows[0]) == device
    assert [d["index"] for d in trace.devices] == [device]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sizes_of_copies(tmp_path, layout):
    """Summed by kind; one that is not known makes the sum unknown."""
    events = [
        memcpy(10, 1, 1, "Memcpy HtoD (Pinned -> Device)", bytes=100),
        memcpy(20, 2, 2, "Memcpy HtoD (Pinned -> Device)", bytes=28),
        memcpy(30, 3, 3, "Memcpy DtoH (Device -> Pageable)", bytes=64),
        memcpy(40, 4, 4, "Memcpy DtoH (Device -> Pageable)"),
        memset(50, 5, 5, bytes=16),
        memcpy(60, 6, 6, "Memcpy DtoD (Device -> Device)", kind="x", size=1, bytes=8),
    ]
    found = reading(tmp_path, *events, layout=layout)
    assert {(c["kind"], c["pageable"], c["bytes"], c["count"], c["total_us"]) for c in found["copies"]} == {
        ("HtoD", False, 128, 2, 3.0),
        ("DtoH", True, None, 2, 7.0),
        ("Memset", None, 16, 1, 5.0),
        ("DtoD", None, 8, 1, 6.0),
    }


def test_the_size_of_a_copy_stays_with_it_when_a_name_is_repaired(tmp_path):
    copies = [memcpy(10 * i, 1, i, "Memcpy HtoD (Pinned -> Device)", bytes=1 << i) for i in range(1, 8)]
    text = kineto(copies).replace(
        '"Memcpy HtoD (Pinned -> Device)"', r'"Memcpy HtoD (Pinned -> Device) C:\q"', 3
    )
    trace = read_text(tmp_path, text)
    size = dict(zip(trace.copy_rows.tolist(), trace.copy_bytes.tolist(), strict=True))
    assert {int(trace.correlation[row]): n for row, n in size.items()} == {i: 1 << i for i in range(1, 8)}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_more_categories_than_torch_ever_had(tmp_path, layout):
    found = reading(tmp_path, *EVENTS, *[event(f"c{i}", "x", i, 1) for i in range(400)], layout=layout)
    assert (found["events"], found["cpu_ops"], found["devices"][0]["busy_us"]) == (len(EVENTS) + 400, 1, 50.0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_categories_without_a_code_are_none(tmp_path, layout, monkeypatch):
    monkeypatch.setattr(columns, "MOST_CATS", 10)
    many = [event(f"c{i}", "x", i, 1) for i in range(30)]
    trace = read_events(tmp_path, *many, layout=layout)
    assert len(trace) == 30
    assert len(trace.cats) == 11
    assert "" in trace.cats
    assert trace.devices == []


def test_more_streams_than_16_bits_count(tmp_path):
    kernels = [kernel(10 * i, 1, i, stream=i, tid=i) for i in range(33_500)]
    found = read_events(tmp_path, *kernels).as_dict()
    assert (found["devices"][0]["streams"], found["devices"][0]["gpu_events"]) == (33_500, 33_500)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_streams_without_a_code_are_told_by_their_lane(tmp_path, layout, monkeypatch):
    monkeypatch.setattr(columns, "MOST_QUEUES", 10)
    found = reading(tmp_path, *[kernel(10 * i, 1, i, stream=i, tid=i) for i in range(30)], layout=layout)
    assert [(d["index"], d["streams"], d["gpu_events"]) for d in found["devices"]] == [(0, 30, 30)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shuffle", range(4))
def test_events_in_any_order(tmp_path, layout, shuffle):
    events = [
        step(1, 0, 100),
        op("outer", 5, 40),
        op("inner", 6, 20),
        op("same start", 6, 10),
        call(7, 4, 7),
        kernel(30, 50, 7),
        step(2, 100, 100),
        op("outer", 105, 40),
        call(107, 4, 8),
        kernel(130, 50, 8),
    ]
    random.Random(shuffle).shuffle(events)
    trace = read_events(tmp_path, *events, layout=layout)
    found = trace.as_dict()
    assert [s["gpu_sum_us"] for s in found["steps"]] == [50.0, 50.0]
    assert {o["name"]: o["self_us"] for o in found["ops"]} == {
        "outer": 56.0,
        "inner": 10.0,
        "same start": 6.0,
    }
    assert np.all(np.diff(trace.ts) >= 0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"deviceProperties": None, "distributedInfo": None},
        {"deviceProperties": "none", "distributedInfo": []},
        {"deviceProperties": [None, 5, {"name": "X"}, {"id": 0}], "distributedInfo": {"rank": "zero"}},
        {"deviceProperties": [{"id": 0, "name": 7}], "distributedInfo": {"world_size": 8}},
        {
            "deviceProperties": [{"id": "0", "name": "A"}],
        },
        {"distributedInfo": {"rank": True, "world_size": 1.5}},
        {"deviceProperties": [{"id": 0, "name": "A"}, {"id": 0, "name": "B"}]},  # which of them?
    ],
)
def test_missing_and_odd_metadata(tmp_path, layout, metadata):
    found = reading(tmp_path, *EVENTS, layout=layout, **metadata)
    assert found["devices"][0]["name"] is None
    assert found["distributed"] is None
    assert found["steps"][0]["dur_us"] == 100.0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_metadata_that_says_it(tmp_path, layout):
    info = {"backend": "nccl", "rank": 2, "world_size": 8}
    properties = [{"id": i, "name": f"GPU {i}"} for i in range(3)]
    found = reading(tmp_path, *EVENTS, layout=layout, deviceProperties=properties, distributedInfo=info)
    assert found["devices"][0]["name"] == "GPU 0"
    assert found["distributed"] == {"rank": 2, "world_size": 8}


def test_a_rank_without_a_world_size(tmp_path):
    """Older torch wrote so."""
    assert reading(tmp_path, *EVENTS, distributedInfo={"rank": 3})["distributed"] == {
        "rank": 3,
        "world_size": None,
    }


@pytest.mark.parametrize("text", [kineto, compact])
def test_infinite_numbers_in_the_metadata(tmp_path, text):
    trace = read_text(tmp_path, text(EVENTS, {"a": "PLACE", "b": 2}).replace('"PLACE"', "1e999"))
    assert trace.metadata["a"] is None
    assert trace.metadata["b"] == 2


def test_args_stay_as_the_file_holds_them(tmp_path):
    args = {"Input Dims": [[2, 3], []], "a": 1.5, "b": "x", "c": None, "d": {"e": [True]}, "empty": ""}
    for layout in LAYOUTS:
        trace = read_events(tmp_path, *EVENTS, op("with", 40, 2, **args), layout=layout)
        args.pop("c", None)  # the builder leaves out what is None
        assert trace.args(trace.rows(name="with")[0]) == args
        assert trace.args(trace.rows(name="aten::mm")[0]) == {}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("ids", [[1], {"a": 1}, None, 1.5, "x"])
def test_python_frames_with_odd_ids(tmp_path, layout, ids):
    frames = [
        event("python_function", "a", 0, 90, **{"Python id": 1}),
        event("python_function", "b", 5, 900, **{"Python id": ids, "Python parent id": 1}),
        event("python_function", "c", 7, 9, **{"Python id": 3, "Python parent id": ids}),
    ]
    trace = read_events(tmp_path, *frames, layout=layout)
    found = python_frames(trace)
    assert found.parent.tolist() == [-1, 0, -1]
    assert (found.end - trace.ts[found.rows]).tolist() == [90_000, 85_000, 9_000]
