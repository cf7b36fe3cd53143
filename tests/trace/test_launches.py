"""Launches: which calls they are, and what they are joined to; values worked out by hand."""

from __future__ import annotations

import pytest

from .build import LAYOUTS, call, kernel, memcpy, op, read_events, reading, step
from .scenes import (
    joins,
    latencies,
)

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
