"""Files made to do harm: huge names, deep nesting, bombs, traps. Time stays linear, memory bounded."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import profiling_series
from profiling_series.errors import TraceError
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

EVENTS = [step(1, 0, 100), op("aten::mm", 5, 20), call(10, 4, 7), kernel(30, 50, 7)]
FACTOR = 12  # four times the input may take so many times as long: linear is 4, quadratic 16
LEAST_SECONDS = 0.03  # below that the clock tells nothing


def seconds(work, size: int) -> float:
    begin = time.process_time()
    work(size)
    return time.process_time() - begin


def check_linear(work, size: int) -> None:
    """``work(4 · size)`` takes no more than some four times as long as ``work(size)``."""
    small = min(seconds(work, size) for _ in range(2))
    large = seconds(work, 4 * size)
    assert large < FACTOR * max(small, LEAST_SECONDS), (small, large)


def use(trace) -> None:
    """What a reader of a trace asks for."""
    json.dumps(trace.as_dict(), allow_nan=False)
    assert len(trace.step_index) == len(trace.parent) == len(trace)


# Sizes


@pytest.mark.parametrize("layout", LAYOUTS)
def test_megabyte_names(tmp_path, layout):
    long = "x" * (1 << 20)
    trace = read_events(tmp_path, *EVENTS, op(long, 40, 10), kernel(90, 5, 8, long), layout=layout)
    found = trace.as_dict()
    assert len(trace) == 6
    assert {k["name"]: k["total_us"] for k in found["kernels"]} == {"gemm": 50.0, long: 5.0}
    assert trace.skipped_events == 0


@pytest.mark.parametrize(
    ("layout", "where"), [("compact", 0), ("compact", 2), ("compact", 4), ("kineto", 2), ("older", 4)]
)
def test_an_event_of_several_megabytes(tmp_path, layout, where):
    """First, in the middle, and last: longer than the pieces in which a file is read."""
    events = [*EVENTS]
    events.insert(where, op("big", 40, 10, shapes=[[1, 2, 3]] * 250_000))
    trace = read_events(tmp_path, *events, layout=layout)
    assert (len(trace), trace.skipped_events) == (5, 0)
    assert len(trace.args(trace.rows(name="big")[0])["shapes"]) == 250_000
    assert trace.devices[0]["busy_us"] == 50.0


@pytest.mark.parametrize("where", [0, 2, 4])
@pytest.mark.parametrize("broken", [False, True])
def test_an_event_of_several_megabytes_of_objects(tmp_path, where, broken):
    """Its args look like events that follow each other; also beside an event that is broken."""
    events = [*EVENTS]
    events.insert(where, op("big", 40, 10, inputs=[{"name": "a", "id": 3}] * 150_000))
    if broken:
        events.insert(where, op("BROKEN", 80, 1))
    trace = read_text(tmp_path, compact(events).replace('"BROKEN"', 'BROKEN"'))
    assert (len(trace), trace.skipped_events) == (5, int(broken))
    assert len(trace.args(trace.rows(name="big")[0])["inputs"]) == 150_000


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("opening", ["[", '{"a": '])
@pytest.mark.parametrize("closed", [True, False])
def test_deep_nesting(tmp_path, layout, opening, closed):
    """A hundred thousand brackets: an event is lost at most, and never the program."""
    depth = 100_000
    deep = opening * depth + "1" + (({"[": "]"}.get(opening, "}")) * depth if closed else "")
    text = text_of(layout, [*EVENTS[:2], op("deep", 40, 10, value="DEEP"), *EVENTS[2:]])
    trace = read_text(tmp_path, text.replace('"DEEP"', deep))
    assert trace.skipped_events <= 1 or not closed
    assert trace.as_dict()["devices"][0]["busy_us"] == 50.0
    for row in trace.rows(name="deep"):
        assert trace.args(row) in ({}, None) or trace.args(row)


@pytest.mark.parametrize("depth", [400, 900, 1500, 5000])
def test_nesting_about_as_deep_as_python_goes(tmp_path, depth):
    for layout in LAYOUTS:
        text = text_of(layout, [*EVENTS, op("deep", 40, 10, value="DEEP")])
        trace = read_text(tmp_path, text.replace('"DEEP"', "[" * depth + "]" * depth))
        use(trace)
        python_frames(trace)
        for row in range(len(trace)):
            trace.args(row)
    text = compact(EVENTS, {"deep": "DEEP"}).replace('"DEEP"', "[" * depth + "]" * depth)
    use(read_text(tmp_path, text))


def test_deep_nesting_of_events(tmp_path):
    """Ops within ops, 40 000 deep, each with a name of its own and one name again and again."""
    for name in ("n{}", "same"):
        trace = read_events(tmp_path, *[op(name.format(i), i, 100_000 - 2 * i) for i in range(40_000)])
        use(trace)
        assert len(trace.ancestors(len(trace) - 1)) == 39_999
        assert sum(o["self_us"] for o in trace.ops) == 100_000.0
        assert max(o["total_us"] for o in trace.ops) == 100_000.0


def test_names_are_data(tmp_path):
    """Kept as they are, for those who show them to escape."""
    names = [
        "<script>alert(1)</script>",
        "\x1b[31mred\x1b[0m",
        "a&b",
        "‮rtl",
        "{{ x }}",
        "`id`",
        "'; --",
        "%s%n",
        "",
    ]
    for layout in LAYOUTS:
        trace = read_events(
            tmp_path, *EVENTS, *[op(n, 40 + i, 1) for i, n in enumerate(names)], layout=layout
        )
        assert set(names) <= {trace.name(r) for r in trace.op_rows}
        assert trace.skipped_events == 0


def test_no_name_reaches_a_message_raw(tmp_path):
    """Warnings and reasons are one printable line whatever the file holds."""
    evil = "\x1b[2J\r\nname"
    events = [step(1, 0, 200), op("a", 1, 2), *[kernel(20 * i, 10, i, evil) for i in range(5)]]
    events[3] = kernel(20, 10**9, 1, evil)
    events += [event(f"mtia{evil}", evil, 5, 5), annotation(evil, 1, 2)]
    found = read_events(tmp_path, *events, displayTimeUnit=evil).as_dict()
    for text in [*found["warnings"], found["verdict"]["because"], found["verdict"]["over"]]:
        assert text.isprintable(), text


# Bombs


def bomb(path: Path, begin: bytes, fill: bytes, size: int) -> Path:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(begin)
        block = fill * (1 + (1 << 20) // len(fill))
        for _ in range(size >> 20):
            file.write(block)
    return path


BEGINNINGS = {
    "spaces": (b"", b" "),
    "events": (b'{"traceEvents": [', b" "),
    "one string": (b'{"traceEvents": [{"name": "', b"x"),
    "one kineto string": (kineto(EVENTS).encode()[:-200] + b'\n  {\n    "ph": "X", "cat": "', b"x"),
    "metadata": (b'{"a": "', b"x"),
    "empty events": (b'{"traceEvents": [', b"{},"),
    "brackets": (b'{"traceEvents": [', b"["),
    "braces": (b'{"traceEvents": [', b'{"a":'),
    "zeros": (b"", b"\0"),
}


@pytest.mark.parametrize("kind", sorted(BEGINNINGS))
def test_a_bomb_meets_the_limit(tmp_path, kind):
    path = bomb(tmp_path / "a.json.gz", *BEGINNINGS[kind], 3 << 20)
    trace, message = None, ""
    try:
        trace = read(path, max_bytes=2 << 20)
    except TraceError as error:
        message = str(error)
    assert trace is None
    assert message.isprintable()
    if kind not in ("spaces", "zeros"):  # they are refused for what they are
        assert "more than 2,097,152 bytes once unpacked" in message
        assert "--max-bytes" in message


def test_the_limit_holds_for_plain_files_too(tmp_path):
    path = write(tmp_path / "a.json", kineto(EVENTS))
    size = path.stat().st_size
    with pytest.raises(TraceError, match="raise the limit"):
        read(path, max_bytes=size - 1)
    assert len(read(path, max_bytes=size)) == len(EVENTS)
    packed = write(tmp_path / "a.json.gz", kineto(EVENTS))
    with pytest.raises(TraceError, match="raise the limit"):
        read(packed, max_bytes=size - 1)
    assert len(read(packed, max_bytes=size)) == len(EVENTS)


PEAK = """
import resource, sys
from profiling_series.errors import TraceError
from profiling_series.trace import read
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read(sys.argv[1], max_bytes=int(sys.argv[2]))
except TraceError as error:
    print(error, file=sys.stderr)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize(
    ("kind", "megabytes"),
    [
        ("one string", 70),
        ("one kineto string", 70),
        ("metadata", 80),
        ("empty events", 1),
        ("braces", 5),
    ],
)
def test_memory_stays_bounded(tmp_path, kind, megabytes):
    """Files without one whole event: a few times the longest event that is looked for, of any size."""
    path = bomb(tmp_path / "a.json.gz", *BEGINNINGS[kind], megabytes << 20)
    done = subprocess.run(
        [sys.executable, "-c", PEAK, path, str(10**9)],
        env={**os.environ, "PYTHONPATH": str(Path(profiling_series.__file__).parent.parent)},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert int(done.stdout) < 400, done.stderr


# Time


def test_many_empty_events(tmp_path):
    text = '{"traceEvents":[' + "{}," * 200_000 + compact(EVENTS).partition("[")[2]
    trace = read_text(tmp_path, text)
    assert trace.skipped_events == 200_000
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
    check_linear(lambda n: read_or_refuse(write(tmp_path / "a.json", BROKEN[kind](n))), 3_000)


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
    paths = {n: write(tmp_path / f"{n}.json", compact(MANY[kind](n))) for n in (1_500, 6_000)}
    check_linear(lambda n: use(read(paths[n])), 1_500)


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
