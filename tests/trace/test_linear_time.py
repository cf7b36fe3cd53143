"""Traps for algorithms that take quadratic time: four times the input may take some four times as long."""

from __future__ import annotations

import pytest

from profiling_series.trace import python_frames, read
from profiling_series.trace.load import source
from profiling_series.trace.load.text import undo_path_escapes

from .build import (
    LAYOUTS,
    annotation,
    call,
    compact,
    event,
    kernel,
    kineto,
    op,
    read_events,
    read_or_refuse,
    read_text,
    step,
    text_of,
    write,
)
from .scenes import (
    EVENTS,
    check_linear,
    use,
)


def test_many_empty_events(tmp_path):
    text = '{"traceEvents":[' + "{}," * 100_000 + compact(EVENTS).partition("[")[2]
    trace = read_text(tmp_path, text)
    assert trace.skipped_events == 100_000
    assert len(trace.warnings) == 1
    assert trace.devices[0]["busy_us"] == 50.0


BROKEN = {
    "quote in each event": lambda n: '{"traceEvents":[' + '{"ph":"X","name":"a,"ts":1,"dur":1},' * n,
    "brace in each event": lambda n: '{"traceEvents":[' + '{"ph":"X","name":{"a","ts":1,"dur":1},' * n,
    "open braces": lambda n: '{"traceEvents":[' + '{"a",' * n,
    "open events": lambda n: '{"traceEvents":[' + '{"ph":"X",' * n,
    "escaped quotes": lambda n: '{"traceEvents":[{"ph":"X","name":"' + '\\"' * (8 * n),
    "backslashes": lambda n: '{"traceEvents":[{"ph":"X","name":"' + "\\" * (8 * n),
    "names": lambda n: '{"traceEvents":[{"ph":"X",' + '"name":"a"b,' * n + "}]}",
    "closing brackets": lambda n: '{"traceEvents":[{"ph":"X"}x' + "]" * (8 * n),
    "junk": lambda n: '{"traceEvents":[' + "junk " * n + "]}",
    "junk between": lambda n: '{"traceEvents":[' + 'junk {"ph":"X","ts":1,"dur":1},' * n + "]}",
    "spaces": lambda n: '{"traceEvents":[' + ("}" + " " * 50) * n + "]}",
    "surrogates": lambda n: '{"traceEvents":[{"ph":"X","name":"' + "\\ud800" * n + '"}]}',
    "numbers": lambda n: '{"traceEvents":[{"ph":"X","ts":' + "1" * (4 * n) + "}]}",
    "kineto, open quotes": lambda n: kineto([op("a", i, 1) for i in range(n // 20)]).replace('"a"', '"a'),
    "kineto, no closing brace": lambda n: kineto([op("a", i, 1) for i in range(n // 20)]).replace(
        "\n  },", "\n  ,"
    ),
    "kineto, one line": lambda n: kineto(EVENTS)[:-80] + ',\n  {\n    "ph": "X", "cat": "' + '"a' * (4 * n),
}


@pytest.mark.parametrize("kind", sorted(BROKEN))
def test_broken_text_in_linear_time(tmp_path, kind):
    check_linear(lambda n: read_or_refuse(write(tmp_path / "a.json", BROKEN[kind](n))), 2_000)


def test_tabs_and_locations_in_linear_time():
    check_linear(lambda n: undo_path_escapes("\t" * n + "\n" * n + ".py(" * n), 200_000)


def pairs(n: int, correlation, **gpu) -> list[dict]:
    """``n`` calls with their kernels; what is given as a function gets the number of the pair."""
    found = []
    for i in range(n):
        more = {key: value(i) for key, value in gpu.items()}
        found += [call(4 * i, 1, correlation(i)), kernel(4 * i + 2, 1, correlation(i), **more)]
    return found


def stepped(n: int, **host) -> list[dict]:
    """``n`` steps with an op in each."""
    found = []
    for i in range(n):
        more = {key: value(i) for key, value in host.items()}
        found += [step(i, 4 * i, 4, **more), op("a", 4 * i, 1, **more)]
    return found


def ranks(n: int) -> list[dict]:
    """Two processes with a device each and the same correlations."""
    one = [e | {"pid": 5} if e["cat"] != "kernel" else e for e in pairs(n, lambda i: i)]
    two = [e | {"pid": 6} if e["cat"] != "kernel" else e for e in pairs(n, lambda i: i, device=lambda _: 1)]
    return one + two


def captures(n: int) -> list[dict]:
    found = []
    for i in range(n):
        found.append(call(4 * i, 1, 2 * i, "cudaStreamBeginCapture"))
        found.append(call(4 * i + 2, 1, 2 * i + 1, "cudaStreamEndCapture"))
    return found


MANY = {
    "processes": lambda n: [op("a", i, 1, pid=i) for i in range(n)],
    "threads with steps": lambda n: stepped(n // 2, tid=int),
    "processes with steps": lambda n: stepped(n // 2, pid=int),
    "steps": lambda n: stepped(n // 2),
    "threads that annotate": lambda n: [annotation("a", i, 1, tid=i) for i in range(n)],
    "threads that wait": lambda n: [
        step(1, 0, n),
        *[call(i, 3, i, "cudaStreamSynchronize", tid=i) for i in range(n)],
    ],
    "devices": lambda n: pairs(n // 4, int, device=int),
    "streams": lambda n: pairs(n // 2, int, stream=int),
    "names": lambda n: [kernel(4 * i, 1, i, f"k{i}") for i in range(n)],
    "one correlation": lambda n: pairs(n // 2, lambda i: 7),
    "shared correlations": lambda n: pairs(n // 2, lambda i: i // 2),
    "nested calls of one correlation": lambda n: (
        [call(i, 4 * n - 2 * i, 7) for i in range(n)] + [kernel(9 * n, 1, 7)]
    ),
    "merged ranks": lambda n: ranks(n // 4),
    "impossible durations": lambda n: [kernel(20 * i, 10**9, i) for i in range(n)],
    "captures": lambda n: captures(n // 2),
    "captures never ended": lambda n: [call(4 * i, 1, i, "cudaStreamBeginCapture") for i in range(n)],
    "nested ops": lambda n: [op(f"n{i}", i, 4 * n - 2 * i) for i in range(n // 4)],
    "crossing ops": lambda n: [op("a", i, n) for i in range(n)],
    "categories": lambda n: [event(f"c{i}", "a", i, 1) for i in range(n)],
    "overlapping kernels": lambda n: [kernel(i, 4 * n, i) for i in range(n)],
}


@pytest.mark.parametrize("kind", sorted(MANY))
def test_measures_in_linear_time(tmp_path, kind):
    paths = {n: write(tmp_path / f"{n}.json", compact(MANY[kind](n))) for n in (1_000, 4_000)}
    check_linear(lambda n: use(read(paths[n])), 1_000)


def test_frames_of_a_large_gzip_file_in_one_pass(tmp_path, monkeypatch):
    """Beyond what is kept unpacked, args are read on from where the last ones were."""
    monkeypatch.setattr(source, "KEEP_BYTES", 1 << 16)
    frames = [event("python_function", f"f.py({i}): f", i, 1, **{"Python id": i}) for i in range(4_000)]
    for layout in LAYOUTS:
        trace = read_events(tmp_path, *frames, layout=layout)
        packed = read(write(tmp_path / "a.json.gz", text_of(layout, frames)))
        opened = []
        original = source.Source._inflated
        monkeypatch.setattr(source.Source, "_inflated", lambda self: opened.append(1) or original(self))  # noqa: B023
        assert python_frames(packed).parent.tolist() == python_frames(trace).parent.tolist()
        assert packed.args(3_999) == trace.args(3_999)
        assert packed.args(0) == trace.args(0)
        assert len(opened) <= 4
        monkeypatch.setattr(source.Source, "_inflated", original)
