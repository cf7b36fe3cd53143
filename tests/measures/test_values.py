"""How values are spread: levels, drifts and jumps."""

from __future__ import annotations

import pytest

from profiling_series.measures import UNTOLD
from profiling_series.measures.model import median_of
from profiling_series.measures.subjects import ask

LEVELS = [100.0] * 12 + [110.0] * 8
DRIFT = [100.0 + at for at in range(20)]
STILL = [100.0, 101.0] * 10


@pytest.mark.parametrize(
    ("values", "moved", "jump"),
    [(LEVELS, True, 13), (DRIFT, True, None), (STILL, False, None), ([*LEVELS[:19], 100.0], True, None)],
)
def test_a_jump_has_two_levels_and_a_drift_many(values, moved, jump):
    found = median_of(values, "µs", "run")
    assert ask(found, "moved").value is moved
    assert ask(found, "jump").value == jump


def test_the_levels_are_those_of_the_quarters():
    found = median_of(LEVELS, "µs")
    assert (ask(found, "first_quarter").value, ask(found, "last_quarter").value) == (100.0, 110.0)
    assert ask(found, "first_quarter").unit == "µs"


@pytest.mark.parametrize("name", ["low", "high", "mean", "range", "count", "longest", "moved", "jump"])
def test_a_value_without_others_has_no_spread(name):
    assert ask(median_of([]), name) == UNTOLD
