"""Footprints: occupancy, what limits it, waves; all values worked out by hand beside each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiling_series.trace.footprint import estimate_is_measured, footprint
from profiling_series.trace.sm_limits import UnknownLimit, sm_limits

H200 = {
    "name": "NVIDIA H200",
    "computeMajor": 9,
    "computeMinor": 0,
    "maxThreadsPerBlock": 1024,
    "maxThreadsPerMultiprocessor": 2048,
    "regsPerBlock": 65536,
    "regsPerMultiprocessor": 65536,
    "warpSize": 32,
    "sharedMemPerBlock": 49152,
    "sharedMemPerBlockOptin": 232448,
    "sharedMemPerMultiprocessor": 233472,
    "numSms": 132,
}
A100 = {**H200, "computeMajor": 8, "sharedMemPerMultiprocessor": 167936, "numSms": 108}
T4 = {
    **H200,
    "computeMajor": 7,
    "computeMinor": 5,
    "maxThreadsPerMultiprocessor": 1024,
    "sharedMemPerMultiprocessor": 65536,
    "numSms": 40,
}


def launch(registers: int, threads: int, shared: int = 0, blocks: int = 1, **more) -> dict:
    return {
        "registers per thread": registers,
        "shared memory": shared,
        "block": [threads, 1, 1],
        "grid": [blocks, 1, 1],
        **more,
    }


@pytest.mark.parametrize(
    ("device", "args", "blocks", "warps", "percent", "limited_by"),
    [
        # Flash attention: 255 × 32 = 8160, rounded up to 8192 registers a warp; 16384 of a partition hold
        # 2 warps, so 8 on the SM: 2 blocks of 4. Shared: 49152 + 1024 = 50176; 233472 / 50176 = 4 blocks.
        (H200, launch(255, 128, 49152), 2, 8, 12.5, ("registers",)),
        # cuDNN on the A100: 240 × 32 = 7680 registers a warp, 2 in a partition, 8 on the SM: 1 block of 8.
        (A100, launch(240, 256), 1, 8, 12.5, ("registers",)),
        # nvjet: 168 × 32 = 5376, 3 warps in a partition, 12 on the SM: 1 block of 12. Shared: 1 block too.
        (H200, launch(168, 384, 213188), 1, 12, 18.75, ("registers", "shared memory")),
        # Elementwise: 34 × 32 = 1088, rounded up to 1280; 12 in a partition, 48 warps: 12 blocks of 4.
        (H200, launch(34, 128), 12, 48, 75.0, ("registers",)),
        # 32 registers: 1024 a warp, 16 in a partition, 64 warps; and 64 warps are all the SM holds.
        (H200, launch(32, 128), 16, 64, 100.0, ("warps", "registers")),
        # Small blocks: 32 of them are all that an SM holds, whatever they leave free.
        (H200, launch(16, 32), 32, 32, 50.0, ("blocks",)),
        # Shared memory in units of 128 bytes after a reserve of 1024: 8 + 1024 -> 1152; 233472 / 1152 = 202.
        (H200, launch(0, 1024, 8), 2, 64, 100.0, ("warps",)),
        # 72000 + 1024 = 73024, to 73088; 233472 / 73088 = 3.
        (H200, launch(32, 64, 72000), 3, 6, 9.375, ("shared memory",)),
        # Turing: no reserve, units of 256, 32 warps. 8704 is 34 units; 65536 / 8704 = 7 blocks of 1 warp.
        (T4, launch(79, 32, 8704), 7, 7, 21.875, ("shared memory",)),
        # Turing holds 16 blocks.
        (T4, launch(16, 1), 16, 16, 50.0, ("blocks",)),
    ],
)
def test_occupancy_and_what_limits_it(device, args, blocks, warps, percent, limited_by):
    found = footprint(args, device)
    assert (found.blocks_per_sm, found.warps_per_sm, found.occupancy_percent) == (blocks, warps, percent)
    assert set(found.limited_by) == set(limited_by)
    assert (found.why, found.assumed) == ("", ())


def test_waves_are_blocks_of_the_launch_over_blocks_that_fit():
    args = launch(255, 128, 49152)
    assert footprint({**args, "grid": [8, 8, 16]}, H200).waves == pytest.approx(1024 / (2 * 132))
    assert footprint({**args, "grid": [8, 1, 1]}, H200).waves < 1
    assert footprint({**args, "grid": None}, H200).waves is None
    assert footprint(args, {**H200, "numSms": None}).waves is None


def test_old_traces_without_some_limits_use_the_tables_and_say_so():
    silent = ("regsPerMultiprocessor", "sharedMemPerMultiprocessor", "maxThreadsPerMultiprocessor")
    old = {key: value for key, value in H200.items() if key not in silent}
    found = footprint(launch(255, 128, 49152), old)
    assert found.occupancy_percent == 12.5
    assert set(found.assumed) == set(silent)


@pytest.mark.parametrize(
    ("args", "device", "why"),
    [
        ({"grid": [1, 1, 1], "block": [256, 1, 1]}, H200, "does not give the kernel's registers"),
        (launch(32, 128), None, "does not describe the device"),
        (launch(32, 128), {}, "does not describe the device"),
        (launch(32, 128), {**H200, "warpSize": 64, "computeMinor": 4}, "NVIDIA GPUs only"),
        (launch(32, 128), {**H200, "computeMajor": 99}, "99.0 are not known"),
        (launch(32, 128), {"name": "x"}, "are not known"),
        (launch(255, 1024), H200, "not one block fits"),  # 255 registers leave room for 8 warps, not for 32
    ],
)
def test_what_cannot_be_told_has_its_reason(args, device, why):
    found = footprint(args, device)
    assert found.occupancy_percent is None
    assert found.waves is None
    assert why in found.why


def test_the_estimate_that_reads_zero_above_48_kib_is_a_gap():
    gap = footprint(launch(168, 384, 164308, **{"est. achieved occupancy %": 0}), H200)
    assert gap.estimate_percent is None
    assert "not measured" in gap.estimate_note
    assert gap.occupancy_percent == 18.75
    told = footprint(launch(255, 128, 49152, **{"est. achieved occupancy %": 13}), H200)
    assert (told.estimate_percent, told.estimate_note) == (13.0, "")


@pytest.mark.parametrize(
    ("args", "measured"),
    [
        ({"est. achieved occupancy %": 0, "shared memory": 49153}, False),
        ({"est. achieved occupancy %": 0, "shared memory": 49152}, True),  # a tiny grid reads 0, and rightly
        ({"est. achieved occupancy %": 0, "shared memory": 0}, True),
        ({"est. achieved occupancy %": 31, "shared memory": 60000}, True),
        ({"est. achieved occupancy %": "0"}, False),
        ({"est. achieved occupancy %": float("nan")}, False),
        ({"shared memory": 0}, False),
        ({}, False),
    ],
)
def test_when_the_estimate_is_measured(args, measured):
    assert estimate_is_measured(args) is measured


def test_no_estimate_is_not_a_gap_of_the_estimate():
    assert footprint(launch(32, 128), H200).estimate_note == "the trace has no estimate"


def test_limits_of_an_unknown_device_raise_with_the_reason():
    with pytest.raises(UnknownLimit, match=r"compute capability None\.None"):
        sm_limits({"name": "?"})


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=4),
)


@given(
    st.dictionaries(st.sampled_from([*launch(1, 1), "est. achieved occupancy %"]), ODD),
    st.one_of(st.none(), st.dictionaries(st.sampled_from(sorted(H200)), ODD)),
)
def test_odd_fields_never_raise_and_never_give_nan(args, device):
    found = footprint(args, device)
    for number in (found.occupancy_percent, found.waves, found.estimate_percent):
        assert number is None or number == number
    assert found.occupancy_percent is None or 0 < found.occupancy_percent <= 100


@given(st.integers(16, 255), st.integers(1, 1024), st.integers(0, 232448))
def test_more_of_anything_never_fits_better(registers, threads, shared):
    def fit(*args):
        return footprint(launch(*args), H200).blocks_per_sm or 0

    assert fit(registers, threads, shared) >= fit(min(255, registers + 8), threads, shared)
    assert fit(registers, threads, shared) >= fit(registers, min(1024, threads + 32), shared)
    assert fit(registers, threads, shared) >= fit(registers, threads, min(232448, shared + 1024))
