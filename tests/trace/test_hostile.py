"""Files made to do harm: huge names, deep nesting, bombs. Memory stays bounded."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

import profiling_series
from profiling_series.errors import TraceError
from profiling_series.trace import python_frames, read

from .build import (
    LAYOUTS,
    annotation,
    compact,
    event,
    kernel,
    kineto,
    op,
    read_events,
    read_text,
    step,
    text_of,
    write,
)
from .scenes import (
    EVENTS,
    use,
)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_megabyte_names(tmp_path, layout):
    long = "x" * (1 << 20)
    trace = read_events(tmp_path, *EVENTS, op(long, 40, 10), kernel(90, 5, 8, long), layout=layout)
    found = trace.as_dict()
    assert len(trace) == 6
    assert {k["name"]: k["total_us"] for k in found["kernels"]} == {"gemm": 50.0, long: 5.0}
    assert trace.skipped_events == 0


@pytest.mark.parametrize(("layout", "where"), [("compact", 0), ("kineto", 2), ("older", 4)])
def test_an_event_of_several_megabytes(tmp_path, layout, where):
    """First, in the middle, and last: longer than the pieces in which a file is read."""
    events = [*EVENTS]
    events.insert(where, op("big", 40, 10, shapes=[[1, 2, 3]] * 200_000))
    trace = read_events(tmp_path, *events, layout=layout)
    assert (len(trace), trace.skipped_events) == (5, 0)
    assert len(trace.args(trace.rows(name="big")[0])["shapes"]) == 200_000
    assert trace.devices[0]["busy_us"] == 50.0


@pytest.mark.parametrize(("where", "broken"), [(0, True), (4, False)])
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
        trace = read_events(tmp_path, *[op(name.format(i), i, 100_000 - 2 * i) for i in range(30_000)])
        use(trace)
        assert len(trace.ancestors(len(trace) - 1)) == 29_999
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
        ("one string", 20),
        ("one kineto string", 36),
        ("metadata", 40),
        ("empty events", 1),
        ("braces", 3),
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
