"""Steps, what belongs to them, and their pace; values worked out by hand."""

from __future__ import annotations

import pytest

from .build import LAYOUTS, annotation, call, kernel, op, overhead, read_events, reading, step
from .scenes import (
    loop,
    run_of,
)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_without_steps(tmp_path, layout):
    found = reading(
        tmp_path,
        annotation("forward", 0, 50),
        op("a", 5, 5),
        call(12, 2, 1),
        kernel(20, 10, 1),
        layout=layout,
    )
    assert found["steps"] == []
    assert found["pace_us"] is found["settled"] is found["sync_wait_us"] is None
    assert found["outside_steps"] == {"gpu_events": 1, "gpu_sum_us": 10.0}
    assert found["verdict"]["steps_used"] == 0
    assert "no steps" in found["verdict"]["over"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("cat", ["cpu_op", "Operator", "user_annotation"])
def test_steps_that_are_written_as_ops(tmp_path, layout, cat):
    """Steps all the same, and no ops."""
    events = [step(n, 100 * n, 100) | {"cat": cat} for n in (1, 2)] + [op("a", 110, 20), op("a", 210, 20)]
    found = reading(tmp_path, annotation("forward", 105, 50), *events, layout=layout)
    assert [s["dur_us"] for s in found["steps"]] == [100.0, 100.0]
    assert (found["cpu_ops"], [o["name"] for o in found["ops"]]) == (2, ["a"])
    assert [(a["name"], a["first_op"]) for a in found["annotations"]] == [("forward", "a")]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_periods_pace_and_steady_steps(tmp_path, layout):
    found = reading(tmp_path, *loop(3, 4, 1000, 100), layout=layout)
    assert [s["name"] for s in found["steps"]] == [f"ProfilerStep#{n}" for n in (3, 4, 5, 6)]
    assert [s["period_us"] for s in found["steps"]] == [100.0, 100.0, 100.0, None]
    assert [(s["gpu_events"], s["gpu_sum_us"], s["gpu_busy_us"]) for s in found["steps"]] == [
        (1, 10.0, 10.0)
    ] * 4
    assert found["pace_us"] == 100.0
    assert found["settled"] is True
    assert found["verdict"]["steps_used"] == 3  # the first of a run is not steady
    assert found["verdict"]["over"].startswith("ProfilerStep#4 to #6")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_empty_last_step(tmp_path, layout):
    """It is no step to count, but it ends the one before."""
    found = reading(tmp_path, *loop(1, 3, 0, 100), step(4, 300, 7), layout=layout)
    assert [s["complete"] for s in found["steps"]] == [True, True, True, False]
    assert [s["period_us"] for s in found["steps"]] == [100.0, 100.0, 100.0, None]
    assert found["verdict"]["steps_used"] == 2
    assert any("ProfilerStep#4 is empty" in w for w in found["warnings"])


def test_a_step_without_ops_in_the_middle_is_complete(tmp_path):
    events = [*loop(1, 1, 0, 100), step(2, 100, 100), *loop(3, 1, 200, 100, 200)]
    assert [s["complete"] for s in reading(tmp_path, *events)["steps"]] == [True, True, True]


def test_a_lone_step_with_nothing_in_it_is_a_step(tmp_path):
    assert [s["complete"] for s in reading(tmp_path, step(1, 0, 100))["steps"]] == [True]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_several_cycles_are_runs(tmp_path, layout):
    """#2–4, then #7–9: nothing follows #4, and the first of each run is not steady."""
    trace = read_events(tmp_path, *loop(2, 3, 0, 100), *loop(7, 3, 5000, 120, 200), layout=layout)
    found = trace.as_dict()
    assert [s["period_us"] for s in found["steps"]] == [100.0, 100.0, None, 120.0, 120.0, None]
    assert [s.run for s in trace.steps] == [0, 0, 0, 1, 1, 1]
    assert found["verdict"]["steps_used"] == 4  # #3, #4, #8, #9
    assert found["pace_us"] == 110.0  # median of 100 and 120 (#4 and #9 have no next)


def test_an_empty_step_at_the_end_of_each_cycle(tmp_path):
    events = [*loop(2, 2, 0, 100), step(4, 200, 3), *loop(7, 2, 5000, 100, 200), step(9, 5200, 3)]
    found = reading(tmp_path, *events)
    assert [s["complete"] for s in found["steps"]] == [True, True, False, True, True, False]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_several_processes_with_steps(tmp_path, layout):
    """Each process's launches are in its own steps, whatever the other does at that time."""
    one = loop(1, 3, 0, 100, 100, pid=10, tid=10)
    two = loop(1, 3, 50, 100, 200, pid=20, tid=20)
    trace = read_events(tmp_path, *one, *two, layout=layout)
    steps = trace.as_dict()["steps"]
    assert [(s["pid"], s["name"], s["gpu_events"]) for s in steps] == [
        (10, "ProfilerStep#1", 1),
        (20, "ProfilerStep#1", 1),
        (10, "ProfilerStep#2", 1),
        (20, "ProfilerStep#2", 1),
        (10, "ProfilerStep#3", 1),
        (20, "ProfilerStep#3", 1),
    ]
    for row in trace.gpu_rows:
        call_row = trace.launch_of[row]
        assert trace.steps[trace.step_index[row]].pid == trace.event(call_row).pid
    assert [s["period_us"] for s in steps] == [100.0] * 4 + [None] * 2


@pytest.mark.parametrize("layout", LAYOUTS)
def test_several_threads_with_steps(tmp_path, layout):
    """Each thread's launches are in its own steps; a thread without any is in those of the main one."""
    one = loop(1, 3, 0, 100, 100, tid=1)
    two = loop(1, 2, 50, 100, 200, tid=2)
    third = [call(120, 4, 300, tid=3), kernel(140, 1, 300)]
    trace = read_events(tmp_path, *one, *two, *third, layout=layout)
    owner = {int(trace.correlation[r]): trace.steps[trace.step_index[r]] for r in trace.gpu_rows}
    assert [(owner[k].tid, owner[k].number) for k in (100, 101, 102, 200, 201)] == [
        (1, 1),
        (1, 2),
        (1, 3),
        (2, 1),
        (2, 2),
    ]
    assert (owner[300].tid, owner[300].number) == (1, 2)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_threads_with_as_many_steps(tmp_path, layout):
    """A third thread's work goes to the thread whose steps came first, however the lanes are numbered."""
    for tids in ([1, "b"], ["b", 1]):
        events = [*loop(1, 2, 0, 100, 100, tid=tids[0]), *loop(1, 2, 50, 100, 200, tid=tids[1])]
        trace = read_events(tmp_path, *events, call(120, 4, 300, tid=3), kernel(140, 1, 300), layout=layout)
        row = trace.gpu_rows[trace.correlation[trace.gpu_rows] == 300][0]
        assert trace.steps[trace.step_index[row]].tid == tids[0]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_steps_under_another_pid(tmp_path, layout):
    """A tool put the steps under a pid of their own: the launches are theirs, and it is said."""
    steps = [step(n, 100 * n, 100, pid=0, tid="Steps") for n in (1, 2)]
    work = [call(110, 4, 1), kernel(130, 10, 1), call(210, 4, 2), kernel(230, 20, 2)]
    found = reading(tmp_path, *steps, *work, layout=layout)
    assert [s["gpu_sum_us"] for s in found["steps"]] == [10.0, 20.0]
    assert any("steps of the other process" in w for w in found["warnings"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_work_belongs_to_the_step_that_launched_it(tmp_path, layout):
    """All three kernels run after the last step has ended."""
    events = []
    for n in (1, 2, 3):
        events += [
            step(n, 100 * n, 100),
            op("a", 100 * n + 1, 9),
            call(100 * n + 2, 4, n),
            kernel(1000 * n, 50 * n, n),
        ]
    found = reading(tmp_path, *events, layout=layout)
    assert [s["gpu_sum_us"] for s in found["steps"]] == [50.0, 100.0, 150.0]
    assert found["outside_steps"]["gpu_events"] == 0
    # GPU ends: 1050, 2100, 3150; 1050 apart, where the CPU's steps start 100 apart.
    assert found["pace_us"] == 1050.0


def test_work_launched_outside_the_steps(tmp_path):
    """Before the first, between two, after the last, and without a call."""
    events = [step(2, 100, 50), step(3, 200, 50), op("a", 101, 2), op("a", 201, 2)]
    events += [
        call(50, 4, 1),
        kernel(110, 1, 1),
        call(170, 4, 2),
        kernel(210, 2, 2),
        call(260, 4, 3),
        kernel(270, 4, 3),
    ]
    events += [kernel(120, 8, 4), call(120, 4, 5), kernel(130, 16, 5)]
    found = reading(tmp_path, *events)
    assert found["outside_steps"] == {"gpu_events": 4, "gpu_sum_us": 15.0}
    assert [s["gpu_sum_us"] for s in found["steps"]] == [16.0, 0.0]


def test_busy_time_of_a_step_is_a_union_for_each_device(tmp_path):
    """Device 0: [20, 50) and [40, 60): 40; device 1: [20, 30): 10."""
    events = [step(1, 0, 100), op("a", 1, 2)]
    events += [call(5, 1, 1), call(6, 1, 2), call(7, 1, 3)]
    events += [kernel(20, 30, 1), kernel(40, 20, 2, stream=9), kernel(20, 10, 3, device=1)]
    found = reading(tmp_path, *events)["steps"][0]
    assert (found["gpu_sum_us"], found["gpu_busy_us"], found["gpu_events"]) == (60.0, 50.0, 3)


def test_overhead_inside_steps(tmp_path):
    """[90, 130) over two steps, [95, 99) within the same time."""
    found = reading(tmp_path, *loop(1, 2, 0, 100), overhead(90, 40), overhead(95, 4, "Lazy Function Loading"))
    assert [s["overhead_us"] for s in found["steps"]] == [10.0, 30.0]


def test_a_step_number_beyond_all_numbers_is_no_step(tmp_path):
    for name in (
        "ProfilerStep#" + "9" * 30,
        "ProfilerStep#",
        "ProfilerStep#-1",
        "ProfilerStep#1a",
        "xProfilerStep#1",
    ):
        found = reading(tmp_path, *loop(1, 2, 0, 100), annotation(name, 300, 10))
        assert len(found["steps"]) == 2
        assert [a["name"] for a in found["annotations"]] == [name]


# Pace and whether it has settled


@pytest.mark.parametrize(
    ("durations", "settled"),
    [
        ([500], None),
        ([500, 100], None),  # one steady step
        ([500, 100, 100], True),
        ([500, 100, 110], True),  # exactly a tenth
        ([500, 100, 111], False),
        ([500, 100, 90], True),
        ([500, 100, 89], False),
        ([500, 300, 100, 100, 100, 100, 100, 100], True),  # only the last three against the three before
        ([500, 100, 100, 100, 50, 50, 50], False),
        ([500, 100, 100, 900, 100, 100, 900], True),  # medians
    ],
)
def test_settled(tmp_path, durations, settled):
    assert reading(tmp_path, *run_of(durations))["settled"] is settled


def test_pace_is_the_slower_of_both_sides(tmp_path):
    """The CPU starts a step each 100, the GPU ends one each 150."""
    events = []
    for n in range(4):
        events += [
            step(n, 100 * n, 100),
            op("a", 100 * n, 5),
            call(100 * n + 5, 2, n),
            kernel(20 + 150 * n, 150, n),
        ]
    assert reading(tmp_path, *events)["pace_us"] == 150.0


def test_pace_leaves_out_a_step_that_compiles(tmp_path):
    """Steps of 500 (first), 100, 9000 (compiles), 100, 100."""
    events = run_of([500, 100, 9000, 100, 100])
    events.append(op("_compile.compile_inner (dynamo_timed)", 610, 8000))
    found = reading(tmp_path, *events)
    assert found["pace_us"] == 100.0
    assert found["verdict"]["steps_used"] == 3
