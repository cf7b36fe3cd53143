"""The GPU's side: devices, streams, what is work and what is not; values worked out by hand."""

from __future__ import annotations

import pytest

from .build import (
    LAYOUTS,
    call,
    compact,
    event,
    kernel,
    memcpy,
    op,
    overhead,
    read_events,
    read_text,
    reading,
    step,
)

# Devices and streams


@pytest.mark.parametrize("layout", LAYOUTS)
def test_several_devices_with_one_stream_number(tmp_path, layout):
    """Stream 7 of each of three devices: busy 10, 20, 30, one stream each."""
    events = [kernel(0, 10 * (d + 1), d, device=d, pid=d) for d in range(3)]
    found = reading(tmp_path, *events, layout=layout)["devices"]
    assert [(d["index"], d["busy_us"], d["streams"]) for d in found] == [
        (0, 10.0, 1),
        (1, 20.0, 1),
        (2, 30.0, 1),
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_several_streams_of_one_device(tmp_path, layout):
    """[0, 60) and [40, 100) on two streams: a union of 100, a sum of 120."""
    events = [
        kernel(0, 60, 1, stream=7, tid=7),
        kernel(40, 60, 2, stream=20, tid=20),
        memcpy(50, 10, 3, stream=7),
    ]
    device = reading(tmp_path, *events, layout=layout)["devices"][0]
    assert (device["busy_us"], device["sum_us"], device["span_us"]) == (100.0, 130.0, 100.0)
    assert (device["streams"], device["idle_us"]) == (2, 0.0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_overlap_on_one_stream(tmp_path, layout):
    """Dependent launch: the next kernel begins before the last one ends. Neither is dropped or flagged."""
    events = [kernel(10 * i, 12, i) for i in range(5)]
    found = reading(tmp_path, *events, layout=layout)
    assert (found["devices"][0]["busy_us"], found["devices"][0]["sum_us"]) == (52.0, 60.0)
    assert found["warnings"] == []
    assert found["kernels"][0]["count"] == 5


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("cat", "name"),
    [
        ("gpu_user_annotation", "ProfilerStep#1"),
        ("gpu_user_annotation", "forward"),
        ("cuda_sync", "Stream Synchronize"),
        ("cuda_sync", "Context Sync"),
        ("cuda_event", "cudaEventRecord"),
        ("cuda_profiler_range", "gemm"),
        ("Trace", "PyTorch Profiler (0)"),
        ("overhead", "Buffer Flush"),
        ("mtia_ccp_events", "pe_exe"),
        ("something new", "x"),
    ],
)
def test_what_is_no_work(tmp_path, layout, cat, name):
    """On a stream's lane or on one of their own: not busy, no stream, no kernel, no step."""
    events = [step(1, 0, 100), op("a", 1, 2), call(5, 2, 1), kernel(20, 10, 1)]
    odd = [
        event(cat, name, 15, 60, pid=0, tid=7, device=0, stream=7),
        event(cat, name, 5, 90, pid=0, tid=-1, device=0, stream=-1),
    ]
    found = reading(tmp_path, *events, *odd, layout=layout)
    device = found["devices"][0]
    assert (device["busy_us"], device["span_us"], device["streams"], device["gpu_events"]) == (
        10.0,
        10.0,
        1,
        1,
    )
    assert [k["name"] for k in found["kernels"]] == ["gemm"]
    assert [s["dur_us"] for s in found["steps"]] == [100.0]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_only_annotations_on_the_gpu(tmp_path, layout):
    found = reading(
        tmp_path,
        step(1, 0, 100),
        op("a", 1, 2),
        event("gpu_user_annotation", "x", 5, 60, pid=0, tid=7),
        layout=layout,
    )
    assert found["devices"] == []
    assert found["verdict"]["regime"] == "undetermined"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_categories_of_torch_1_8(tmp_path, layout):
    events = [
        event("Operator", "aten::mm", 0, 20),
        event("Runtime", "cudaLaunchKernel", 5, 4, correlation=1),
        kernel(20, 10, 1, cat="Kernel"),
        event("Runtime", "cudaMemcpyAsync", 30, 4, correlation=2),
        kernel(50, 5, 2, "Memcpy DtoH (Device -> Pageable)", cat="Memcpy"),
        kernel(60, 5, 3, "Memset (Device)", cat="Memset"),
    ]
    found = reading(tmp_path, *events, layout=layout)
    device = found["devices"][0]
    assert (device["kernels"], device["memcpy"], device["memset"], device["busy_us"]) == (1, 1, 1, 20.0)
    assert found["launches"]["matched_gpu_events"] == 2
    assert found["cpu_ops"] == 1


# Overhead


@pytest.mark.parametrize("layout", LAYOUTS)
def test_idle_under_overhead(tmp_path, layout):
    """Idle [10, 100); overheads [0, 40), [30, 50) and [95, 120): 40 + 5 of it."""
    events = [
        kernel(0, 10, 1),
        kernel(100, 30, 2),
        overhead(0, 40),
        overhead(30, 20, "Buffer Flush"),
        overhead(95, 25),
    ]
    device = reading(tmp_path, *events, layout=layout)["devices"][0]
    assert (device["idle_us"], device["idle_under_overhead_us"]) == (90.0, 45.0)


def test_overhead_before_the_first_kernel_but_in_a_step(tmp_path):
    """A buffer request of 80 at the start of the step, whose kernel begins at 90: the whole 80 were idle."""
    events = [step(1, 0, 200), op("a", 1, 2), overhead(5, 80), call(86, 2, 1), kernel(90, 10, 1)]
    device = reading(tmp_path, *events)["devices"][0]
    assert (device["span_us"], device["idle_us"], device["idle_under_overhead_us"]) == (10.0, 0.0, 80.0)


# Back ends


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rocm(tmp_path, layout):
    """hip calls in cuda_runtime, correlation behind other keys, stream as text, device 2."""
    launch = {"cid": 65, "kernel": "gemm"}
    events = [
        op("aten::mm", 0, 30),
        event("cuda_runtime", "hipExtModuleLaunchKernel", 5, 4, **launch, correlation=11, grid=[1, 1, 1]),
        event("cuda_runtime", "hipMemcpyWithStream", 40, 9, cid=1, correlation=12, size=64),
        event(
            "kernel",
            "Cijk_Ailk",
            20,
            10,
            pid=2,
            tid=0,
            device=2,
            stream="0x0",
            correlation=11,
            kind="Dispatch",
        ),
        event(
            "gpu_memcpy",
            "CopyHostToDevice",
            60,
            5,
            pid=2,
            tid=0,
            device=2,
            stream="0x0",
            correlation=12,
            bytes=64,
        ),
    ]
    found = reading(tmp_path, *events, layout=layout)
    assert [(d["index"], d["streams"], d["busy_us"]) for d in found["devices"]] == [(2, 1, 15.0)]
    assert found["launches"]["matched_gpu_events"] == 2
    assert (found["launches"]["latency_us"]["min"], found["launches"]["latency_us"]["max"]) == (15.0, 20.0)
    assert found["copies"][0]["bytes"] == 64


@pytest.mark.parametrize("layout", LAYOUTS)
def test_xpu(tmp_path, layout):
    events = [
        op("aten::mm", 0, 30),
        event("xpu_runtime", "urEnqueueKernelLaunch", 5, 4, correlation=11),
        event("kernel", "gemm_kernel", 20, 10, pid=0, tid=1, device=0, queue=3, correlation=11),
    ]
    found = reading(tmp_path, *events, layout=layout)
    assert found["launches"]["matched_gpu_events"] == 1
    assert found["devices"][0]["busy_us"] == 10.0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mtia(tmp_path, layout):
    events = [op("aten::mm", 0, 30), event("mtia_ccp_events", "pe_exe", 20, 100, pid=0, tid=1)]
    events.append(event("mtia_runtime", "mtiaLaunchKernel", 5, 2, correlation=1))
    found = reading(tmp_path, *events, layout=layout)
    assert found["kernels"] == found["devices"] == []
    assert found["verdict"]["regime"] == "undetermined"
    assert "MTIA" in found["verdict"]["because"]
    assert any("mtia_ccp_events" in w for w in found["warnings"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_cpu_only(tmp_path, layout):
    events = []
    for n in range(4):
        events += [step(n, 100 * n, 100), op("aten::mm", 100 * n + 10, 80)]
    found = reading(tmp_path, *events, layout=layout)
    assert found["devices"] == found["kernels"] == found["copies"] == []
    assert found["verdict"]["regime"] == "undetermined"
    assert "CPU only" in found["verdict"]["because"]
    assert found["verdict"]["gpu_busy_share"] is None
    assert [s["gpu_sum_us"] for s in found["steps"]] == [None] * 4
    assert found["pace_us"] == 100.0
    assert found["launches"]["latency_us"] is found["launches"]["latency_unqueued_us"] is None


@pytest.mark.parametrize("layout", LAYOUTS)
def test_launches_but_no_gpu_events(tmp_path, layout):
    found = reading(tmp_path, step(1, 0, 100), op("a", 1, 50), call(5, 4, 1), call(15, 4, 2), layout=layout)
    assert found["launches"]["calls_without_gpu_event"] == 2
    assert "2 kernel launches but no GPU event" in found["verdict"]["because"]
    assert found["steps"][0]["gpu_sum_us"] is None


# Impossible durations


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("bad", [2_000_000, 10**12])
def test_an_impossible_duration(tmp_path, layout, bad):
    """Five kernels of 10 on one stream, 20 apart; the second is said to last longer than all the rest."""
    events = [step(1, 0, 200), op("a", 1, 2)]
    for i in range(5):
        events += [
            call(20 * i, 2, i),
            kernel(20 * i + 5, bad if i == 1 else 10, i, "broken" if i == 1 else "gemm"),
        ]
    found = reading(tmp_path, *events, layout=layout)
    assert any("1 GPU event(s) of impossible duration" in w and "broken" in w for w in found["warnings"])
    device = found["devices"][0]
    assert device["busy_us"] == 60.0  # clipped to the next start: 20
    assert device["span_us"] == 90.0
    assert [k["name"] for k in found["kernels"]] == ["gemm"]
    assert found["steps"][0]["gpu_sum_us"] == 60.0
    assert found["launches"]["matched_gpu_events"] == 5


def test_two_impossible_durations(tmp_path):
    events = [kernel(20 * i, 10**9 if i in (1, 2) else 10, i, f"k{i}") for i in range(5)]
    found = reading(tmp_path, *events)
    assert {k["name"] for k in found["kernels"]} == {"k0", "k3", "k4"}
    assert found["devices"][0]["busy_us"] == 70.0


@pytest.mark.parametrize("duration", [1999, 2000])
def test_the_edge_of_the_impossible(tmp_path, duration):
    """A hundred times the distance to the next start, and over after all that follows."""
    events = [kernel(0, duration, 1, "long"), *[kernel(20 * i, 10, i + 1, "gemm") for i in range(1, 90)]]
    found = reading(tmp_path, *events)
    flagged = any("impossible" in w for w in found["warnings"])
    assert flagged is (duration == 2000)


def test_a_long_kernel_that_ends_before_others_is_possible(tmp_path):
    """Another begins 1 µs after it and ends later still: they ran side by side."""
    found = reading(tmp_path, kernel(0, 5000, 1, "a"), kernel(1, 5000, 2, "b"))
    assert found["warnings"] == []


def test_a_long_kernel_on_a_stream_of_its_own_is_possible(tmp_path):
    events = [kernel(0, 10**6, 1, "long", stream=9), *[kernel(20 * i, 10, i + 2) for i in range(5)]]
    found = reading(tmp_path, *events)
    assert found["warnings"] == []
    assert found["devices"][0]["busy_us"] == 10.0**6


def test_a_long_last_kernel_is_possible(tmp_path):
    found = reading(tmp_path, kernel(0, 10, 1), kernel(20, 10**7, 2, "long"))
    assert found["warnings"] == []


@pytest.mark.parametrize("known", [True, False])
def test_branches_of_a_graph_run_side_by_side(tmp_path, known):
    """One launch, recorded on one stream: a long branch beside short ones; also where no launch is known."""
    events = [call(0, 5, 5, "cudaGraphLaunch")] if known else []
    events += [kernel(10, 5000, 5, "long"), *[kernel(20 + 20 * i, 10, 5, "short") for i in range(5)]]
    found = reading(tmp_path, *events)
    assert found["warnings"] == []
    assert {k["name"]: k["total_us"] for k in found["kernels"]} == {"long": 5000.0, "short": 50.0}


# By name


@pytest.mark.parametrize("layout", LAYOUTS)
def test_kernels_by_name(tmp_path, layout):
    """Durations 1, 2, 3, 10: mean 4, median 2.5."""
    events = [kernel(100 * i, d, i, "a") for i, d in enumerate((1, 2, 3, 10))]
    events += [kernel(1000, 20, 9, "b"), memcpy(2000, 500, 10)]
    found = reading(tmp_path, *events, layout=layout)["kernels"]
    assert [k["name"] for k in found] == ["b", "a"]
    keys = ("count", "total_us", "mean_us", "median_us", "min_us", "max_us")
    assert [found[1][k] for k in keys] == [4, 16.0, 4.0, 2.5, 1.0, 10.0]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "name",
    [
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_AllGather_RING_LL",
        "RCCL_Generic",
        "void deep_ep::internode::dispatch<true>",
        "NCCL_upper",
    ],
)
def test_communication(tmp_path, layout, name):
    """comm [0, 100); compute on another stream [60, 90): 100 in all, 70 of it exposed."""
    events = [kernel(0, 100, 1, name, stream=20), kernel(60, 30, 2, "gemm", stream=7)]
    device = reading(tmp_path, *events, layout=layout)["devices"][0]
    assert (device["comm_us"], device["exposed_comm_us"]) == (100.0, 70.0)


def test_names_that_are_no_communication(tmp_path):
    events = [
        kernel(20 * i, 10, i, name)
        for i, name in enumerate(["reduce_kernel", "gather", "SendRecvLike", "incline"])
    ]
    assert reading(tmp_path, *events)["devices"][0]["comm_us"] == 0.0


def test_threads_that_launch_without_ops_are_said(tmp_path):
    events = [op("a", 0, 50), call(5, 2, 1), kernel(10, 5, 1), call(20, 2, 2, tid=9), kernel(30, 5, 2)]
    trace = read_events(tmp_path, *events)
    assert any("1 thread(s) launch work without any recorded op" in w for w in trace.as_dict()["warnings"])


def test_a_gpu_only_trace(tmp_path):
    """No host event, no correlation: 190 busy of 199."""
    found = read_text(tmp_path, compact([kernel(20 * i, 19, None, "k") for i in range(10)])).as_dict()
    assert found["devices"][0]["busy_us"] == 190.0
    assert found["verdict"]["regime"] == "gpu-bound"
    assert found["verdict"]["over"].startswith("the GPU span")
