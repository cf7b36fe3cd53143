"""The verdict in each regime and on its thresholds; windows and shares worked out by hand.

Steps last 100 µs and begin at 0, 100, 200: the first is not steady, so the window is [100, 300) where the GPU
ends by then.
"""

from __future__ import annotations

import pytest

from .build import LAYOUTS, annotation, call, kernel, op, overhead, reading, step

LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def steps(work, count: int = 3) -> list[dict]:
    """``work(start of the step, its number)`` gives the events of each step."""
    events = []
    for n in range(count):
        events += [step(n, 100 * n, 100), op("a", 100 * n, 1), *work(100 * n, n)]
    return events


def busy(start: float, length: float):
    """One kernel a step at [start, start + length), launched 5 before and back 2 later."""
    return lambda at, n: [call(at + start - 5, 2, n), kernel(at + start, length, n)]


def verdict(tmp_path, events, **how) -> dict:
    return reading(tmp_path, *events, **how)["verdict"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("length", "share", "regime"),
    [(95, 0.95, "gpu-bound"), (90, 0.9, "gpu-bound"), (50, 0.5, "mixed"), (5, 0.05, "overhead-bound")],
)
def test_shares(tmp_path, layout, length, share, regime):
    found = verdict(tmp_path, steps(busy(5, length)), layout=layout)
    assert (found["gpu_busy_share"], found["regime"]) == (share, regime)
    assert (found["window_us"], found["steps_used"]) == (200.0, 2)
    assert found["over"] == "ProfilerStep#1 to #2 (2 steady steps)"
    assert found["gpu_work_ratio"] == share
    assert f"{100 * share:.0f} %" in found["because"]


@pytest.mark.parametrize(
    ("length", "regime"), [(90, "gpu-bound"), (89.999, "mixed"), (50, "mixed"), (49.999, "overhead-bound")]
)
def test_the_edges_of_the_shares(tmp_path, length, regime):
    assert verdict(tmp_path, steps(busy(5, length)))["regime"] == regime


@pytest.mark.parametrize("scale", [0.01, 0.07, 0.13, 1.1, 3.3, 777.7])
def test_the_edges_are_not_rounded_away(tmp_path, scale):
    """Exactly nine tenths, whatever the unit: sums are taken in whole nanoseconds."""
    events = []
    for n in range(3):
        events += [step(n, round(10 * n * scale, 3), round(10 * scale, 3))]
        events += [
            call(round(10 * n * scale, 3), 0, n),
            kernel(round((10 * n + 1) * scale, 3), round(9 * scale, 3), n),
        ]
    found = verdict(tmp_path, events)
    assert (found["gpu_busy_share"], found["regime"]) == (0.9, "gpu-bound")


def test_thresholds_are_shown(tmp_path):
    assert verdict(tmp_path, steps(busy(5, 50)))["thresholds"] == {
        "gpu_bound_share": 0.9,
        "overhead_bound_share": 0.5,
        "queued_idle_share": 0.5,
        "loader_idle_share": 0.5,
        "exposed_comm_share": 0.5,
    }


# The window


def test_the_window_ends_with_the_work_of_its_steps(tmp_path):
    """The last kernel ends at 400: 300 in all, of which [105, 195) twice and [210, 400) are busy."""
    events = steps(
        lambda at, n: [call(at + 1, 2, n), kernel(at + (10 if n == 2 else 5), 190 if n == 2 else 90, n)]
    )
    found = verdict(tmp_path, events)
    assert found["window_us"] == 300.0
    assert found["gpu_busy_share"] == pytest.approx((90 + 190) / 300)


def test_work_of_other_steps_counts_inside_the_window(tmp_path):
    """The first step's kernel runs [50, 150), none of the others: 50 of 200."""
    events = steps(lambda at, n: [call(1, 2, 0), kernel(50, 100, 0)] if n == 0 else [])
    assert verdict(tmp_path, events)["gpu_busy_share"] == 0.25


def test_a_lone_step_is_used(tmp_path):
    found = verdict(tmp_path, steps(busy(5, 95), 1))
    assert (found["regime"], found["steps_used"], found["over"]) == (
        "gpu-bound",
        1,
        "ProfilerStep#0 (1 steady step)",
    )


def test_without_steps_it_is_the_span(tmp_path):
    """Kernels [10, 40), [50, 100): 80 of 90."""
    found = verdict(
        tmp_path, [op("a", 0, 5), call(1, 2, 1), kernel(10, 30, 1), call(4, 2, 2), kernel(50, 50, 2)]
    )
    assert found["gpu_busy_share"] == pytest.approx(80 / 90)
    assert (found["window_us"], found["steps_used"], found["regime"]) == (90.0, 0, "mixed")
    assert found["over"] == "the GPU span (no steps)"
    assert found["gpu_work_ratio"] is None


