"""What is at stake, worked out by hand; times in µs, over the two steady steps of three."""

from __future__ import annotations

import pytest

from profiling_series.findings import RULES, idle
from profiling_series.findings.waits import BLOCKING, HIDDEN, waits
from profiling_series.trace import read

from ..trace.build import call, kernel, read_events, step
from .examples import collective, compiled, copied, launch, loader, loop, many, steady, upload, waiting
from .test_cases import CASES


def stake(trace, id):
    (found,) = RULES[id](trace)
    return found.at_stake_us


def near(value):
    return pytest.approx(value, abs=0.002)


def test_overhead_is_the_idle_time_that_waits_for_the_cpu(tmp_path):
    # Kernels run from +20 to +120 of each 1,000; the window is two whole steps.
    trace = read_events(tmp_path, *steady(100))
    assert stake(trace, "overhead-bound") == near(2 * (1000 - 100))
    assert idle.host_us(trace) == near(1800)


def test_a_wait_counts_the_idle_time_of_what_is_launched_after_it(tmp_path):
    # The item op takes 420 of the CPU. After it the GPU waits from 423 to 510 (the next launch, at 500, and
    # the usual latency of 10), and from 990 to 1,020 for the first launch of the next step.
    trace = read_events(tmp_path, *waiting("item"))
    found = waits(trace)
    assert [wait.kind for wait in found] == [HIDDEN, HIDDEN]
    assert [wait.cost for wait in found] == [420_000, 420_000]
    assert stake(trace, "hidden-sync") == near((87 + 30) + 87)


def test_a_short_wait_explains_no_more_idle_time_than_it_takes_of_the_cpu(tmp_path):
    def body(i, at):
        return [*launch(at + 10, 20), call(at + 40, 15, None, "cudaStreamSynchronize"), *launch(at + 900, 20)]

    trace = read_events(tmp_path, *loop(body))
    assert stake(trace, "explicit-sync") == near(2 * 15)


def test_a_blocking_copy_costs_its_waiting_calls_only(tmp_path):
    trace = read_events(tmp_path, *waiting("to"))
    found = waits(trace)
    assert [wait.kind for wait in found] == [BLOCKING, BLOCKING]
    assert [wait.cost for wait in found] == [400_000, 400_000]


def test_a_pageable_copy_counts_the_time_in_which_the_gpu_only_copies(tmp_path):
    # 200 of copy a step alone on the GPU, which ends at 215; the call returns at 218. Then it waits until
    # 248.5 for the kernel (launched at 240, latency 8.5), and from 950 to 1,015 for the next copy.
    trace = read_events(tmp_path, *upload("Pageable", 200))
    assert stake(trace, "pageable-copy") == near(2 * 200 + 2 * 33.5 + 65)


def test_hidden_copies_count_their_gpu_time(tmp_path):
    trace = read_events(tmp_path, *copied(("aten::masked_fill", "aten::clone", "aten::copy_")))
    assert stake(trace, "hidden-copy") == near(2 * 100)


def test_tiny_kernels_count_the_idle_time_before_them(tmp_path):
    # 120 kernels of 2, one each 12, latency 6: 10 of idle before each but the first of a step. Before that
    # one the GPU waits from the end of the last (30 + 12·119 + 6 + 2 = 1,466) to 1,536, 36 into the next
    # step: 70; in the first steady step from its start, 36.
    trace = read_events(tmp_path, *many(2, 12))
    assert stake(trace, "many-tiny-kernels") == near(2 * 119 * 10 + 36 + 70)


def test_a_loader_counts_the_idle_time_under_it(tmp_path):
    # Awaited from +2 to +702; the kernel of the step before has ended by then.
    trace = read_events(tmp_path, *loader(250, 700))
    assert stake(trace, "input-starved") == near(2 * 700)


def test_a_compilation_counts_the_idle_time_during_it_wherever_the_window_lies(tmp_path):
    # 600 of compilation in the second step, in which no kernel runs.
    trace = read_events(tmp_path, *compiled(100, compiles=True))
    assert stake(trace, "recompiled-in-window") == near(600)
    assert trace.verdict["steps_used"] == 1


def test_exposed_communication_counts_what_nothing_overlaps(tmp_path):
    assert stake(read_events(tmp_path, *collective(True, 200)), "comm-exposed") == near(2 * 200)


def test_three_items_hold_back_what_follows_them():
    # Case 62: of the 3 items the first two are followed by a kernel; idle 83 µs each.
    trace = read(CASES / "62-hidden-item-sync.json")
    assert stake(trace, "hidden-sync") == near(166)


@pytest.mark.parametrize("events", [steady(100), many(2, 12), loader(250, 700), waiting("item")])
def test_gaps_add_up_to_the_readings_idle_times(tmp_path, events):
    trace = read_events(tmp_path, *events)
    (device,) = trace.devices
    assert idle.host_us(trace) == near(device["host_idle_us"])
    assert idle.queued_us(trace) == near(device["queued_idle_us"])


def test_of_two_devices_the_mean_is_at_stake_never_more_than_the_window(tmp_path):
    def body(i, at):
        first, second = 10 * i + 1, 10 * i + 2
        return [
            call(at + 10, 4, first),
            kernel(at + 20, 500, first, device=0),
            call(at + 15, 4, second),
            kernel(at + 25, 300, second, device=1),
        ]

    trace = read_events(tmp_path, *loop(body))
    assert idle.host_us(trace) == near(sum(d["host_idle_us"] for d in trace.devices) / 2)
    assert idle.host_us(trace) == near(((2 * (1000 - 500)) + 2 * (1000 - 300)) / 2)


def test_without_a_window_nothing_is_idle(tmp_path):
    trace = read_events(tmp_path, step(2, 0, 100))
    assert idle.by_device(trace) == {}
    assert idle.host_us(trace) == 0
