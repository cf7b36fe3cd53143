from __future__ import annotations

import pytest

from profiling_series.errors import UsageError
from profiling_series.results import Schedule


def test_totals():
    schedule = Schedule(wait=2, warmup=3, active=4, repeat=5)
    assert (schedule.cycle_steps, schedule.steps, schedule.recorded_steps) == (9, 45, 20)


def test_the_default_is_that_of_the_series():
    assert str(Schedule()) == "wait 1 + warmup 1 + active 3"
    assert Schedule().steps == 5
    assert str(Schedule(repeat=2)) == "2 × (wait 1 + warmup 1 + active 3)"


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ({"active": 0}, "active=0 never records a step"),
        ({"active": -1}, "active=-1 never records a step"),
        ({"wait": -1}, "wait must be 0 or more"),
        ({"warmup": -1}, "warmup must be 0 or more"),
        ({"repeat": 0}, "repeat=0; it must be at least 1, so that the loop ends"),
        ({"wait": 1.0}, "wait must be a whole number, not 1.0"),
        ({"active": "3"}, "active must be a whole number, not '3'"),
        ({"repeat": None}, "repeat must be a whole number, not None"),
        ({"active": True}, "active must be a whole number, not True"),
    ],
)
def test_a_schedule_that_cannot_record_is_refused(terms, told):
    with pytest.raises(UsageError) as caught:
        Schedule(**terms)
    assert told in str(caught.value)


def test_only_what_differs_is_named():
    assert Schedule().slug_parts() == ()
    assert Schedule(wait=0, active=20).slug_parts() == ("wait0", "active20")
