"""Times that are not as torch writes them today, one kind a test; values worked out by hand."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from .build import (
    LAYOUTS,
    call,
    kernel,
    op,
    read_events,
    read_text,
    reading,
    text_of,
)
from .scenes import (
    EVENTS,
)

EPOCH = 1_758_000_000_123_456  # µs since 1970: float64 holds no more than quarters there


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("base", [0, 1, 5_112_532_142_554, EPOCH, 9_000_000_000_000_000])
def test_whole_microseconds_on_any_base(tmp_path, layout, base):
    found = reading(tmp_path, *EVENTS, layout=layout, base=base)
    assert found["steps"][0]["dur_us"] == 100.0
    assert found["steps"][0]["ts_us"] == float(base)
    assert found["launches"]["latency_us"]["median"] == 20.0
    assert found["devices"][0]["busy_us"] == 50.0


@pytest.mark.parametrize("layout", ["kineto", "compact"])
@pytest.mark.parametrize("base", [0, 5_112_532_142_554, EPOCH])
def test_nanoseconds_on_any_base(tmp_path, layout, base):
    """Gap of 2 ns between two kernels, child of 17 ns in an op of 19 ns."""
    events = [
        op("outer", Decimal("10.001"), Decimal("0.019")),
        op("inner", Decimal("10.002"), Decimal("0.017")),
        kernel(Decimal("20.101"), Decimal("0.333"), 1),
        kernel(Decimal("20.436"), Decimal("0.1"), 2),
    ]
    trace = read_events(tmp_path, *events, layout=layout, base=base)
    found = trace.as_dict()
    assert {o["name"]: o["self_us"] for o in found["ops"]} == {"outer": 0.002, "inner": 0.017}
    assert (found["devices"][0]["busy_us"], found["devices"][0]["idle_us"]) == (0.433, 0.002)
    assert trace.base_ns == base * 1000 + 10_001
    assert trace.ts.tolist() == [0, 1, 10_100, 10_435]
    assert trace.ts.dtype == np.int64


@pytest.mark.parametrize(
    ("ts", "dur", "ts_ns", "dur_ns"),
    [
        ('"2000.5"', '"7.25"', 2_000_500, 7_250),
        ("2e3", "7.25e0", 2_000_000, 7_250),
        ("2.0005E+3", "725e-2", 2_000_500, 7_250),
        ("2000.1234567", "7.0004", 2_000_123, 7_000),  # to the nearest nanosecond
        ("2000.0005", "7.0015", 2_000_000, 7_002),  # ties go to the even one
        ("2000.5", "7.", None, None),  # no JSON
        ("2000", "7.1", 2_000_000, 7_100),
        ("2000.10", "7.12", 2_000_100, 7_120),
        ('" 2000 "', "7", 2_000_000, 7_000),
    ],
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_ways_to_write_a_time(tmp_path, layout, ts, dur, ts_ns, dur_ns):
    text = text_of(layout, [op("first", 1000, 1), op("odd", 4321, 8765)])
    for written, new in (("4321.000", ts), ("4321", ts), ("8765.000", dur), ("8765", dur)):
        text = text.replace(written, new)
    trace = read_text(tmp_path, text)
    rows = trace.rows(name="odd")
    if ts_ns is None:
        assert (len(rows), trace.skipped_events) == (0, 1)
    else:
        assert (trace.base_ns + trace.ts[rows[0]], trace.dur[rows[0]]) == (ts_ns, dur_ns)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("unit", ["ns", "ms", "s", None])
def test_the_display_unit_changes_nothing(tmp_path, layout, unit):
    found = reading(tmp_path, *EVENTS, layout=layout, displayTimeUnit=unit)
    assert found["steps"][0]["dur_us"] == 100.0
    assert found["kernels"][0]["total_us"] == 50.0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_base_time_is_not_added(tmp_path, layout):
    assert (
        reading(tmp_path, *EVENTS, layout=layout, base=7, baseTimeNanoseconds=10**18)["steps"][0]["ts_us"]
        == 7
    )


# Durations


@pytest.mark.parametrize("layout", LAYOUTS)
def test_zero_durations_are_events(tmp_path, layout):
    """They count, take no time, and nest in what encloses them."""
    trace = read_events(
        tmp_path, *EVENTS, op("aten::zero", 16, 0), kernel(40, 0, 8, "empty"), call(12, 0, 8), layout=layout
    )
    found = trace.as_dict()
    assert trace.skipped_events == 0
    assert {k["name"]: (k["count"], k["total_us"]) for k in found["kernels"]} == {
        "gemm": (1, 50.0),
        "empty": (1, 0.0),
    }
    assert trace.name(trace.parent[trace.rows(name="aten::zero")[0]]) == "aten::mm"
    assert found["devices"][0]["busy_us"] == 50.0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_negative_durations(tmp_path, layout):
    found = reading(tmp_path, *EVENTS, op("bad", 40, -5), kernel(90, -1, 8, "bad"), layout=layout)
    assert found["skipped_events"] == 2
    assert any("2 events set aside: of negative duration" in w for w in found["warnings"])
    assert (found["devices"][0]["sum_us"], found["devices"][0]["busy_us"]) == (50.0, 50.0)
    assert [o["name"] for o in found["ops"]] == ["aten::mm"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_missing_times(tmp_path, layout):
    odd = [op(f"odd{i}", 41, 42) for i in range(6)]
    del odd[0]["ts"], odd[1]["dur"], odd[2]["ts"], odd[2]["dur"]
    odd[3]["ts"], odd[4]["dur"] = None, None
    text = text_of(layout, [*EVENTS, *odd])
    trace = read_text(tmp_path, text)
    assert trace.skipped_events == 5
    assert any("5 events skipped: broken or unusable (without ts or dur)" in w for w in trace.warnings)
    assert {trace.name(r) for r in trace.op_rows} == {"aten::mm", "odd5"}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "dur",
    [
        "18446744073709551.615",
        "9223372036854775.807",
        "99999999999999999",
        "1e30",
        "1" * 400,
        "-1" + "0" * 30,
    ],
)
def test_durations_beyond_any_clock(tmp_path, layout, dur):
    """2⁶⁴ ns and the like: a negative number that was printed as an unsigned one, not a time."""
    text = text_of(layout, [*EVENTS, op("odd", 41, 4321), kernel(90, 4321, 8, "odd")])
    trace = read_text(tmp_path, text.replace("4321.000", dur).replace("4321", dur))
    found = trace.as_dict()
    assert found["skipped_events"] == 2
    assert (found["devices"][0]["sum_us"], found["devices"][0]["busy_us"]) == (50.0, 50.0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("ts", ["-5", "-0.5", "99999999999999999999", "1e300"])
def test_starts_beyond_any_clock(tmp_path, layout, ts):
    text = text_of(layout, [*EVENTS, op("odd", 4321, 1)])
    trace = read_text(tmp_path, text.replace("4321.000", ts).replace("4321", ts))
    assert trace.skipped_events == 1
    assert "odd" not in {trace.name(r) for r in trace.op_rows}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("far", [1, 5_000, 9_000_000_000_000_000])
def test_one_event_far_from_all_others(tmp_path, layout, far):
    """It costs none of the others."""
    text = text_of(
        layout, [op("odd", far, 1), *[e | {"ts": e["ts"] + 7_000_000_000_000_000} for e in EVENTS]]
    )
    found = read_text(tmp_path, text).as_dict()
    assert found["steps"][0]["dur_us"] == 100.0
    assert found["devices"][0]["busy_us"] == 50.0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_events_at_time_zero(tmp_path, layout):
    """Set aside where the others are far away; kept where the trace itself begins at 0."""
    bogus = [op("bogus", 0, 0), kernel(0, 0, 9, "bogus"), kernel(0, 5, 10, "bogus")]
    later = [e | {"ts": e["ts"] + 4_100_000_000_000} for e in EVENTS]
    found = read_text(tmp_path, text_of(layout, [*later, *bogus])).as_dict()
    assert found["skipped_events"] == 3
    assert any("3 events set aside: at time 0" in w for w in found["warnings"])
    assert (found["devices"][0]["busy_us"], found["devices"][0]["span_us"]) == (50.0, 50.0)
    found = read_text(tmp_path, text_of(layout, EVENTS)).as_dict()
    assert found["skipped_events"] == 0
    assert found["steps"][0]["ts_us"] == 0.0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_only_events_at_time_zero(tmp_path, layout):
    found = read_text(tmp_path, text_of(layout, [op("a", 0, 3), op("b", 0, 2)])).as_dict()
    assert (found["events"], found["skipped_events"]) == (2, 0)
    assert {o["name"]: o["self_us"] for o in found["ops"]} == {"a": 1.0, "b": 2.0}
