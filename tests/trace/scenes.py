"""Scenes and checks that several test modules share."""

from __future__ import annotations

import json
import time

import pytest

from profiling_series.errors import TraceError

from .build import (
    call,
    kernel,
    op,
    read_text,
    step,
)

# A step of 100 µs with an op, a launch at 10 and its kernel [30, 80): latency 20, busy 50.
EVENTS = [step(1, 0, 100), op("aten::mm", 5, 20), call(10, 4, 7), kernel(30, 50, 7)]


def refusal(folder, text, name="a.json") -> str:
    with pytest.raises(TraceError) as caught:
        read_text(folder, text, name)
    message = str(caught.value)
    assert "\n" not in message
    assert name in message
    return message


def check_whole(trace) -> None:
    """The numbers of ``EVENTS``."""
    found = trace.as_dict()
    json.dumps(found, allow_nan=False)
    assert [s["dur_us"] for s in found["steps"]] == [100.0]
    assert found["launches"]["latency_us"]["median"] == 20.0
    assert found["devices"][0]["busy_us"] == 50.0


def event_ends(text: bytes, layout: str) -> list[int]:
    begin = text.index(b"[") + 1
    ends, depth, at = [], 0, begin
    while text[at : at + 1] != b"]":
        depth += {b"{": 1, b"}": -1}.get(text[at : at + 1], 0)
        if not depth and text[at : at + 1] == b"}":
            ends.append(at + 1)
        at += 1
    assert len(ends) == len(EVENTS)
    return ends


def self_times(found) -> dict[str, float]:
    return {o["name"]: o["self_us"] for o in found["ops"]}


def total_times(found) -> dict[str, float]:
    return {o["name"]: o["total_us"] for o in found["ops"]}


def loop(first: int, count: int, at: float, period: float, correlation: int = 100, **where) -> list[dict]:
    """Steps with an op, a launch and its kernel of a tenth of the period, one after the other."""
    found = []
    for i in range(count):
        ts = at + i * period
        found += [
            step(first + i, ts, period, **where),
            op("aten::mm", ts + 5, 10, **where),
            call(ts + 6, 4, correlation + i, **where),
            kernel(ts + 30, period / 10, correlation + i),
        ]
    return found


def run_of(durations: list[float]) -> list[dict]:
    events, at = [], 0.0
    for n, duration in enumerate(durations):
        events += [step(n, at, duration), op("a", at, 1), call(at + 1, 1, n), kernel(at + 5, 2, n)]
        at += duration
    return events


def latencies(trace) -> list[float]:
    """Start to start, for each GPU event that has a call."""
    rows = [r for r in trace.gpu_rows if trace.launch_of[r] >= 0]
    return [(int(trace.ts[r]) - int(trace.ts[trace.launch_of[r]])) / 1000 for r in rows]


def joins(trace) -> dict[str, str | None]:
    """Name of each GPU event → name of its call."""
    return {
        trace.name(r): trace.name(trace.launch_of[r]) if trace.launch_of[r] >= 0 else None
        for r in trace.gpu_rows
    }


FACTOR = 12  # four times the input may take so many times as long: linear is 4, quadratic 16


LEAST_SECONDS = 0.03  # below that the clock tells nothing


def seconds(work, size: int) -> float:
    begin = time.process_time()
    work(size)
    return time.process_time() - begin


def check_linear(work, size: int) -> None:
    """``work(4 · size)`` takes no more than some four times as long as ``work(size)``."""
    small = seconds(work, size)
    large = seconds(work, 4 * size)
    assert large < FACTOR * max(small, LEAST_SECONDS), (small, large)


def use(trace) -> None:
    """What a reader of a trace asks for."""
    json.dumps(trace.as_dict(), allow_nan=False)
    assert len(trace.step_index) == len(trace.parent) == len(trace)
