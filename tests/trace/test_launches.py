"""Launches: which calls they are, what they are joined to, how long it takes; values worked out by hand."""

from __future__ import annotations

import random

import pytest

from .build import LAYOUTS, call, kernel, memcpy, memset, op, read_events, reading, step

KERNEL_LAUNCHES = [
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cudaLaunchKernelExC_v11060",
    "cudaLaunchKernel_ptsz",
    "cudaLaunchCooperativeKernel",
    "cudaLaunchCooperativeKernelMultiDevice",
    "cudaGraphLaunch",
    "cudaGraphLaunch_ptsz",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cuLaunchCooperativeKernel",
    "cuGraphLaunch",
    "hipLaunchKernel",
    "hipLaunchKernelExC",
    "hipLaunchCooperativeKernel",
    "hipModuleLaunchKernel",
    "hipExtModuleLaunchKernel",
    "hipExtLaunchKernel",
    "hipGraphLaunch",
    "hipExtLaunchMultiKernelMultiDevice",
    "urEnqueueKernelLaunch",
    "urEnqueueCooperativeKernelLaunchExp",
    "piEnqueueKernelLaunch",
    "zeCommandListAppendLaunchKernel",
    "zeCommandListAppendLaunchCooperativeKernel",
]
COPY_LAUNCHES = [
    "cudaMemcpyAsync",
    "cudaMemcpy",
    "cudaMemcpy2DAsync",
    "cudaMemcpyPeerAsync",
    "cudaMemsetAsync",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD32Async",
    "hipMemcpyWithStream",
    "hipMemcpyAsync",
    "hipMemsetAsync",
    "urEnqueueUSMMemcpy",
    "urEnqueueUSMFill",
    "urEnqueueMemBufferCopy",
    "piEnqueueMemBufferCopy",
    "zeCommandListAppendMemoryCopy",
    "zeCommandListAppendMemoryFill",
]
NO_LAUNCHES = [
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cuOccupancyMaxActiveClusters",
    "cudaFuncGetAttributes",
    "cudaFuncSetAttribute",
    "hipFuncGetAttributes",
    "cuKernelGetAttribute",
    "cudaLaunchHostFunc",
    "cuLaunchHostFunc",
    "hipLaunchHostFunc",
    "cudaStreamIsCapturing",
    "cudaPointerGetAttributes",
    "cudaStreamGetCaptureInfo_v2",
    "hipGetDevicePropertiesR0600",
    "hipGetDevice",
    "cudaGetDeviceProperties_v12000",
    "__cudaPushCallConfiguration",
    "cudaConfigureCall",
    "cudaMalloc",
    "cudaFree",
    "cudaMemGetInfo",
    "cudaEventRecord",
    "cudaEventQuery",
    "cudaStreamSynchronize",
    "cudaStreamWaitEvent",
    "cudaDeviceSynchronize",
    "cudaGraphInstantiate",
    "cudaGraphAddKernelNode",
    "cudaGraphAddMemcpyNode",
    "cudaGraphExecMemcpyNodeSetParams",
    "cudaGraphAddMemsetNode",
    "cudaGraphKernelNodeGetAttribute",
    "cudaGetSymbolAddress",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "hipModuleLoad",
    "urKernelSetArgPointer",
    "zeKernelCreate",
]


def latencies(trace) -> list[float]:
    """Start to start, for each GPU event that has a call."""
    rows = [r for r in trace.gpu_rows if trace.launch_of[r] >= 0]
    return [(int(trace.ts[r]) - int(trace.ts[trace.launch_of[r]])) / 1000 for r in rows]


def joins(trace) -> dict[str, str | None]:
    """Name of each GPU event → name of its call."""
    return {
        trace.name(r): trace.name(trace.launch_of[r]) if trace.launch_of[r] >= 0 else None
        for r in trace.gpu_rows
    }


# Names


@pytest.mark.parametrize("name", [*KERNEL_LAUNCHES, *COPY_LAUNCHES])
def test_names_that_launch(tmp_path, name):
    """Without its GPU event a launch is known by its name; a kernel launch then means a lost kernel."""
    found = reading(tmp_path, call(0, 4, 1), kernel(20, 5, 1), call(10, 4, 7, name=name))
    assert (found["launches"]["calls"], found["launches"]["calls_without_gpu_event"]) == (2, 1)
    assert (found["verdict"]["regime"] == "undetermined") is (name in KERNEL_LAUNCHES)


