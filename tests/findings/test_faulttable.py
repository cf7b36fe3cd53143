from __future__ import annotations

import pytest

from profiling_series.findings.faulttable import as_text, table
from profiling_series.results.planted import SCHEDULE, twins
from profiling_series.workloads.faults import FAULTS

from ..trace.build import read_events
from .examples import copied, steady, waiting

BY_ID = {fault.finding: fault for fault in FAULTS}


def traces(tmp_path, **events):
    found = {}
    for name, each in events.items():
        (tmp_path / name).mkdir()
        found[name] = read_events(tmp_path / name, *each)
    return found


def test_a_fault_that_is_named_is_a_hit_and_its_cost_is_the_difference_of_the_paces(tmp_path):
    made = traces(tmp_path, faulty=waiting("item"), healthy=steady(780, period=800))
    (row,) = table([(BY_ID["hidden-sync"], made["faulty"], made["healthy"])])
    assert row.hit is True
    assert row.false_alarms == ()
    assert row.ratio == pytest.approx(1000 / 800)
    assert row.cost_a_step_us == pytest.approx(200)
    assert row.stake_a_step_us == pytest.approx(204 / 2)
    assert (row.healthy.regime, row.healthy.steps) == ("gpu-bound", 2)


def test_what_is_named_in_the_twin_is_a_false_alarm_and_what_is_not_named_no_hit(tmp_path):
    hidden = copied(("aten::masked_fill", "aten::clone", "aten::copy_"))
    made = traces(tmp_path, faulty=steady(950), healthy=hidden)
    (row,) = table([(BY_ID["hidden-sync"], made["faulty"], made["healthy"])])
    assert row.hit is False
    assert row.stake_a_step_us is None
    assert row.false_alarms == ("hidden-copy",)


def test_other_faults_in_the_faulty_twin_stand_beside(tmp_path):
    made = traces(tmp_path, faulty=waiting("item"), healthy=steady(950))
    (row,) = table([(BY_ID["hidden-copy"], made["faulty"], made["healthy"])])
    assert row.hit is False
    assert row.beside == ("hidden-sync",)


def test_what_was_not_measured_is_not_known(tmp_path):
    healthy = traces(tmp_path, healthy=steady(950))["healthy"]
    (row,) = table([(BY_ID["hidden-sync"], None, healthy)])
    assert (row.hit, row.ratio, row.cost_a_step_us) == (None, None, None)
    text = as_text([row])
    assert "not measured" in text
    assert text.splitlines()[0].startswith("fault")


def test_the_twins_are_captured_alike():
    for fault in FAULTS:
        faulty, healthy = twins(fault)
        assert (faulty.warm, faulty.compile, faulty.schedule) == (
            healthy.warm,
            healthy.compile,
            healthy.schedule,
        )
        assert faulty.schedule == SCHEDULE
        assert faulty.digest != healthy.digest
        assert faulty.key != healthy.key
