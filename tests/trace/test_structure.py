"""How events stand to each other: nesting, steps, threads, processes; values worked out by hand."""

from __future__ import annotations

import pytest

from .build import LAYOUTS, annotation, call, event, kernel, memcpy, op, overhead, read_events, reading, step


def self_times(found) -> dict[str, float]:
    return {o["name"]: o["self_us"] for o in found["ops"]}


def total_times(found) -> dict[str, float]:
    return {o["name"]: o["total_us"] for o in found["ops"]}


def parent_of(trace, name: str) -> str | None:
    parent = trace.parent[trace.rows(name=name)[0]]
    return trace.name(parent) if parent >= 0 else None


# Nesting


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


# Steps


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


def loop(first: int, count: int, at: float, period: float, correlation: int = 100, **where) -> list[dict]:
    """Steps with an op, a launch and its kernel of a tenth of the period, one after the other."""
    found = []
    for i in range(count):
        ts = at + i * period
        found += [
            step(first + i, ts, period, **where),
            op("aten::mm", ts + 5, 10, **where),
            call(ts + 6, 4, correlation + i, **where),
            kernel(ts + 30, period / 10, correlation + i),
        ]
    return found


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


def run_of(durations: list[float]) -> list[dict]:
    events, at = [], 0.0
    for n, duration in enumerate(durations):
        events += [step(n, at, duration), op("a", at, 1), call(at + 1, 1, n), kernel(at + 5, 2, n)]
        at += duration
    return events


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


# Annotations


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
