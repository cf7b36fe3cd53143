from __future__ import annotations

import pytest
from msgspec import json

from profiling_series.errors import UsageError
from profiling_series.workloads import WORKLOADS, AnyWorkload, MatmulAdd, get, parameters


def test_flops_and_bytes_by_hand():
    # 2×2: 4 outputs, each 2 products summed (2·2 operations) plus 1 addition = 4 · 5 = 20.
    assert MatmulAdd(size=2).flops() == 20
    assert MatmulAdd(size=2, dtype="bf16").bytes_moved() == 4 * 4 * 2
    assert MatmulAdd(size=2, dtype="fp32").required_bytes() == 5 * 4 * 4
    assert MatmulAdd(size=2, batch=3).flops() == 60
    assert MatmulAdd(size=2, dtype="fp64", batch=3).bytes_moved() == 3 * 4 * 4 * 8


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"size": 0}, "size must be at least 1, not 0"),
        ({"size": -3}, "size must be at least 1, not -3"),
        ({"size": 2.5}, "size must be a whole number, not 2.5"),
        ({"size": True}, "size must be a whole number, not True"),
        ({"size": "64"}, "size must be a whole number, not '64'"),
        ({"batch": 0}, "batch must be at least 1, not 0"),
        ({"dtype": "bfloat16"}, "unknown dtype 'bfloat16'; choose one of bf16, fp16, fp32, fp64"),
        ({"dtype": None}, "unknown dtype None"),
        ({"dtype": ["bf16"]}, "unknown dtype"),
    ],
)
def test_parameters_out_of_range_are_refused_in_one_line(params, told):
    with pytest.raises(UsageError) as caught:
        MatmulAdd(**params)
    assert told in str(caught.value)
    assert str(caught.value).startswith("matmul-add: ")
    assert "\n" not in str(caught.value)


def test_whole_numbers_of_other_types_become_ints():
    numpy = pytest.importorskip("numpy")
    assert type(MatmulAdd(size=numpy.int64(8)).params()["size"]) is int


def test_name_parts_always_hold_size_and_dtype_and_name_the_rest():
    assert MatmulAdd().slug_parts() == (("64", "bf16"), ())
    assert MatmulAdd(4096, "fp32", 64).slug_parts() == (("4096", "fp32"), ("batch64",))


def test_json_and_back():
    workload = MatmulAdd(size=5, dtype="fp16", batch=2)
    assert json.decode(json.encode(workload), type=AnyWorkload) == workload


def test_a_name_that_nobody_has_is_told_with_the_known_ones():
    with pytest.raises(UsageError, match="unknown workload 'nothing'; known: matmul-add"):
        get("nothing")


def test_no_two_workloads_share_a_name_or_a_folder():
    assert len({cls.series for cls in WORKLOADS.values()}) == len(WORKLOADS)
    assert all(WORKLOADS[cls.name] is cls for cls in WORKLOADS.values())


def test_every_parameter_has_a_help_text_for_the_command_line():
    for cls in WORKLOADS.values():
        assert [one.name for one in parameters(cls)] == list(cls().params())
        assert all(one.help for one in parameters(cls))


def test_the_command_line_reads_numbers_and_types():
    size, dtype, batch = parameters(MatmulAdd)
    assert (size.parse("64"), size.default, batch.parse("8"), batch.default) == (64, 64, 8, None)
    assert dtype.choices == ("bf16", "fp16", "fp32", "fp64")


def test_it_runs_on_every_device():
    assert MatmulAdd().unavailable("cpu") is None


@pytest.mark.parametrize("batch", [None, 3])
def test_step_computes_matmul_and_add_of_seeded_random_data(batch):
    torch = pytest.importorskip("torch")
    workload = MatmulAdd(size=4, dtype="fp64", batch=batch)
    step = workload.prepare("cpu", seed=1)
    x, w, b = step.arguments
    assert x.shape == ((4, 4) if batch is None else (3, 4, 4))
    assert x.dtype == torch.float64
    assert all((tensor != 0).all() for tensor in (x, w, b))
    torch.testing.assert_close(step(), x @ w + b)
    again, other = workload.prepare("cpu", seed=1), workload.prepare("cpu", seed=2)
    assert torch.equal(again.arguments[0], x)
    assert not torch.equal(other.arguments[0], x)
    assert not torch.equal(x, w)
