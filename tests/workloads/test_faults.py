from __future__ import annotations

from typing import get_args

import pytest
from msgspec import json, structs

from profiling_series.errors import UsageError
from profiling_series.workloads import WORKLOADS, AnyWorkload, code_digests
from profiling_series.workloads.faults import (
    FAULTS,
    ChangingShapes,
    FaultWorkload,
    Fp32Matmuls,
    ItemSync,
    OutOfPlaceMasks,
    PageableCopy,
    StarvedInput,
    TinyKernels,
)

FAULT_WORKLOADS = get_args(FaultWorkload)
BY_NAME = {fault.faulty.name: fault for fault in FAULTS}


def test_every_fault_workload_is_registered_and_planted_once():
    assert [WORKLOADS[cls.name] for cls in FAULT_WORKLOADS] == list(FAULT_WORKLOADS)
    assert sorted(BY_NAME) == sorted(cls.name for cls in FAULT_WORKLOADS)
    assert len({fault.finding for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.faulty.name)
@pytest.mark.parametrize("tiny", [False, True])
def test_twins_differ_in_the_fault_alone(fault, tiny):
    fault = fault.tiny() if tiny else fault
    faulty, healthy = fault.faulty.params(), fault.healthy.params()
    assert (faulty.pop("fault"), healthy.pop("fault")) == (True, False)
    assert faulty == healthy
    assert type(fault.faulty) is type(fault.healthy)
    assert code_digests(fault.faulty) == code_digests(fault.healthy)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.faulty.name)
def test_full_sizes_fit_into_twenty_gigabytes(fault):
    for twin in (fault.faulty, fault.healthy):
        assert 10e6 < twin.required_bytes() <= 20e9


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.faulty.name)
def test_names_say_which_twin_it_is_and_json_gives_it_back(fault):
    assert fault.faulty.slug_parts() == (("faulty",), ())
    assert fault.healthy.slug_parts() == (("healthy",), ())
    assert json.decode(json.encode(fault.faulty), type=AnyWorkload) == fault.faulty


def test_changed_sizes_are_named():
    assert ItemSync(fault=True, depth=3).slug_parts() == (("faulty",), ("depth3",))


@pytest.mark.parametrize("cls", FAULT_WORKLOADS)
def test_parameters_out_of_range_are_refused_in_one_line(cls):
    with pytest.raises(UsageError, match=f"{cls.name}: fault must be True or False, not 'yes'"):
        cls(fault="yes")
    for field in structs.fields(cls)[1:]:
        with pytest.raises(UsageError, match=f"{cls.name}: {field.name} must be at least 1, not 0"):
            cls(**{field.name: 0})


def test_flops_by_hand():
    # depth 2, batch 3, width 5: a product is 2·3·5·5 = 150; forward 2, backward 2 + 1.
    assert ItemSync(batch=3, width=5, depth=2).flops() == 5 * 150
    assert PageableCopy(batch=3, width=5, depth=2).flops() == 2 * 150
    assert TinyKernels(batch=3, width=5, depth=2).flops() == 2 * 150
    assert StarvedInput(records=1, copies=2, width=5, depth=2).flops() == 2 * 2 * 64 * 25
    assert ChangingShapes(rows=3, width=5, depth=2).flops() == 2 * 150
    assert ChangingShapes(fault=True).flops() is None
    assert Fp32Matmuls(size=5, depth=2).flops() == 2 * 250
    # two products of (seq, d) by (d, seq) for each of 2·3 heads, as two operations a term
    assert OutOfPlaceMasks(batch=2, heads=3, seq=4, head_dim=5).flops() == 2 * 2 * 5 * 6 * 16


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def both(name):
    fault = BY_NAME[name].tiny()
    return fault.faulty.prepare("cpu", seed=3), fault.healthy.prepare("cpu", seed=3)


def test_item_sync_reads_numbers_where_the_twin_keeps_tensors(torch):
    faulty, healthy = both("item-sync")
    read, kept = faulty(), healthy()
    assert all(type(norm) is float for norm in read)
    assert all(isinstance(norm, torch.Tensor) for norm in kept)
    assert read == pytest.approx([norm.item() for norm in kept])
    assert len(read) == 2 * 2 * ItemSync.small["depth"]


def test_tiny_kernels_give_the_same_averages_one_by_one_and_at_once(torch):
    faulty, healthy = both("tiny-kernels")
    before = [tensor.clone() for tensor in faulty.arguments[2]]
    torch.testing.assert_close(faulty(), healthy())
    for one, other, old in zip(faulty.arguments[2], healthy.arguments[2], before, strict=True):
        torch.testing.assert_close(one, other)
        assert not torch.equal(one, old)
        assert one.max() <= 1


def test_pageable_copy_computes_the_same_from_the_same_batch(torch):
    faulty, healthy = both("pageable-copy")
    torch.testing.assert_close(faulty(), healthy())
    assert faulty.arguments[-1] is False
    assert healthy.arguments[-1] is True


def test_masks_in_place_and_out_of_place_give_the_same(torch):
    faulty, healthy = both("out-of-place-masks")
    found = faulty()
    torch.testing.assert_close(found, healthy())
    assert torch.isfinite(found).all()
    small = OutOfPlaceMasks.small
    assert found.shape == (small["batch"], small["heads"], small["seq"], small["head_dim"])


def test_fp32_is_what_the_fault_computes_in(torch):
    faulty, healthy = both("fp32-matmuls")
    assert (faulty().dtype, healthy().dtype) == (torch.float32, torch.bfloat16)


def test_starved_input_unpacks_the_records_that_the_twin_holds(torch):
    faulty, healthy = both("starved-input")
    for _ in range(3):
        torch.testing.assert_close(faulty(), healthy())
    packed, plain = (step.arguments[0]._dataset for step in (faulty, healthy))
    assert packed.packed is not None
    assert plain.packed is None
    assert torch.equal(packed[65], plain[1])


def test_shapes_change_with_the_fault_only(torch):
    faulty, healthy = both("changing-shapes")
    rows = ChangingShapes.small["rows"]
    assert [len(faulty()) for _ in range(3)] == [rows, rows - 16, rows - 32]
    assert [len(healthy()) for _ in range(3)] == [rows] * 3
    torch.testing.assert_close(faulty(), healthy()[: rows - 48])


def test_shapes_are_compiled_one_by_one_and_never_given_up(torch, monkeypatch):
    config = pytest.importorskip("torch._dynamo.config")
    name = "recompile_limit" if hasattr(config, "recompile_limit") else "cache_size_limit"
    monkeypatch.setattr(config, name, 8)
    given = {}
    monkeypatch.setattr(torch, "compile", lambda function, **options: given.update(options) or function)
    faulty, _ = both("changing-shapes")
    assert len(faulty.compiled("default")()) == ChangingShapes.small["rows"]
    assert given == {"mode": "default", "dynamic": False}
    assert getattr(config, name) >= 14