def test_the_work_ratio_passes_one(tmp_path):
    """The CPU runs ahead: 10 a step, the GPU works 40 for each."""
    events = []
    for n in range(4):
        events += [step(n, 10 * n, 10), op("a", 10 * n, 1), call(10 * n + 2, 2, n), kernel(6 + 40 * n, 40, n)]
    found = verdict(tmp_path, events)
    assert (found["regime"], found["gpu_work_ratio"]) == ("gpu-bound", 4.0)
    assert found["gpu_busy_share"] == 1.0


# Idle: for the host, while queued, unexplained, under overhead


def queued(second_start: float):
    """A launched and run at once [5, 10); B launched beside it but run late: idle with work queued.

    Unqueued latency is A's, 4. With B at x: queued x − 10 a step; half of the idle of 170 is at 52.5.
    """
    return lambda at, n: [
        call(at + 1, 1, 10 * n),
        kernel(at + 5, 5, 10 * n),
        call(at + 2, 1, 10 * n + 1),
        kernel(at + second_start, 10, 10 * n + 1),
    ]


@pytest.mark.parametrize(
    ("start", "regime"), [(60, "mixed"), (52.5, "mixed"), (52.499, "overhead-bound"), (20, "overhead-bound")]
)
def test_idle_with_work_queued_is_no_overhead(tmp_path, start, regime):
    found = reading(tmp_path, *steps(queued(start)))
    device = found["devices"][0]
    assert device["queued_idle_us"] == pytest.approx(2 * (start - 10))
    assert device["host_idle_us"] == pytest.approx(170 - 2 * (start - 10))
    assert found["verdict"]["regime"] == regime
    assert found["verdict"]["gpu_busy_share"] == 0.15


def test_idle_before_work_whose_launch_is_not_known_is_unexplained(tmp_path):
    """No call for the kernels at [60, 70): the gap before them is told apart, and it is no overhead."""
    work = lambda at, n: [call(at + 1, 1, n), kernel(at + 5, 5, n), kernel(at + 60, 10, 90 + n)]  # noqa: E731
    found = reading(tmp_path, *steps(work))
    device = found["devices"][0]
    assert device["window"]["unexplained_idle_us"] == 100.0
    assert (device["queued_idle_us"], device["host_idle_us"]) == (0.0, 70.0)
    assert found["verdict"]["regime"] == "mixed"


def test_idle_until_a_late_call_returns_is_the_hosts(tmp_path):
    """The call takes 50, its kernel begins 30 into it."""
    found = reading(tmp_path, *steps(lambda at, n: [call(at + 10, 50, n), kernel(at + 40, 10, n)]))
    assert found["devices"][0]["host_idle_us"] == 180.0
    assert found["devices"][0]["queued_idle_us"] == 0.0


def test_idle_under_overhead_is_told_apart(tmp_path):
    """A buffer request [120, 150) inside the window's idle [110, 205)."""
    found = reading(tmp_path, *steps(busy(5, 5)), overhead(120, 30))
    device = found["devices"][0]
    assert device["window"]["idle_under_overhead_us"] == 30.0
    assert device["host_idle_us"] == 160.0
    assert device["window"]["idle_us"] == 190.0


# Input


def loaded(loading: float, name: str = LOADER):
    """The loader from the step's start on, then a kernel [80, 100) after a launch at 75: host idle 80."""
    return lambda at, n: [annotation(name, at, loading), call(at + 75, 2, n), kernel(at + 80, 20, n)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("loading", "regime"), [(70, "input-bound"), (40, "input-bound"), (30, "overhead-bound")]
)
def test_input_bound(tmp_path, layout, loading, regime):
    found = reading(tmp_path, *steps(loaded(loading)), layout=layout)
    assert found["devices"][0]["host_idle_us"] == 160.0
    assert found["verdict"]["regime"] == regime
    if regime == "input-bound":
        assert "data loader" in found["verdict"]["because"]


@pytest.mark.parametrize(("loading", "regime"), [(40, "input-bound"), (39.999, "overhead-bound")])
def test_the_edge_of_input_bound(tmp_path, loading, regime):
    assert verdict(tmp_path, steps(loaded(loading)))["regime"] == regime


