"""Small inputs that broke readers, each with the value that is right (all numbers by hand, in µs)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from profiling_series.errors import TraceError
from profiling_series.trace import python_frames, read

CASES = Path(__file__).parent.parent / "data" / "cases"
TOLERANCE = 0.002


def reading(name: str) -> dict:
    found = read(CASES / name).as_dict()
    json.dumps(found, allow_nan=False)
    return found


def near(value):
    return pytest.approx(value, abs=TOLERANCE)


def step_times(found: dict) -> list[float]:
    return [s["dur_us"] for s in found["steps"]]


def latencies(name: str) -> list[float]:
    trace = read(CASES / name)
    rows = [r for r in trace.gpu_rows if trace.launch_of[r] >= 0]
    return [(int(trace.ts[r]) - int(trace.ts[trace.launch_of[r]])) / 1000 for r in rows]


def test_lone_backslashes_are_repaired_and_no_path_turns_into_a_line_break():
    trace = read(CASES / "01-windows-backslash.json")
    frames = [trace.name(r) for r in trace.rows(cat="python_function")]
    assert frames == [r"proj\utils\helper.py(12): run", r"proj\new_table.py(7): build"]
    assert step_times(trace.as_dict()) == near([1000.0])
    assert any("unescaped backslash" in w and "line 34" in w for w in trace.warnings)


def test_unescaped_quotes_cost_no_other_event():
    trace = read(CASES / "02-unescaped-quotes.json")
    found = trace.as_dict()
    assert step_times(found) == near([400.0])
    assert [(o["count"], o["total_us"]) for o in found["ops"]] == [(1, near(50.0))]
    assert [trace.name(r) for r in trace.rows(cat="python_function")] == [
        '{"device": "cpu", "dtype": "float32"}(12): run'
    ]
    assert any("unescaped quote" in w and "line 34" in w for w in trace.warnings)


def test_control_characters_in_a_name_are_kept_as_characters():
    trace = read(CASES / "04-control-characters.json")
    assert any("\x01" in n and "\x1b" in n for n in trace.names)


def test_a_file_cut_in_an_event_keeps_the_whole_events_and_says_where():
    found = reading("06-cut-mid-event.json")
    assert step_times(found) == near([500.0])
    assert {o["name"] for o in found["ops"]} == {"aten::mm", "aten::add"}
    assert found["kernels"][0]["total_us"] == near(100.0)
    assert found["launches"]["latency_us"]["median"] == near(20.0)
    assert found["skipped_events"] == 1
    assert any("cut short" in w for w in found["warnings"])
    assert any("line 92" in w for w in found["warnings"])


@pytest.mark.parametrize("name", ["08-empty-payload.json.gz", "09-zero-bytes.json"])
def test_empty_files_are_refused_as_empty(name):
    with pytest.raises(TraceError, match="empty") as caught:
        read(CASES / name)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["11-gzip-bytes-named.json", "11-plain-text-named.json.gz"])
def test_gzip_is_told_by_content_not_by_name(name):
    found = reading(name)
    assert found["kernels"][0]["total_us"] == near(60.0)
    assert found["launches"]["calls"] == 1
    assert found["launches"]["latency_us"]["median"] == near(20.0)


def test_the_legacy_list_form():
    found = reading("12-legacy-top-level-list.json")
    assert sum(o["total_us"] for o in found["ops"]) == near(50.0)
    assert found["devices"][0]["sum_us"] == near(12.0)
    assert found["steps"] == []


def test_an_empty_object_is_skipped_and_counted():
    found = reading("14-empty-object-event.json")
    assert found["skipped_events"] == 1
    assert found["launches"]["latency_us"]["median"] == near(20.0)


def test_an_array_that_is_never_closed():
    found = reading("15-array-not-closed.json")
    assert step_times(found) == near([500.0])
    assert found["ops"][0]["total_us"] == near(30.0)
    assert any("never closed" in w for w in found["warnings"])


def test_bandwidth_of_na_or_nan_is_no_number():
    found = reading("17-bandwidth-na-and-nan.json")
    assert found["devices"][0]["busy_us"] == near(2.0)
    assert sum(c["count"] for c in found["copies"]) == 2


def test_without_any_metadata():
    found = reading("18-trace-events-only.json")
    assert step_times(found) == near([2000.0])
    assert latencies("18-trace-events-only.json") == near([20.0, 25.0])
    assert found["devices"][0]["busy_us"] == near(300.0)
    assert found["devices"][0]["name"] is None
    assert found["distributed"] is None


@pytest.mark.parametrize("name", ["19-exported-in-warmup.json", "20-no-events.json"])
def test_an_empty_recording_gets_no_verdict_and_a_hint(name):
    found = reading(name)
    assert found["verdict"]["regime"] == "undetermined"
    assert found["steps"] == found["ops"] == found["devices"] == []
    assert any("no operator was recorded" in w and "step()" in w for w in found["warnings"])


def test_epoch_timestamps_keep_their_nanoseconds():
    found = reading("22-epoch-microseconds.json")
    own = {o["name"]: o["self_us"] for o in found["ops"]}
    assert own["aten::outer_probe"] == near(0.019)
    assert found["devices"][0]["idle_us"] == near(0.010)


def test_kernels_under_a_microsecond():
    kernel = reading("24-sub-microsecond-kernels.json")["kernels"][0]
    assert (kernel["count"], kernel["total_us"], kernel["mean_us"]) == (3, near(0.9), near(0.3))


def test_the_display_unit_is_not_the_unit():
    found = reading("25-display-unit-ns.json")
    assert step_times(found) == near([1500.0])
    assert found["kernels"][0]["total_us"] == near(1000.0)


def test_events_at_time_zero_are_set_aside():
    found = reading("27-zero-timestamps.json")
    assert found["skipped_events"] == 4
    assert (found["devices"][0]["busy_us"], found["devices"][0]["span_us"]) == (near(120.0), near(160.0))


def test_negative_durations_are_set_aside_and_counted():
    found = reading("28-negative-duration.json")
    assert found["skipped_events"] == 2
    assert found["devices"][0]["busy_us"] == found["devices"][0]["sum_us"] == near(50.0)


def test_events_without_ts_or_dur_are_skipped_and_counted():
    found = reading("30-x-event-without-dur-or-ts.json")
    assert found["skipped_events"] == 3
    assert found["kernels"][0]["total_us"] == near(50.0)
    assert found["launches"]["latency_us"]["median"] == near(20.0)


def test_frames_whose_return_was_missed_end_with_their_caller():
    trace = read(CASES / "32-python-frames-to-the-end.json")
    frames = python_frames(trace)
    assert ((frames.end - trace.ts[frames.rows]) / 1000).tolist() == near([100.0, 90.0, 50.0])


def test_cold_then_warm():
    found = reading("34-cold-then-warm.json")
    assert step_times(found) == near([640.0, 90.0, 88.0])
    assert found["annotations"][0]["dead_windows_us"] == near([230.0, 6.0, 5.0])
    assert latencies("34-cold-then-warm.json") == near([2400, 2320, 2229, 2209, 2145, 2125])
    device = found["devices"][0]
    assert (device["busy_us"], device["span_us"]) == (near(31.5), near(40.5))
    assert found["launches"]["calls"] == 6
    assert found["verdict"]["regime"] == "overhead-bound"
    assert found["flush_sync_us"] == near(2050.0)
    assert found["sync_wait_us"] == 0


def test_a_kernel_before_its_launch_is_kept_and_counted():
    found = reading("35-kernel-before-launch.json")
    assert latencies("35-kernel-before-launch.json") == near([-1.2, 7.0, 9.0])
    assert found["launches"]["latency_us"]["median"] == near(7.0)
    assert found["launches"]["negative"] == 1
    assert found["devices"][0]["busy_us"] == near(15.0)


def test_a_kernel_that_starts_inside_its_call_is_normal():
    found = reading("36-kernel-inside-launch-call.json")
    assert latencies("36-kernel-inside-launch-call.json") == near([6.0, 15.0])
    assert found["launches"]["negative"] == 0


def test_queueing_is_not_launch_overhead():
    found = reading("37-queue-depth-is-not-overhead.json")
    assert latencies("37-queue-depth-is-not-overhead.json") == near([6, 996, 1986, 2976, 3966])
    assert found["launches"]["call_time_us"] / found["launches"]["calls"] == near(4.0)
    assert found["launches"]["latency_unqueued_us"]["max"] == near(6.0)
    assert found["verdict"]["regime"] == "gpu-bound"


def test_a_graph_launch_is_charged_once():
    found = reading("38-cuda-graph-replay.json")
    launches = found["launches"]
    assert (launches["calls"], launches["matched_gpu_events"]) == (2, 8)
    assert launches["call_time_us"] == near(24.0)
    assert (launches["latency_us"]["min"], launches["latency_us"]["max"]) == (near(20.0), near(20.0))
    assert found["devices"][0]["busy_us"] == near(80.0)


def test_every_launch_name_joins_by_correlation():
    found = reading("40-every-launch-name.json")
    launches = found["launches"]
    assert (launches["calls"], launches["matched_gpu_events"], launches["unmatched_gpu_events"]) == (8, 8, 0)
    assert latencies("40-every-launch-name.json") == near([10.0] * 8)
    device = found["devices"][0]
    assert (device["kernels"], device["memcpy"], device["memset"]) == (6, 1, 1)


def test_kernels_launched_before_the_window_are_in_no_step():
    found = reading("41-kernels-launched-before-window.json")
    assert found["launches"]["unmatched_gpu_events"] == 2
    assert found["outside_steps"] == {"gpu_events": 2, "gpu_sum_us": near(100.0)}
    assert found["steps"][0]["gpu_busy_us"] == near(50.0)


def test_a_launch_without_a_kernel_leaves_the_verdict_open():
    found = reading("42-launch-without-kernel.json")
    assert found["launches"]["calls_without_gpu_event"] == 1
    assert found["verdict"]["regime"] == "undetermined"
    assert found["steps"][0]["complete"] is False
    assert found["steps"][0]["gpu_sum_us"] is None


def test_missing_correlations_never_join():
    found = reading("44-no-correlation.json")
    assert found["launches"]["matched_gpu_events"] == 0
    assert found["launches"]["latency_us"] is None
    assert found["devices"][0]["busy_us"] == near(30.0)
    assert found["steps"][0]["gpu_events"] is None


def test_the_dispatch_chain_comes_from_correlation_and_time():
    trace = read(CASES / "46-external-id-is-the-outer-op.json")
    kernel = trace.gpu_rows[0]
    call = int(trace.launch_of[kernel])
    chain = [trace.name(r) for r in [*trace.ancestors(call), call]]
    assert chain == ["record_param_comms", "nccl:_all_gather_base", "cudaLaunchKernelExC"]


def test_gpu_annotations_are_no_work_and_no_step():
    found = reading("48-gpu-user-annotation.json")
    assert step_times(found) == near([100.0])
    assert found["devices"][0]["busy_us"] == near(40.0)


def test_overlap_on_one_stream():
    device = reading("49-overlap-on-one-stream.json")["devices"][0]
    assert (device["kernels"], device["busy_us"], device["sum_us"]) == (2, near(37.952), near(40.0))


def test_ties_of_one_rounding_step_warn_of_nothing():
    found = reading("51-microsecond-ties.json")
    assert found["warnings"] == []
    assert (found["devices"][0]["busy_us"], found["devices"][0]["sum_us"]) == (near(3.0), near(4.0))


def test_two_streams_are_a_union():
    device = reading("52-two-streams-overlap.json")["devices"][0]
    assert (device["busy_us"], device["span_us"], device["sum_us"]) == (near(100.0), near(100.0), near(160.0))
    assert device["streams"] == 2


def test_sync_records_are_no_work_and_no_stream():
    trace = read(CASES / "54-cuda-sync-on-gpu-lane.json")
    device = trace.devices[0]
    assert (device["busy_us"], device["streams"]) == (near(20.0), 1)
    assert len(trace.rows(cat="cuda_sync")) == 3


def test_overheads_explain_idle_time():
    device = reading("55-profiler-overhead-lane.json")["devices"][0]
    assert (device["busy_us"], device["idle_us"]) == (near(40.0), near(1680.0))
    assert device["idle_under_overhead_us"] == near(1635.826)


def test_without_steps_none_are_invented():
    found = reading("56-no-profiler-step.json")
    assert found["steps"] == []
    assert [(a["name"], a["count"], a["total_us"]) for a in found["annotations"]] == [
        ("forward", 3, near(300.0))
    ]
    assert found["devices"][0]["busy_us"] == near(120.0)


def test_the_empty_last_step_is_left_out():
    found = reading("57-trailing-empty-step.json")
    complete = [s["dur_us"] for s in found["steps"] if s["complete"]]
    assert complete == near([1000.0, 1010.0])
    assert any("ProfilerStep#4 is empty" in w for w in found["warnings"])


def test_gpu_work_belongs_to_the_step_that_launched_it():
    found = reading("60-gpu-work-after-step-end.json")
    assert [s["gpu_sum_us"] for s in found["steps"]] == near([400.0] * 3)
    assert found["verdict"]["regime"] == "gpu-bound"
    assert found["pace_us"] == near(400.0)


def test_waiting_is_not_work():
    found = reading("61-sync-inflates-cpu.json")
    assert found["sync_wait_us"] == near(4800.0)
    assert found["verdict"]["regime"] == "gpu-bound"
    assert found["verdict"]["gpu_busy_share"] == pytest.approx(4800 / 4900)


def test_hidden_syncs_are_waits():
    found = reading("62-hidden-item-sync.json")
    assert found["sync_wait_us"] == near(2700.0)
    assert found["devices"][0]["busy_us"] == near(2736.0)


def test_rocm():
    found = reading("69-rocm.json")
    assert (found["launches"]["matched_gpu_events"], found["launches"]["calls"]) == (6, 5)
    assert latencies("69-rocm.json") == near([10, 12, 12, 12, 20, 32])
    assert found["devices"][0]["index"] == 2


def test_mtia_gets_no_verdict():
    found = reading("71-mtia.json")
    assert found["kernels"] == []
    assert found["verdict"]["regime"] == "undetermined"
    assert any("mtia_ccp_events" in w for w in found["warnings"])


def test_cpu_only():
    found = reading("72-cpu-only.json")
    assert step_times(found) == near([500.0, 480.0])
    assert found["verdict"]["regime"] == "undetermined"
    assert found["devices"] == []


def test_launches_without_any_gpu_event():
    found = reading("73-launches-but-no-gpu-events.json")
    assert found["launches"]["calls_without_gpu_event"] == 3
    assert found["verdict"]["regime"] == "undetermined"
    assert "CUPTI" in found["verdict"]["because"]
    assert found["devices"] == []


def test_huge_ids_are_exact():
    found = reading("75-huge-ids.json")
    assert found["steps"][0]["pid"] == 7168000000
    assert step_times(found) == near([100.0])


def test_only_devices_with_events_count():
    found = reading("77-sixteen-gpu-labels.json")
    assert [d["index"] for d in found["devices"]] == [0]
    assert found["devices"][0]["busy_us"] == near(40.0)


def test_backward_on_its_own_thread():
    trace = read(CASES / "79-backward-on-other-thread.json")
    assert latencies("79-backward-on-other-thread.json") == near([20.0, 30.0])
    assert trace.steps[0].gpu_busy_us == near(80.0)
    backward = [
        r
        for r in trace.rows(name="aten::mm")
        if trace.lanes[trace.lane_id[r]].tid
        != trace.lanes[trace.lane_id[trace.rows(name="aten::wait_on_main")[0]]].tid
    ]
    assert [trace.name(trace.ancestors(r)[-1]) for r in backward] == ["AddmmBackward0"]


def test_a_compiling_step_is_not_steady():
    found = reading("81-recompile-inside-a-step.json")
    assert step_times(found) == near([360.0, 1750000.0])
    assert found["pace_us"] == near(360.0)
    total = {o["name"]: o["total_us"] for o in found["ops"]}
    assert total["_compile.compile_inner (dynamo_timed)"] == near(1748000.0)


@pytest.mark.parametrize(
    ("name", "step", "gpu"),
    [
        ("83-eager.json", 70.0, 620.0),
        ("83-compiled.json", 140.0, 616.0),
        ("84-three-steps.json", 70.0, 620.0),
        ("84-five-steps.json", 70.0, 620.0),
    ],
)
def test_steps_that_are_compared_step_by_step(name, step, gpu):
    for found in reading(name)["steps"]:
        assert (found["dur_us"], found["gpu_events"], found["gpu_sum_us"]) == (near(step), 2, near(gpu))


def test_one_slow_run_moves_the_mean_and_not_the_median():
    kernel = reading("86-one-slow-kernel.json")["kernels"][0]
    assert (kernel["mean_us"], kernel["median_us"], kernel["count"]) == (near(1084.0), near(580.0), 5)


def test_events_out_of_order():
    trace = read(CASES / "87-events-out-of-order.json")
    assert latencies("87-events-out-of-order.json") == near([15.0, 15.0])
    assert step_times(trace.as_dict()) == near([100.0] * len(trace.steps))
    inner = [r for r in trace.op_rows if "inner" in trace.name(r)]
    assert inner
    assert all("outer" in trace.name(trace.parent[r]) for r in inner)


def test_an_execution_trace_is_named_as_one():
    with pytest.raises(TraceError, match=r"execution trace \(1 node\)"):
        read(CASES / "89-execution-trace-not-kineto.json")