@pytest.mark.parametrize("name", NO_LAUNCHES)
def test_names_that_launch_nothing(tmp_path, name):
    found = reading(tmp_path, call(0, 4, 1), kernel(20, 5, 1), call(10, 4, 7, name=name))
    assert (found["launches"]["calls"], found["launches"]["calls_without_gpu_event"]) == (1, 0)
    assert found["verdict"]["regime"] != "undetermined"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("cat", ["cuda_runtime", "cuda_driver", "xpu_runtime", "xpu_driver", "Runtime"])
def test_correlation_joins_whatever_the_name(tmp_path, layout, cat):
    names = [*KERNEL_LAUNCHES, *COPY_LAUNCHES, *NO_LAUNCHES, "somethingNew"]
    events = []
    for i, name in enumerate(names):
        events += [call(100 * i, 4, i, name=name, cat=cat), kernel(100 * i + 15, 5, i, f"by {name}")]
    trace = read_events(tmp_path, *events, layout=layout)
    assert trace.launches["calls"] == trace.launches["matched_gpu_events"] == len(names)
    assert latencies(trace) == [15.0] * len(names)
    assert joins(trace) == {f"by {name}": name for name in names}


# One to one, one to many, none


@pytest.mark.parametrize("layout", LAYOUTS)
def test_percentiles_are_linear(tmp_path, layout):
    """Latencies 10, 20, 30, 40, 100: median 30, 90th percentile 40 + 0.6 · 60 = 76."""
    events = []
    for i, latency in enumerate((40, 10, 100, 20, 30)):
        events += [call(1000 * i, 5, i), kernel(1000 * i + latency, 1, i)]
    found = reading(tmp_path, *events, layout=layout)["launches"]
    assert found["latency_us"] == {"min": 10.0, "median": 30.0, "p90": 76.0, "max": 100.0}
    assert found["latency_unqueued_us"] == found["latency_us"]
    assert found["call_time_us"] == 25.0
    assert found["negative"] == 0


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["cudaGraphLaunch", "hipGraphLaunch", "cudaLaunchKernel"])
def test_one_call_to_many_events(tmp_path, layout, name):
    """A graph of three kernels and a copy, replayed twice: two latencies, to the first kernel of each."""
    events = []
    for at, correlation in ((0, 5), (1000, 6)):
        events.append(call(at, 12, correlation, name=name))
        events += [kernel(at + 20 + 10 * k, 8, correlation, f"k{k}") for k in (2, 0, 1)]
        events.append(memcpy(at + 60, 4, correlation))
    trace = read_events(tmp_path, *events, layout=layout)
    found = trace.launches
    assert (found["calls"], found["matched_gpu_events"], found["unmatched_gpu_events"]) == (2, 8, 0)
    assert found["latency_us"] == {"min": 20.0, "median": 20.0, "p90": 20.0, "max": 20.0}
    assert found["call_time_us"] == 24.0
    assert [trace.name(r) for r in trace.gpu_of(trace.call_rows[0])][:3] == ["k0", "k1", "k2"]
    assert trace.devices[0]["busy_us"] == 56.0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_kernels_without_a_launch(tmp_path, layout):
    """Launched before the window: counted, busy, in no step, no latency."""
    events = [
        kernel(0, 5, 1),
        kernel(10, 5, 2),
        step(1, 20, 100),
        op("a", 21, 2),
        call(30, 4, 3),
        kernel(50, 5, 3),
    ]
    found = reading(tmp_path, *events, layout=layout)
    launches = found["launches"]
    assert (launches["matched_gpu_events"], launches["unmatched_gpu_events"]) == (1, 2)
    assert launches["latency_us"]["median"] == 20.0
    assert found["outside_steps"] == {"gpu_events": 2, "gpu_sum_us": 10.0}
    assert found["devices"][0]["busy_us"] == 15.0
    assert found["verdict"]["regime"] != "undetermined"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_launches_without_a_kernel(tmp_path, layout):
    """One kernel of two was lost in step 2: that step tells nothing of the GPU, and there is no verdict."""
    events = []
    for n in (1, 2, 3):
        at = 100 * n
        events += [step(n, at, 100), op("a", at, 2), call(at + 10, 4, 10 * n), kernel(at + 30, 5, 10 * n)]
        events += [call(at + 40, 4, 10 * n + 1)] + ([kernel(at + 60, 5, 10 * n + 1)] if n != 2 else [])
    found = reading(tmp_path, *events, layout=layout)
    assert found["launches"]["calls_without_gpu_event"] == 1
    assert [s["complete"] for s in found["steps"]] == [True, False, True]
    assert [s["gpu_sum_us"] for s in found["steps"]] == [10.0, None, 10.0]
    assert found["verdict"]["regime"] == "undetermined"
    assert "1 kernel launch without a GPU event" in found["verdict"]["because"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_kernels_of_the_window_lost(tmp_path, layout):
    """The GPU's events are those launched before it: nothing is joined, and still kernels are missing."""
    events = [kernel(0, 5, 1), kernel(10, 5, 2), call(30, 4, 3), call(40, 4, 4)]
    assert reading(tmp_path, *events, layout=layout)["verdict"]["regime"] == "undetermined"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies_and_memsets_without_a_record_are_no_lost_kernels(tmp_path, layout):
    events = [
        call(0, 4, 1),
        kernel(20, 5, 1),
        call(30, 4, 2, "cudaMemcpyAsync"),
        call(40, 4, 3, "cudaMemsetAsync"),
    ]
    found = reading(tmp_path, *events, layout=layout)
    assert found["launches"]["calls_without_gpu_event"] == 2
    assert found["verdict"]["regime"] != "undetermined"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("missing", [None, -1])
def test_missing_correlations(tmp_path, layout, missing):
    """Nothing is joined, nothing is called lost, and the busy time stays right."""
    events = [
        step(1, 0, 100),
        op("a", 0, 5),
        call(10, 4, missing),
        kernel(30, 5, missing),
        call(40, 4, missing),
    ]
    found = reading(tmp_path, *events, kernel(60, 5, missing), layout=layout)
    assert found["launches"]["matched_gpu_events"] == 0
    assert found["launches"]["latency_us"] is None
    assert found["devices"][0]["busy_us"] == 10.0
    assert found["steps"][0]["gpu_sum_us"] is None
    assert found["verdict"]["regime"] != "undetermined"


def test_some_missing_correlations(tmp_path):
    """The call that carries none may belong to the kernel that carries none: no kernel is lost."""
    events = [call(10, 4, 1), kernel(30, 5, 1), call(40, 4), kernel(60, 5)]
    found = reading(tmp_path, *events)
    assert found["launches"]["matched_gpu_events"] == 1
    assert found["verdict"]["regime"] != "undetermined"


# Reused and merged


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


# Time


@pytest.mark.parametrize("layout", LAYOUTS)
def test_clock_skew_is_kept_and_counted(tmp_path, layout):
    """-2, 8, 9: the median stays, the negative one is there."""
    events = []
    for i, latency in enumerate((-2, 8, 9)):
        events += [call(100 * i + 10, 5, i), kernel(100 * i + 10 + latency, 1, i)]
    found = reading(tmp_path, *events, layout=layout)["launches"]
    assert (found["negative"], found["latency_us"]["min"], found["latency_us"]["median"]) == (1, -2.0, 8.0)


def test_a_kernel_that_starts_inside_its_call_is_no_skew(tmp_path):
    found = reading(tmp_path, call(0, 50, 1), kernel(10, 5, 1))["launches"]
    assert (found["negative"], found["latency_us"]["median"]) == (0, 10.0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_stalled_launch_call(tmp_path, layout):
    """A call of 5000 (the launch queue was full): call time, not latency of its kernel."""
    events = [call(0, 5, 1), kernel(10, 5000, 1), call(10, 5000, 2), kernel(5015, 10, 2)]
    found = reading(tmp_path, *events, layout=layout)["launches"]
    assert found["call_time_us"] == 5005.0
    assert (found["latency_us"]["min"], found["latency_us"]["max"]) == (10.0, 5005.0)
    assert found["latency_unqueued_us"]["max"] == 10.0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_queueing(tmp_path, layout):
    """Launched each 10, running 100 each: only the first finds the device idle."""
    events = []
    for i in range(5):
        events += [call(10 * i, 4, i), kernel(8 + 100 * i, 100, i)]
    found = reading(tmp_path, *events, layout=layout)["launches"]
    assert (found["latency_us"]["min"], found["latency_us"]["max"]) == (8.0, 368.0)
    assert found["latency_unqueued_us"] == {"min": 8.0, "median": 8.0, "p90": 8.0, "max": 8.0}


def test_the_edge_of_queueing(tmp_path):
    """A launch at the moment in which the device falls idle is not queued; one before is."""
    events = [
        call(0, 1, 1),
        kernel(10, 90, 1),
        call(100, 1, 2),
        kernel(105, 1, 2),
        call(105.5, 0.1, 3),
        kernel(110, 1, 3),
    ]
    found = reading(tmp_path, *events)["launches"]
    assert (found["latency_unqueued_us"]["min"], found["latency_unqueued_us"]["max"]) == (5.0, 10.0)


def test_another_device_does_not_queue(tmp_path):
    events = [call(0, 1, 1), kernel(10, 500, 1), call(20, 1, 2), kernel(27, 1, 2, device=1)]
    found = reading(tmp_path, *events)["launches"]
    assert (found["latency_unqueued_us"]["min"], found["latency_unqueued_us"]["max"]) == (7.0, 10.0)


# Capture


def capture(at: float, launches: int, first: int, *, tid: int = 100, prefix: str = "cuda") -> list[dict]:
    events = [call(at, 2, first, f"{prefix}StreamBeginCapture", tid=tid, cat="cuda_runtime")]
    events += [
        call(at + 10 * (i + 1), 4, first + i + 1, f"{prefix}LaunchKernel", tid=tid) for i in range(launches)
    ]
    return [*events, call(at + 10 * (launches + 1), 2, first + 90, f"{prefix}StreamEndCapture", tid=tid)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("prefix", ["cuda", "cu", "hip"])
def test_captured_launches_are_not_lost(tmp_path, layout, prefix):
    events = [call(0, 4, 1), kernel(20, 5, 1), *capture(100, 5, 200, prefix=prefix)]
    events += [call(300, 4, 400, "cudaGraphLaunch"), *[kernel(320 + 10 * i, 5, 400) for i in range(5)]]
    found = reading(tmp_path, *events, layout=layout)
    assert found["launches"]["calls_without_gpu_event"] == 5
    assert found["verdict"]["regime"] != "undetermined"


@pytest.mark.parametrize("at", [95, 170])
def test_launches_beside_a_capture_are_lost(tmp_path, at):
    events = [call(0, 4, 1), kernel(20, 5, 1), *capture(100, 5, 200), call(at, 4, 300)]
    assert reading(tmp_path, *events)["verdict"]["regime"] == "undetermined"


def test_the_backward_threads_launches_are_captured_too(tmp_path):
    """Autograd launches into the capture that the main thread began; another process does not."""
    events = [call(0, 4, 1), kernel(20, 5, 1), *capture(100, 5, 200), call(125, 4, 300, tid=7)]
    assert reading(tmp_path, *events)["verdict"]["regime"] != "undetermined"
    events[-1] = call(125, 4, 300, pid=7, tid=7)
    assert reading(tmp_path, *events)["verdict"]["regime"] == "undetermined"


def test_a_capture_that_is_never_ended(tmp_path):
    events = [call(0, 4, 1), kernel(20, 5, 1), *capture(100, 5, 200)[:-1]]
    assert reading(tmp_path, *events)["verdict"]["regime"] != "undetermined"


def test_an_end_without_a_begin(tmp_path):
    """Recording began inside a capture: what follows its end is launched for real."""
    events = [call(0, 1, 9, "cudaStreamEndCapture"), call(10, 4, 1), kernel(20, 5, 1), call(30, 4, 2)]
    events += capture(100, 3, 200)
    found = reading(tmp_path, *events)
    assert "1 kernel launch without" in found["verdict"]["because"]


def test_kernels_and_copies_in_one_trace(tmp_path):
    events = [call(0, 4, 1), kernel(10, 5, 1), call(20, 4, 2, "cudaMemcpyAsync"), memcpy(30, 5, 2)]
    events += [call(40, 4, 3, "cudaMemsetAsync"), memset(50, 5, 3)]
    found = reading(tmp_path, *events)
    device = found["devices"][0]
    assert (device["kernels"], device["memcpy"], device["memset"], device["gpu_events"]) == (1, 1, 1, 3)
    assert found["launches"]["latency_us"]["median"] == 10.0
    assert [k["name"] for k in found["kernels"]] == ["gemm"]
