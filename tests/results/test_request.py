from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import ValidationError, json
from msgspec.structs import replace

from profiling_series.errors import UsageError
from profiling_series.results import (
    AnyRequest,
    CeilingsRequest,
    Point,
    Request,
    Schedule,
    SweepRequest,
    TimingRequest,
)
from profiling_series.results.asked import COMPILE_MODES
from profiling_series.workloads import DTYPE_BYTES, MatmulAdd, SmallMatmuls

small = st.integers(1, 30)
requests = st.builds(
    Request,
    workload=st.builds(
        MatmulAdd, size=small, dtype=st.sampled_from(sorted(DTYPE_BYTES)), batch=st.none() | small
    ),
    warm=st.booleans(),
    compile=st.sampled_from([None, *COMPILE_MODES]),
    schedule=st.builds(
        Schedule, wait=st.integers(0, 3), warmup=st.integers(0, 3), active=small, repeat=st.integers(1, 3)
    ),
    seed=st.integers(0, 50),
)


@pytest.mark.parametrize(
    ("request_", "key"),
    [
        (Request(MatmulAdd(64), warm=False), "01_matmul_add/64_bf16_cold_eager"),
        (Request(MatmulAdd(4096)), "01_matmul_add/4096_bf16_warm_eager"),
        (Request(MatmulAdd(64), compile="default"), "01_matmul_add/64_bf16_warm_compile"),
        (Request(MatmulAdd(64), compile="reduce-overhead"), "01_matmul_add/64_bf16_warm_reduce-overhead"),
        (Request(MatmulAdd(64), schedule=Schedule(active=20)), "01_matmul_add/64_bf16_warm_eager_active20"),
        (Request(MatmulAdd(64, batch=64)), "01_matmul_add/64_bf16_warm_eager_batch64"),
        (
            Request(MatmulAdd(64, "fp32", 8), False, "max-autotune", Schedule(0, 0, 20), seed=7),
            "01_matmul_add/64_fp32_cold_max-autotune_batch8_wait0_warmup0_active20_seed7",
        ),
    ],
)
def test_keys_are_the_names_of_the_series_with_every_other_field_named(request_, key):
    assert request_.key == key


@given(requests, requests)
def test_key_and_digest_tell_requests_apart(one, other):
    assert (one.key == other.key) == (one == other)
    assert (one.digest == other.digest) == (one == other)


@given(requests)
def test_json_and_back(request_):
    assert json.decode(json.encode(request_), type=AnyRequest) == request_


@given(requests)
def test_keys_are_plain_file_names(request_):
    assert set(request_.key) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-/")
    assert request_.key.count("/") == 1


def test_every_field_changes_the_digest():
    base = Request(MatmulAdd(64))
    others = [
        replace(base, workload=MatmulAdd(65)),
        replace(base, warm=False),
        replace(base, compile="default"),
        replace(base, schedule=Schedule(repeat=2)),
        replace(base, seed=1),
    ]
    assert len({request_.digest for request_ in [base, *others]}) == 6


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"workload": lambda: None}, "record_callable(fn, name)"),
        ({"workload": MatmulAdd}, "capture takes a workload"),
        ({"workload": "matmul-add"}, "capture takes a workload"),
        ({"compile": "fast"}, "unknown compile mode 'fast'; choose one of default, reduce-overhead"),
        ({"compile": True}, "unknown compile mode True"),
        ({"compile": ["default"]}, "unknown compile mode"),
        ({"schedule": {"wait": 1}}, "schedule must be a profiling_series.Schedule"),
        ({"schedule": None}, "schedule must be a profiling_series.Schedule"),
        ({"warm": "no"}, "warm must be True or False"),
        ({"seed": -1}, "seed must be from 0"),
        ({"seed": 2**63}, "seed must be from 0"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"seed": False}, "seed must be a whole number"),
    ],
)
def test_wrong_fields_are_refused_before_any_process_starts(fields, told):
    with pytest.raises(UsageError) as caught:
        Request(**{"workload": MatmulAdd(), **fields})
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "capture"}',
        '{"kind": "capture", "workload": {"name": "gone"}}',
        '{"kind": "capture", "workload": {"name": "matmul-add"}, "seed": -1}',
        '{"workload": {"name": "matmul-add"}}',
    ],
)
def test_a_description_of_nothing_that_can_be_asked_for_is_refused(text):
    with pytest.raises(ValidationError):
        json.decode(text, type=AnyRequest)


def sweep_of(*workloads, **options):
    return SweepRequest(tuple(map(Point, workloads)), **options)


@pytest.mark.parametrize(
    ("request_", "key"),
    [
        (TimingRequest(MatmulAdd(8), "default", 3, 2), "01_matmul_add/8_bf16_warm_compile_timing_seed3_run2"),
        (CeilingsRequest(("fp16",), 1), "ceilings/fp16_seed1"),
        (sweep_of(MatmulAdd(8), MatmulAdd(16)), "01_matmul_add/sweep_8-16_bf16_"),
        (
            SweepRequest((Point(MatmulAdd(8)), Point(MatmulAdd(8), "default"))),
            "01_matmul_add/sweep_8_bf16_eager-compile_",
        ),
    ],
)
def test_every_request_survives_json_and_names_its_file(request_, key):
    again = json.decode(json.encode(request_), type=AnyRequest)
    assert again == request_
    assert again.digest == request_.digest
    assert request_.key.startswith(key)


def test_the_digests_are_those_by_which_the_first_recordings_are_found():
    """Written down from recordings of 2026-11-29; a rule that changes them loses every recording."""
    assert Request(MatmulAdd(64), warm=False).digest == "68125bd00f150813"
    assert CeilingsRequest(("bf16", "fp32")).digest == "18bf24d73306a81b"
    assert TimingRequest(SmallMatmuls()).digest == "eb12889ff5e0e026"
    sizes = [2**k for k in range(6, 14)]
    swept = sweep_of(*(MatmulAdd(n, dtype) for dtype in ("bf16", "fp32") for n in sizes))
    assert swept.key == "01_matmul_add/sweep_64-8192_bf16-fp32_89c188"


def test_the_first_of_several_runs_is_the_single_capture():
    assert Request(MatmulAdd(64), run=0).digest == Request(MatmulAdd(64)).digest
    other = Request(MatmulAdd(64), run=2)
    assert other.digest != Request(MatmulAdd(64)).digest
    assert other.key == "01_matmul_add/64_bf16_warm_eager_run2"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SweepRequest(()), "at least one workload"),
        (lambda: sweep_of(MatmulAdd(8), SmallMatmuls()), "all of one kind"),
        (lambda: sweep_of(MatmulAdd(8), MatmulAdd(8)), "comes twice"),
        (lambda: SweepRequest((Point(MatmulAdd(8), "fast"),)), "unknown compile mode 'fast'"),
        (lambda: sweep_of(MatmulAdd(8), steps=9), "the first 5 of 9 steps do not count"),
        (lambda: CeilingsRequest(()), "name each dtype once"),
        (lambda: CeilingsRequest(("bf16", "bf16")), "name each dtype once"),
        (lambda: CeilingsRequest(("int8",)), "unknown dtype 'int8'"),
        (lambda: TimingRequest(MatmulAdd(8), compile="fast"), "unknown compile mode 'fast'"),
        (lambda: TimingRequest("matmul"), "takes a workload"),
        (lambda: TimingRequest(MatmulAdd(8), run=-1), "run must be from 0"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_in_one_line(make, said):
    with pytest.raises(UsageError) as caught:
        make()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
