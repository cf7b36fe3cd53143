"""Files that are no trace, refused in one line; and traces in unusual but valid form."""

from __future__ import annotations

import gzip
import json
import os

import pytest

from profiling_series.errors import TraceError
from profiling_series.trace import read

from .build import (
    LAYOUTS,
    compact,
    kernel,
    kineto,
    kineto_event,
    older,
    read_text,
    text_of,
)
from .scenes import (
    EVENTS,
    check_whole,
    event_ends,
    refusal,
)


@pytest.mark.parametrize("text", ["", " ", "\n\n\t ", "\ufeff", "\ufeff  \n"])
@pytest.mark.parametrize("suffix", ["json", "json.gz", "txt"])
def test_empty_files(tmp_path, text, suffix):
    message = refusal(tmp_path, text, f"a.{suffix}")
    assert "empty" in message or "white space" in message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"schema": "1.1", "nodes": [{"id": 1}, {"id": 2}]}', "execution trace (2 nodes)"),
        ('{"nodes": 3}', "execution trace (0 nodes)"),
        ('{"a": 1, "b": 2}', "keys: a, b"),
        ("{}", "keys: none"),
        ('{"traceEvents": null}', "traceEvents is no list"),
        ('{"traceEvents": {}}', "traceEvents is no list"),
        ('{"traceEvents": "[]"}', "traceEvents is no list"),
        ('{"a": ', "not readable as JSON at line 1, column 7"),
        ('{"traceEvents"', "not readable as JSON"),
        ("hello", "not JSON"),
        ("<html>", "not JSON"),
        ("null", "not JSON"),
        ("123", "not JSON"),
        ('{"\\ud800": 1}', "keys: \\ud800"),
        ('{"a\\u001b[31m": 1}', "keys: a\\x1b[31m"),
        ('{"traceEvents": [1, 2]}', "no event could be read"),
        ('{"traceEvents": [{"a": b}]}', "no event could be read"),
    ],
)
def test_what_else_a_file_is(tmp_path, text, says):
    message = refusal(tmp_path, text)
    assert says in message
    assert message.isprintable()


def test_deep_nesting_that_is_no_trace(tmp_path):
    refusal(tmp_path, '{"a": ' + "[" * 100_000)


def test_files_that_are_none(tmp_path):
    for path, says in (
        (tmp_path, "a directory"),
        (tmp_path / "no.json", "No such file"),
        (tmp_path / "no\nsuch\x1b.json", "no\\nsuch\\x1b.json: No such file"),
        ("bad\0name.json", "null"),
        (tmp_path / ("x" * 300), "too long"),
        ("/dev/null", "not a regular file"),
    ):
        with pytest.raises(TraceError, match=says.replace("\\", "\\\\")) as caught:
            read(path)
        assert str(caught.value).isprintable()
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(TraceError, match="not a regular file"):
        read(tmp_path / "pipe.json")


@pytest.mark.parametrize("name", ["a.json", "a.json.gz", "a.txt", "a", "a.pt.trace.json"])
def test_the_suffix_does_not_matter(tmp_path, name):
    for raw in (kineto(EVENTS).encode(), gzip.compress(kineto(EVENTS).encode())):
        (tmp_path / name).write_bytes(raw)
        check_whole(read(tmp_path / name))


# Odd but valid forms


@pytest.mark.parametrize("indent", [None, 1, 2, 4])
def test_the_legacy_list_form(tmp_path, indent):
    """The autograd profiler's export: no cat, the process says what an event is."""
    events = [
        {"name": "add", "ph": "X", "ts": 10.5, "dur": 20.0, "tid": 1, "pid": "CPU functions", "args": {}},
        {"name": "mul", "ph": "X", "ts": 40.5, "dur": 30.25, "tid": 1, "pid": "CPU functions", "args": {}},
        {"name": "f", "ph": "s", "ts": 12, "tid": 1, "pid": "CPU functions", "id": 1, "cat": "cpu_to_cuda"},
        {
            "name": "add_kernel",
            "ph": "X",
            "ts": 41.0,
            "dur": 7.5,
            "tid": 0,
            "pid": "CUDA functions",
            "args": {},
        },
    ]
    trace = read_text(tmp_path, json.dumps(events, indent=indent))
    found = trace.as_dict()
    assert {o["name"]: o["total_us"] for o in found["ops"]} == {"add": 20.0, "mul": 30.25}
    assert [(d["kernels"], d["sum_us"]) for d in found["devices"]] == [(1, 7.5)]
    assert found["steps"] == []
    assert trace.skipped_events == 0
    assert found["verdict"]["regime"] in ("mixed", "gpu-bound", "overhead-bound", "undetermined")
    assert trace.warnings == []


