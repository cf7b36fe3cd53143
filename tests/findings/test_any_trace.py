"""Whatever a trace holds, the rules read it without an error and say only what strict JSON can hold."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from profiling_series.findings import reading

from ..trace.build import annotation, call, event, kernel, memcpy, memset, op, overhead, read_events, step

NAMES = st.sampled_from(
    [
        "aten::mm", "aten::addmm", "aten::item", "aten::copy_", "aten::to", "aten::masked_fill",
        "aten::matmul",
        "_compile.compile_inner (dynamo_timed)", "Torch-Compiled Region: 0/1", "TorchDynamo Cache Lookup",
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "nccl:all_reduce",
        "## Call CompiledFxGraph f ##", "autograd::engine::evaluate_function: MmBackward0", "", "\x1b[31m",
        "Torch-Compiled Region: 0/99999999999999999999",
    ]
)  # fmt: skip
CALLS = st.sampled_from(
    [
        "cudaLaunchKernel", "cuLaunchKernelEx", "cudaMemcpyAsync", "cudaMemcpy", "cudaStreamSynchronize",
        "cudaDeviceSynchronize", "cudaGraphLaunch", "cudaMalloc",
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
        "cudaStreamBeginCapture", "cudaStreamEndCapture", "hipLaunchKernel",
    ]
)  # fmt: skip
KERNELS = st.sampled_from(
    ["ampere_sgemm_128x64_nn", "ncclDevKernel_AllReduce", "nvjet_sm90_tst_64x8_64x16_1x4_h_badd_NNT", "k", ""]
)
COPIES = st.sampled_from(
    [
        "Memcpy HtoD (Pageable -> Device)",
        "Memcpy DtoD (Device -> Device)",
        "Memcpy DtoH (Device -> Pinned)",
        "x",
    ]
)
TIMES = st.one_of(st.integers(0, 60), st.integers(0, 3000))
LENGTHS = st.one_of(st.just(0), st.integers(0, 40), st.integers(0, 2000))
IDS = st.one_of(st.none(), st.integers(0, 8))
DEVICES = st.integers(0, 1)
ODD_ARGS = st.sampled_from(
    [{}, {"grid": None, "block": "x", "registers per thread": -1}, {"shared memory": 1e30}]
)

EVENTS = st.one_of(
    st.builds(step, st.integers(0, 6), TIMES, LENGTHS),
    st.builds(op, NAMES, TIMES, LENGTHS),
    st.builds(op, NAMES, TIMES, LENGTHS, tid=st.just(7)),
    st.builds(annotation, NAMES, TIMES, LENGTHS),
    st.builds(call, TIMES, LENGTHS, IDS, CALLS),
    st.builds(
        lambda *a, odd, **m: kernel(*a, **m, **odd),
        TIMES,
        LENGTHS,
        IDS,
        KERNELS,
        device=DEVICES,
        odd=ODD_ARGS,
    ),
    st.builds(memcpy, TIMES, LENGTHS, IDS, COPIES),
    st.builds(memset, TIMES, LENGTHS, IDS),
    st.builds(
        overhead, TIMES, LENGTHS, st.sampled_from(["Activity Buffer Request", "Lazy Function Loading", "?"])
    ),
    st.builds(event, st.just("python_function"), NAMES, TIMES, LENGTHS),
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(EVENTS, max_size=40))
def test_any_mixture_of_events_is_read(tmp_path, events):
    found = reading(read_events(tmp_path, *events))
    json.dumps(found, allow_nan=False)
    assert all(finding["at_stake_us"] is None or finding["at_stake_us"] >= 0 for finding in found["findings"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(EVENTS, max_size=20),
    st.sampled_from([None, "x", [], [None], [{"id": 0}], [{"id": 0, "computeMajor": "9"}]]),
)
def test_any_device_properties_are_read(tmp_path, events, properties):
    found = reading(read_events(tmp_path, *events, deviceProperties=properties))
    json.dumps(found, allow_nan=False)
