"""The planted faults as they were recorded on a GPU: each named, and costly, and no healthy twin accused."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from profiling_series import recordings
from profiling_series.findings.faulttable import table
from profiling_series.results.planted import twins
from profiling_series.workloads.faults import FAULTS

LEAST_RATIO = 1.1
GPU_BOUND = 0.90


@pytest.fixture(scope="module", params=FAULTS, ids=lambda fault: fault.finding)
def pair(request):
    """The row of a planted fault; a missing recording is an error here."""
    faulty, healthy = (recordings.load(one) for one in twins(request.param))
    (row,) = table([(request.param, faulty, healthy)])
    return row


def test_the_fault_costs_a_tenth_of_the_pace(pair):
    assert pair.ratio >= LEAST_RATIO


def test_the_healthy_twin_keeps_the_gpu_busy(pair):
    assert pair.healthy.regime == "gpu-bound"
    assert pair.healthy.busy >= GPU_BOUND


def test_the_fault_is_named_with_events_that_prove_it_and_time_at_stake(pair):
    assert pair.hit is True
    assert pair.named.evidence
    assert pair.named.at_stake_us > 0


def test_the_healthy_twin_is_not_accused(pair):
    assert pair.false_alarms == ()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.finding)
def test_the_twins_were_recorded_alike(fault):
    faulty, healthy = (recordings.load(one) for one in twins(fault))
    assert replace(faulty.provenance.request, workload=healthy.workload) == healthy.provenance.request
    for name in ("gpu", "torch", "driver"):
        machines = [getattr(one.provenance.machine, name) for one in (faulty, healthy)]
        assert machines[0] == machines[1], name
    assert replace(faulty.workload, fault=False) == healthy.workload
    assert faulty.provenance.changed is healthy.provenance.changed is None  # it is the code of today
