"""Times read exactly, and the same events read the same in each layout, whatever they are."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from profiling_series.trace import read
from profiling_series.trace.load.decimal_ns import parse_us, to_ns, words

from .build import (
    LAYOUTS,
    annotation,
    call,
    event,
    kernel,
    memcpy,
    op,
    overhead,
    read_events,
    shifted,
    step,
    text_of,
    write,
)

settings.register_profile(
    "here",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("here")

times = st.one_of(
    st.integers(0, 10**16 - 1).map(str),
    st.tuples(st.integers(0, 10**16 - 1), st.integers(0, 999)).map(lambda t: f"{t[0]}.{t[1]:03d}"),
)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**18), max_value=10**18))
def test_to_ns_is_exact(value):
    expected = int((value * 1000).to_integral_value(rounding=ROUND_HALF_EVEN))
    assume(abs(value) < 10**18)
    assert to_ns(value) == to_ns(str(value)) == expected


@given(st.integers(-(10**30), 10**30))
def test_whole_microseconds(value):
    assert to_ns(value) == value * 1000


@given(st.one_of(st.text(), st.booleans(), st.none(), st.floats(), st.lists(st.integers())))
def test_to_ns_never_fails(value):
    found = to_ns(value)
    assert found is None or isinstance(found, int)


@given(st.lists(times, min_size=1, max_size=30))
def test_the_vectorised_reading_of_times(texts):
    buffer = b" " * 16 + b" ".join(t.encode() for t in texts) + b" " * 16
    size = np.array([len(t) for t in texts])
    end = 16 + np.cumsum(size + 1) - 1
    value, good = parse_us(words(buffer), np.frombuffer(buffer, np.uint8), end - size, end)
    assert good.all()
    assert value.tolist() == [to_ns(t) for t in texts]


@given(st.lists(st.text(alphabet="0123456789.eE+- x", min_size=1, max_size=21), min_size=1, max_size=20))
def test_the_vectorised_reading_takes_no_other_texts(texts):
    """What it says it can read is what the exact reading gives."""
    buffer = b" " * 16 + b"|".join(t.encode() for t in texts) + b" " * 16
    size = np.array([len(t) for t in texts])
    end = 16 + np.cumsum(size + 1) - 1
    value, good = parse_us(words(buffer), np.frombuffer(buffer, np.uint8), end - size, end)
    for text, number, ok in zip(texts, value.tolist(), good.tolist(), strict=True):
        if ok:
            assert number == to_ns(text), text


# The same events in three layouts

micro = st.integers(0, 400)
some_name = st.sampled_from(
    ["aten::mm", "aten::add", "forward", "x" * 300, "naïve 名前", 'q"u\\o', "a\tb", "<b>"]
)
ids = st.sampled_from([1, 2, "main", 2**40])


@st.composite
def host(draw):
    kind = draw(st.sampled_from(["op", "annotation", "python_function", "other"]))
    where = {"pid": draw(ids), "tid": draw(ids)}
    ts, dur, name = draw(micro), draw(st.integers(0, 90)), draw(some_name)
    if kind == "op":
        return op(name, ts, dur, **where, **({"Input Dims": [[1, 2], []]} if draw(st.booleans()) else {}))
    if kind == "annotation":
        return annotation(name, ts, dur, **where)
    return event(
        "python_function" if kind == "python_function" else draw(st.sampled_from(["Trace", "c"])),
        name,
        ts,
        dur,
        **where,
    )


@st.composite
def launched(draw):
    correlation, at = draw(st.integers(0, 12)), draw(micro)
    name = draw(st.sampled_from(["cudaLaunchKernel", "cuLaunchKernel", "hipGraphLaunch", "cudaMemcpyAsync"]))
    found = [call(at, draw(st.integers(0, 9)), correlation, name, pid=draw(ids))]
    for _ in range(draw(st.integers(0, 3))):
        where = {
            "device": draw(st.sampled_from([0, 1, 300])),
            "stream": draw(st.sampled_from([7, 20, 10**6])),
        }
        ts, dur = at + draw(st.integers(0, 50)), draw(st.integers(0, 60))
        if draw(st.booleans()):
            found.append(kernel(ts, dur, correlation, draw(some_name), **where))
        else:
            found.append(
                memcpy(ts, dur, correlation, bytes=draw(st.sampled_from([None, 0, 64, 2**40])), **where)
            )
    return found


@st.composite
def traces(draw):
    events = draw(st.lists(host(), max_size=8))
    events += [e for some in draw(st.lists(launched(), max_size=5)) for e in some]
    events += [step(n, 100 * n, 100, pid=1, tid=1) for n in range(draw(st.integers(0, 4)))]
    if draw(st.booleans()):
        events.append(overhead(draw(micro), draw(st.integers(0, 100))))
    return draw(st.permutations(events))


@settings(max_examples=40)
@given(traces(), st.sampled_from([0, 4_100_000_000_000, 1_758_000_000_123_456]))
def test_layouts_give_the_same(tmp_path, events, base):
    found = []
    for layout in LAYOUTS:
        for suffix in ("json", "json.gz"):
            text = text_of(
                layout, shifted(list(events), base), {"deviceProperties": [{"id": 1, "name": "G"}]}
            )
            found.append(read(write(tmp_path / f"a.{suffix}", text)).as_dict() | {"file": ""})
    assert all(other == found[0] for other in found[1:])


@settings(max_examples=40)
@given(traces())
def test_measures_hold_together(tmp_path, events):
    """What must be true of any trace."""
    trace = read_events(tmp_path, *events)
    found = trace.as_dict()
    for device in found["devices"]:
        assert 0 <= device["busy_us"] <= device["span_us"] + 1e-9
        assert device["busy_us"] <= device["sum_us"] + 1e-9
        assert device["exposed_comm_us"] <= device["comm_us"] <= device["busy_us"] + 1e-9
        if device["window"]:
            parts = (
                device["host_idle_us"] + device["queued_idle_us"] + device["window"]["unexplained_idle_us"]
            )
            parts += device["window"]["idle_under_overhead_us"]
            assert parts == pytest.approx(device["window"]["idle_us"])
    launches = found["launches"]
    assert launches["matched_gpu_events"] + launches["unmatched_gpu_events"] == len(trace.gpu_rows)
    inside = [s["gpu_events"] for s in found["steps"] if s["gpu_events"] is not None]
    if len(inside) == len(found["steps"]):
        assert sum(inside) + found["outside_steps"]["gpu_events"] == len(trace.gpu_rows)
    assert sum(o["count"] for o in found["ops"]) == found["cpu_ops"] == len(trace.op_rows)
    for one in found["ops"]:
        assert 0 <= one["self_us"] <= one["total_us"] + 1e-9
    share = found["verdict"]["gpu_busy_share"]
    assert share is None or 0 <= share <= 1 + 1e-9
