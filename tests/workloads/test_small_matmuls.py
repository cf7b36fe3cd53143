from __future__ import annotations

import pytest
from msgspec import json

from profiling_series.errors import UsageError
from profiling_series.workloads import AnyWorkload, SmallMatmuls, parameters


def test_flops_and_bytes_by_hand():
    # Three products of 2×2: 4 outputs each, of 2 multiplications and 2 additions; 3 matrices of 4 elements.
    assert SmallMatmuls(count=3, size=2).flops() == 3 * 16
    assert SmallMatmuls(count=3, size=2, dtype="fp32").bytes_moved() == 3 * 3 * 4 * 4
    assert SmallMatmuls(3, 2, "bf16", batched=True).required_bytes() == 3 * 3 * 4 * 2


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"count": 0}, "count must be at least 1, not 0"),
        ({"size": 1.5}, "size must be a whole number, not 1.5"),
        ({"dtype": "int8"}, "unknown dtype 'int8'"),
        ({"batched": "no"}, "batched must be True or False, not 'no'"),
        ({"batched": 1}, "batched must be True or False, not 1"),
    ],
)
def test_parameters_out_of_range_are_refused_in_one_line(params, told):
    with pytest.raises(UsageError) as caught:
        SmallMatmuls(**params)
    assert str(caught.value).startswith("small-matmuls: ")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_two_forms_have_names_of_their_own_and_come_back_from_json():
    loop, batch = SmallMatmuls(), SmallMatmuls(batched=True)
    assert loop.slug_parts() == (("64x64", "bf16"), ())
    assert batch.slug_parts() == (("64x64", "bf16"), ("batched",))
    assert [json.decode(json.encode(one), type=AnyWorkload) for one in (loop, batch)] == [loop, batch]


@pytest.mark.parametrize(("text", "value"), [("yes", True), ("No", False)])
def test_the_command_line_says_yes_or_no(text, value):
    assert parameters(SmallMatmuls)[-1].parse(text) is value


def test_the_command_line_takes_nothing_else():
    with pytest.raises(ValueError, match="yes or no, not 'maybe'"):
        parameters(SmallMatmuls)[-1].parse("maybe")


def test_both_forms_compute_the_same_from_the_same_data():
    torch = pytest.importorskip("torch")
    loop = SmallMatmuls(count=3, size=4, dtype="fp64").prepare("cpu", seed=1)
    batch = SmallMatmuls(count=3, size=4, dtype="fp64", batched=True).prepare("cpu", seed=1)
    parts, whole = loop(), batch()
    assert len(parts) == 3
    assert whole.shape == (3, 4, 4)
    torch.testing.assert_close(torch.stack(parts), whole)
    x, w = batch.arguments
    torch.testing.assert_close(whole, x @ w)
    assert not torch.equal(x, w)
    other = SmallMatmuls(count=3, size=4, dtype="fp64").prepare("cpu", seed=2)
    assert not torch.equal(other.arguments[0][0], loop.arguments[0][0])