@pytest.mark.parametrize("order", ["first", "last", "middle"])
@pytest.mark.parametrize("indent", [None, 1, 2, 4])
def test_the_order_of_keys(tmp_path, order, indent):
    meta = [("schemaVersion", 1), ("distributedInfo", {"rank": 3, "world_size": 8}), ("traceName", "a")]
    at = {"first": 0, "last": 3, "middle": 1}[order]
    keys = [*meta[:at], ("traceEvents", EVENTS), *meta[at:]]
    trace = read_text(tmp_path, json.dumps(dict(keys), indent=indent))
    assert trace.as_dict()["distributed"] == {"rank": 3, "world_size": 8}
    assert trace.metadata["schemaVersion"] == 1
    assert trace.warnings == []
    check_whole(trace)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_order_of_an_events_keys(tmp_path, layout):
    events = [dict(reversed(list(e.items()))) for e in EVENTS]
    text = json.dumps({"traceEvents": events}) if layout == "compact" else text_of(layout, events)
    trace = read_text(tmp_path, text)
    assert trace.warnings == []
    check_whole(trace)


@pytest.mark.parametrize("indent", [None, 0, 1, 2, 3, 4, "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_resaved_with_any_indent(tmp_path, indent, newline):
    text = json.dumps({"schemaVersion": 1, "traceEvents": EVENTS}, indent=indent).replace("\n", newline)
    trace = read_text(tmp_path, text)
    assert trace.warnings == []
    check_whole(trace)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_line_breaks_of_another_system(tmp_path, layout):
    trace = read_text(tmp_path, text_of(layout, EVENTS).replace("\n", "\r\n"))
    assert trace.warnings == []
    check_whole(trace)


@pytest.mark.parametrize(
    "text",
    [kineto([]), compact([]), older([]), '{"traceEvents":[]}', "[]", '{"traceEvents": [ \n ], "a": 1}'],
)
def test_no_events(tmp_path, text):
    found = read_text(tmp_path, text).as_dict()
    assert found["events"] == 0
    assert found["verdict"]["regime"] == "undetermined"
    assert [w for w in found["warnings"] if "cut" in w] == []
    assert any("no operator was recorded" in w for w in found["warnings"])


def test_only_metadata_events(tmp_path):
    names = [{"name": "process_name", "ph": "M", "ts": 1.5, "pid": 7, "tid": 0, "args": {"name": "python"}}]
    found = read_text(tmp_path, kineto(names, {"distributedInfo": {"rank": 1, "world_size": 2}})).as_dict()
    assert found["events"] == found["skipped_events"] == 0
    assert found["distributed"] == {"rank": 1, "world_size": 2}
    assert found["verdict"]["regime"] == "undetermined"


def test_a_nested_key_of_the_same_name_is_not_the_events(tmp_path):
    text = json.dumps({"note": 'has "traceEvents": [ in it', "traceEvents": EVENTS})
    check_whole(read_text(tmp_path, text))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("junk", ["{}", "null", "3", '"text"', "[]", "[1, 2]", "true"])
def test_elements_that_are_no_events(tmp_path, layout, junk):
    text = text_of(layout, EVENTS)
    first = event_ends(text.encode(), layout)[0]
    trace = read_text(tmp_path, text[:first] + f",\n  {junk}" + text[first:])
    assert trace.skipped_events == 1
    assert not any("cut short" in w for w in trace.warnings)
    check_whole(trace)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_phases_of_other_kinds(tmp_path, layout):
    """Flows, instants and counters are no complete events; begin and end apart are not read, and said."""
    others = [
        {"ph": p, "name": "n", "pid": 1, "tid": 1, "ts": 5, "id": 1, "cat": "ac2g"} for p in "sftinCNODbe"
    ]
    trace = read_text(tmp_path, text_of(layout, [*EVENTS, *others]))
    assert trace.skipped_events == 0
    assert trace.warnings == []
    pair = [{"ph": p, "name": "n", "pid": 1, "tid": 1, "ts": 5} for p in "BE"]
    trace = read_text(tmp_path, text_of(layout, [*EVENTS, *pair]))
    assert trace.skipped_events == 2
    assert any("begin and end apart" in w for w in trace.warnings)
    check_whole(trace)


def test_where_a_broken_event_is(tmp_path):
    """The message names line and column of the event's brace."""
    text = kineto(EVENTS).replace('"aten::mm"', '"aten::mm')
    line = text[: text.index('"aten::mm')].count("\n")  # the brace is on the line before, counted from one
    trace = read_text(tmp_path, text)
    assert any(f"line {line}, column 3" in w for w in trace.warnings), trace.warnings


def test_the_text_of_one_event(tmp_path):
    """The builder writes what torch writes."""
    assert kineto_event(kernel(30, 50.5, 7)) == (
        '  {\n    "ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7,\n'
        '    "ts": 30.000, "dur": 50.500,\n    "args": {\n'
        '      "device": 0, "stream": 7, "correlation": 7\n    }\n  }'
    )
