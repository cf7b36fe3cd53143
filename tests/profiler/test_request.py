from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiling_series.errors import UsageError
from profiling_series.profiler import COMPILE_MODES, Request, Schedule
from profiling_series.profiler.request import from_json
from profiling_series.workloads import DTYPE_BYTES, MatmulAdd

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
    assert from_json(request_.to_json()) == request_


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


def test_a_description_without_a_field_is_refused():
    data = Request(MatmulAdd()).to_json()
    del data["seed"]
    with pytest.raises(UsageError, match="lacks 'seed'"):
        from_json(data)
