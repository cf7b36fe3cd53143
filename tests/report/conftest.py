"""Inputs of the report's tests: a hand-made capture of two steps, and traces written for one test."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from profiling_series.trace import read

DATA = Path(__file__).parents[1] / "data" / "report"


@pytest.fixture
def trace():
    """Two steps, 200 and 100 µs, each with a product and an addition launched on one stream; one overhead."""
    return read(DATA / "two_steps.json")


@pytest.fixture
def capture(trace):
    """The same with torch's table and a provenance, as a Capture has them."""
    return SimpleNamespace(
        trace=trace,
        table=(DATA / "two_steps.txt").read_text(),
        source_line="recorded on Test GPU, torch 2.99.0, 2026-11-29",
        key="01_matmul_add/64_bf16_cold_eager",
        workload=None,
        warnings=(),
    )


@pytest.fixture
def make_trace(tmp_path):
    """Write events, (cat, name, pid, tid, ts, dur, args), and read them back."""

    def make(events, **metadata):
        rows = [
            {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}
            for cat, name, pid, tid, ts, dur, args in events
        ]
        path = tmp_path / "made.json"
        path.write_text(json.dumps({**metadata, "traceEvents": rows}))
        return read(path)

    return make


@pytest.fixture
def busy_trace(make_trace):
    """One step with 3,000 launches from two threads onto two streams: more than any picture holds."""
    events = [("user_annotation", "ProfilerStep#1", 5, 5, 0.0, 60_000.0, {})]
    for n in range(3000):
        ts, thread, length = n * 20.0, 5 + n % 2, 3.0 + n % 11
        events.append(("cpu_op", f"aten::op{n % 7}", 5, thread, ts + 0.5, 15.0, {}))
        events.append(("cuda_runtime", "cudaLaunchKernel", 5, thread, ts + 1.5, 8.0, {"correlation": n + 1}))
        where = {"device": 0, "stream": 7 + n % 2, "correlation": n + 1}
        events.append(("kernel", f"kernel_{n % 5}", 0, 7 + n % 2, ts + 11, length, where))
    return make_trace(events)


HOSTILE = {
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&",
    "ansi": "\x1b[31mred\x1b[0m\x07",
    "lines": "one\ntwo\r\tthree",
    "bidi": "abc\u202egnp.exe\u2066",
    "math": r"$\frac{x}{y}$ and $",
    "scripts": "カーネル 核 ядро",
    "long": "L" * 1_000_000,
    "cdata": "]]><!--&lt;-->",
}


@pytest.fixture(params=sorted(HOSTILE))
def hostile(request, make_trace):
    """A trace in which every name is one that somebody could have meant badly."""
    name = HOSTILE[request.param]
    return name, make_trace(
        [
            ("user_annotation", "ProfilerStep#1", 5, 5, 0.0, 100.0, {}),
            ("user_annotation", name, 5, 5, 5.0, 90.0, {}),
            ("cpu_op", name, 5, 5, 10.0, 80.0, {"Input Dims": [name[:300]]}),
            ("cuda_runtime", "cudaLaunchKernel", 5, 5, 20.0, 8.0, {"correlation": 1}),
            ("kernel", name, 0, 7, 30.0, 50.0, {"device": 0, "stream": 7, "correlation": 1}),
            ("gpu_user_annotation", name, 0, 7, 30.0, 50.0, {}),
            ("overhead", name, -1, 0, 1.0, 2.0, {}),
        ]
    )