@pytest.mark.parametrize(
    "name",
    [
        LOADER,
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
        "dataloader",
        "data_loading",
        "next(loader)",
    ],
)
@pytest.mark.parametrize("cat", ["user_annotation", "cpu_op"])
def test_loaders(tmp_path, name, cat):
    events = [e | {"cat": cat} if e["name"] == name else e for e in steps(loaded(70, name))]
    assert verdict(tmp_path, events)["regime"] == "input-bound"


def test_input_bound_beside_a_middling_share(tmp_path):
    """Busy 60 of 100, the loader awaited for all the rest."""
    work = lambda at, n: [annotation(LOADER, at, 40), call(at + 35, 2, n), kernel(at + 40, 60, n)]  # noqa: E731
    found = verdict(tmp_path, steps(work))
    assert (found["regime"], found["gpu_busy_share"]) == ("input-bound", 0.6)


def test_a_loader_behind_a_busy_gpu_binds_nothing(tmp_path):
    work = lambda at, n: [annotation(LOADER, at, 100), call(at + 2, 2, n), kernel(at + 7, 93, n)]  # noqa: E731
    assert verdict(tmp_path, steps(work))["regime"] == "gpu-bound"


def test_a_loader_beside_queued_idle_binds_nothing(tmp_path):
    """The loader runs [15, 60) where work is queued: the host idle (70) is covered by 0 of it."""
    work = queued(60)
    events = steps(lambda at, n: [*work(at, n), annotation(LOADER, at + 15, 45)])
    found = reading(tmp_path, *events)
    assert found["devices"][0]["window"]["loader_idle_us"] == 0.0
    assert found["verdict"]["regime"] == "mixed"


# Communication


def communicating(exposed: float):
    """Compute [10, 50); communication [50 − 20, 50 + exposed) on another stream."""
    return lambda at, n: [
        call(at + 1, 2, 10 * n),
        kernel(at + 10, 40, 10 * n),
        call(at + 4, 2, 10 * n + 1),
        kernel(at + 30, 20 + exposed, 10 * n + 1, NCCL, stream=20),
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("exposed", "regime"), [(45, "comm-bound"), (40, "comm-bound"), (39, "mixed")])
def test_comm_bound(tmp_path, layout, exposed, regime):
    """40 exposed of 80 busy is exactly half."""
    found = reading(tmp_path, *steps(communicating(exposed)), layout=layout)
    device = found["devices"][0]
    assert (device["comm_us"], device["exposed_comm_us"]) == (3 * (20 + exposed), 3 * exposed)
    assert found["verdict"]["regime"] == regime


# Several devices


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("lengths", "share", "regime"),
    [
        ((90, 90), 0.9, "gpu-bound"),
        ((95, 5), 0.5, "mixed"),
        ((5, 5), 0.05, "overhead-bound"),
        ((95, 85), 0.9, "gpu-bound"),
    ],
)
def test_two_devices(tmp_path, layout, lengths, share, regime):
    """The sum of the unions over twice the window, and each device's own figures."""
    work = lambda at, n: [  # noqa: E731
        x
        for d, length in enumerate(lengths)
        for x in (call(at + d, 1, 10 * n + d), kernel(at + 5, length, 10 * n + d, device=d, pid=d))
    ]
    found = reading(tmp_path, *steps(work), layout=layout)
    assert found["verdict"]["gpu_busy_share"] == pytest.approx(share)
    assert found["verdict"]["regime"] == regime
    assert [d["window"]["busy_us"] for d in found["devices"]] == [2.0 * n for n in lengths]
    assert "2 devices" in found["verdict"]["because"]


# Undetermined


def test_lost_kernels(tmp_path):
    events = [*steps(busy(5, 95)), call(150, 2, 99)]
    found = verdict(tmp_path, events)
    assert found["regime"] == "undetermined"
    assert found["gpu_busy_share"] is None
    assert "1 kernel launch without a GPU event" in found["because"]


def test_no_time_in_the_window(tmp_path):
    found = verdict(tmp_path, [call(0, 1, 1), kernel(5, 0, 1)])
    assert (found["regime"], found["because"]) == ("undetermined", "the window holds no time")


def test_steps_of_no_length(tmp_path):
    found = reading(tmp_path, step(1, 0, 0), step(2, 0, 0), kernel(0, 0, 1), call(0, 0, 1))
    assert found["verdict"]["regime"] == "undetermined"


def test_nothing_at_all(tmp_path):
    found = verdict(tmp_path, [])
    assert (found["regime"], found["over"], found["window_us"]) == ("undetermined", "nothing", None)
    assert "no events" in found["because"]
