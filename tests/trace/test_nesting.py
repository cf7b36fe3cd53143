"""Which event encloses which, and what that leaves for self and total time; values worked out by hand."""

from __future__ import annotations

import pytest

from .build import LAYOUTS, annotation, call, event, kernel, op, read_events, reading
from .scenes import (
    self_times,
    total_times,
)


def parent_of(trace, name: str) -> str | None:
    parent = trace.parent[trace.rows(name=name)[0]]
    return trace.name(parent) if parent >= 0 else None


@pytest.mark.parametrize("layout", LAYOUTS)
def test_self_and_total_time(tmp_path, layout):
    """outer 100 holds inner 30 (which holds leaf 10) and a call of 5: self 65, 20, 10."""
    trace = read_events(
        tmp_path,
        op("outer", 0, 100),
        op("inner", 10, 30),
        op("leaf", 12, 10),
        call(60, 5, 1),
        kernel(80, 1, 1),
        layout=layout,
    )
    found = trace.as_dict()
    assert self_times(found) == {"outer": 65.0, "inner": 20.0, "leaf": 10.0}
    assert total_times(found) == {"outer": 100.0, "inner": 30.0, "leaf": 10.0}
    assert parent_of(trace, "leaf") == "inner"
    assert parent_of(trace, "outer") is None
    leaf = trace.rows(name="leaf")[0]
    assert [trace.name(r) for r in trace.ancestors(leaf)] == ["outer", "inner"]
    assert [trace.name(r) for r in trace.children(trace.rows(name="outer")[0])] == [
        "inner",
        "cudaLaunchKernel",
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_op_inside_one_of_its_own_name_is_in_its_total_once(tmp_path, layout):
    """a 100 > b 80 > a 50 > a 10, and an a of 7 beside: total of a 107, self 20 + 40 + 10 + 7."""
    found = reading(
        tmp_path,
        op("a", 0, 100),
        op("b", 10, 80),
        op("a", 20, 50),
        op("a", 30, 10),
        op("a", 200, 7),
        layout=layout,
    )
    assert total_times(found) == {"a": 107.0, "b": 80.0}
    assert self_times(found) == {"a": 77.0, "b": 30.0}
    assert {o["name"]: o["count"] for o in found["ops"]} == {"a": 4, "b": 1}


def test_an_annotation_of_the_same_name_takes_nothing_from_the_op(tmp_path):
    found = reading(tmp_path, annotation("forward", 0, 100), op("forward", 10, 50))
    assert total_times(found) == {"forward": 50.0}
    assert [(a["name"], a["total_us"]) for a in found["annotations"]] == [("forward", 100.0)]


def test_an_op_of_the_same_name_far_up(tmp_path):
    """Deeper than the levels that are climbed one by one."""
    events = [op("deep", 0, 1000), *[op(f"n{i}", i + 1, 900 - 2 * i) for i in range(200)]]
    events += [op("deep", 300, 10), op("deep", 2000, 5), op("other", 3000, 5)]
    assert total_times(reading(tmp_path, *events))["deep"] == 1005.0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_child_that_overruns_its_parent_is_clamped(tmp_path, layout):
    """Rounding: the child ends 1 µs after its parent. Self times stay within the parent's 50."""
    trace = read_events(
        tmp_path, op("parent", 0, 50), op("child", 40, 11), op("grandchild", 45, 6), layout=layout
    )
    assert self_times(trace.as_dict()) == {"parent": 40.0, "child": 5.0, "grandchild": 5.0}
    assert parent_of(trace, "grandchild") == "child"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_crossing_slices(tmp_path, layout):
    """b begins in a and ends after it; c begins in the part of b that a does not cover: c is in neither."""
    trace = read_events(tmp_path, op("a", 0, 50), op("b", 30, 40), op("c", 60, 5), layout=layout)
    found = trace.as_dict()
    assert parent_of(trace, "b") == "a"
    assert parent_of(trace, "c") is None
    assert self_times(found) == {"a": 30.0, "b": 20.0, "c": 5.0}
    assert all(o["self_us"] >= 0 for o in found["ops"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unfinished_regions(tmp_path, layout):
    """Regions whose end was never seen last until the profiler stopped, beyond what encloses them."""
    trace = read_events(
        tmp_path,
        op("outer", 0, 100),
        op("never ended", 10, 990, finished=False),
        op("inside", 20, 30),
        op("later", 200, 50),
        layout=layout,
    )
    assert parent_of(trace, "never ended") == "outer"
    assert parent_of(trace, "inside") == "never ended"
    assert parent_of(trace, "later") is None
    assert self_times(trace.as_dict()) == {"outer": 10.0, "never ended": 60.0, "inside": 30.0, "later": 50.0}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_neighbours_and_equal_starts(tmp_path, layout):
    """The end is no part of an event; of two that begin at once the longer one encloses."""
    trace = read_events(
        tmp_path,
        op("left", 0, 10),
        op("right", 10, 10),
        op("short", 30, 5),
        op("long", 30, 20),
        layout=layout,
    )
    assert parent_of(trace, "right") is None
    assert parent_of(trace, "short") == "long"
    assert parent_of(trace, "long") is None


@pytest.mark.parametrize("layout", LAYOUTS)
def test_threads_nest_apart(tmp_path, layout):
    """Backward runs on its own thread while the main one waits in an op."""
    trace = read_events(
        tmp_path,
        op("wait", 0, 100),
        op("AddmmBackward0", 10, 60, tid=5),
        op("aten::mm", 20, 30, tid=5),
        call(25, 4, 1, tid=5),
        kernel(40, 20, 1),
        layout=layout,
    )
    assert parent_of(trace, "aten::mm") == "AddmmBackward0"
    assert parent_of(trace, "AddmmBackward0") is None
    assert self_times(trace.as_dict()) == {"wait": 100.0, "AddmmBackward0": 30.0, "aten::mm": 26.0}


def test_python_frames_enclose_no_op(tmp_path):
    """Frames have their own nesting: an op's self time is not theirs to take."""
    trace = read_events(
        tmp_path, op("a", 0, 50), event("python_function", "f.py(1): f", 10, 20), op("b", 12, 5)
    )
    assert self_times(trace.as_dict()) == {"a": 45.0, "b": 5.0}
