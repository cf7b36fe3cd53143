"""Files whose JSON is broken, one kind a test: repaired, or the whole events kept and the rest counted."""

from __future__ import annotations

import gzip
import json
import os

import pytest

from profiling_series.errors import TraceError
from profiling_series.trace import read

from .build import (
    LAYOUTS,
    call,
    compact,
    event,
    kernel,
    kineto,
    kineto_event,
    older,
    op,
    read_events,
    read_or_refuse,
    read_text,
    shifted,
    step,
    text_of,
    write,
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


# Backslashes and quotes


@pytest.mark.parametrize("layout", LAYOUTS)
def test_lone_backslashes_in_a_name(tmp_path, layout):
    text = text_of(layout, [*EVENTS, event("python_function", "FRAME", 1, 2), op("aten::add", 40, 10)])
    trace = read_text(tmp_path, text.replace("FRAME", r"C:\Users\new\table.py(7): run"))
    assert [trace.name(r) for r in trace.rows(cat="python_function")] == [r"C:\Users\new\table.py(7): run"]
    assert len(trace.op_rows) == 2
    assert trace.skipped_events == 0
    assert any("unescaped backslash" in w for w in trace.warnings)
    check_whole(trace)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_backslashes_that_read_as_escapes_turn_into_no_control_character(tmp_path, layout):
    """\\n, \\t, \\r, \\b and \\f are valid escapes, so nothing is broken and the name must be put back."""
    frame = r"x\nets\test\run\base\file.py(7): f"
    trace = read_text(
        tmp_path, text_of(layout, [*EVENTS, event("python_function", "FRAME", 1, 2)]).replace("FRAME", frame)
    )
    assert [trace.name(r) for r in trace.rows(cat="python_function")] == [frame]
    assert any("put back" in w for w in trace.warnings)


def test_a_line_break_in_a_name_that_is_no_path_stays(tmp_path):
    trace = read_events(tmp_path, *EVENTS, op("first\nsecond", 40, 10))
    assert "first\nsecond" in trace.names


@pytest.mark.parametrize("layout", LAYOUTS)
def test_lone_backslashes_in_args(tmp_path, layout):
    broken = kernel(90, 5, 8, file="PLACE")
    text = text_of(layout, [*EVENTS, broken, call(20, 2, 8), op("aten::add", 40, 10)])
    trace = read_text(tmp_path, text.replace("PLACE", r"C:\Users\dev\kernels.cu"))
    assert len(trace.gpu_rows) == 2
    assert trace.args(trace.gpu_rows[1])["file"] == r"C:\Users\dev\kernels.cu"
    assert trace.launch_of[trace.gpu_rows[1]] >= 0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_path_that_ends_in_a_backslash_costs_nothing_else(tmp_path, layout):
    text = text_of(layout, [op("x", 1, 2, folder="PLACE", more=1), *EVENTS])
    trace = read_text(tmp_path, text.replace("PLACE", "C:\\dev\\"))
    assert trace.skipped_events == 0
    assert len(trace.op_rows) == 2
    assert trace.args(trace.rows(name="x")[0]) == {"folder": "C:\\dev\\", "more": 1}
    check_whole(trace)


@pytest.mark.parametrize("path", [r"C:\Users\dev\run.json", r"C:\new\trace\base.json"])
def test_lone_backslashes_in_the_trace_name(tmp_path, path):
    trace = read_text(
        tmp_path, kineto(EVENTS, {"deviceProperties": [{"id": 0, "name": "GPU A"}]}, trailer=path)
    )
    assert trace.metadata["traceName"] == path
    assert trace.metadata["deviceProperties"] == [{"id": 0, "name": "GPU A"}]
    assert trace.warnings == []
    check_whole(trace)


def test_lone_backslashes_in_the_metadata_before_the_events(tmp_path):
    text = kineto(EVENTS, {"with_stack": 1, "program": "PLACE"}).replace("PLACE", r"C:\Users\dev")
    trace = read_text(tmp_path, text)
    assert trace.metadata["program"] == r"C:\Users\dev"
    assert trace.metadata["with_stack"] == 1
    check_whole(trace)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ['{"a": "b"}(3): f', 'say "hi"', '"', 'a"b', '}, {"x'])
def test_quotes_in_a_name(tmp_path, layout, name):
    text = text_of(layout, [EVENTS[0], op("NAME", 40, 10), *EVENTS[1:], op("aten::add", 60, 10)])
    trace = read_text(tmp_path, text.replace("NAME", name))
    check_whole(trace)
    assert {"aten::mm", "aten::add", name} <= {trace.name(r) for r in trace.op_rows}
    assert trace.skipped_events == 0
    assert any("unescaped quote" in w for w in trace.warnings)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_quotes_in_args(tmp_path, layout):
    text = text_of(layout, [*EVENTS, kernel(90, 5, 8, note="NOTE"), call(20, 2, 8)])
    trace = read_text(tmp_path, text.replace("NOTE", 'the "fast" one'))
    assert len(trace.gpu_rows) == 2
    assert trace.skipped_events == 0
    assert trace.args(trace.gpu_rows[1])["note"] == 'the "fast" one'


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_name_that_never_closes_costs_its_event_and_no_other(tmp_path, layout):
    text = text_of(layout, [*EVENTS, op("OPEN", 40, 10), op("aten::add", 60, 10), op("aten::sub", 80, 5)])
    trace = read_text(tmp_path, text.replace('OPEN",', "OPEN,"))
    check_whole(trace)
    assert trace.skipped_events == 1
    assert {trace.name(r) for r in trace.op_rows} == {"aten::mm", "aten::add", "aten::sub"}


def test_args_that_hold_a_list_of_objects_do_not_end_a_broken_event(tmp_path):
    """Its "}]" looks like the end of the array."""
    text = compact(
        [*EVENTS, op("A", 40, 10, shapes=[{"dims": [1, 2]}], file="PLACE"), op("aten::add", 60, 10)]
    )
    trace = read_text(tmp_path, text.replace("PLACE", r"C:\Users"))
    check_whole(trace)
    assert trace.skipped_events == 0
    assert trace.args(trace.rows(name="A")[0])["shapes"] == [{"dims": [1, 2]}]
    assert not any("cut short" in w for w in trace.warnings)


# Characters


@pytest.mark.parametrize("layout", LAYOUTS)
def test_raw_control_characters(tmp_path, layout):
    text = text_of(layout, [*EVENTS, op("NAME", 40, 10)]).replace("NAME", "a\x01b\x1b[31mc\x7f\td")
    trace = read_text(tmp_path, text)
    assert "a\x01b\x1b[31mc\x7f\td" in trace.names
    assert trace.skipped_events == 0
    check_whole(trace)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_raw_line_break_in_a_name(tmp_path, layout):
    text = text_of(layout, [EVENTS[0], op("NAME", 40, 10), *EVENTS[1:]]).replace("NAME", "a\n  {\nb")
    trace = read_text(tmp_path, text)
    check_whole(trace)
    assert trace.skipped_events <= 2


@pytest.mark.parametrize("layout", LAYOUTS)
def test_bytes_that_are_not_utf8(tmp_path, layout):
    raw = text_of(layout, [*EVENTS, op("NAME", 40, 10)]).encode().replace(b"NAME", b"na\xefve\xff")
    trace = read_text(tmp_path, raw)
    assert "na�ve�" in trace.names
    assert any("not UTF-8" in w for w in trace.warnings)
    check_whole(trace)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("written", "held"),
    [
        (r"\ud83d\ude00", "\U0001f600"),  # a pair is one character
        (r"a\ud83db", "a�b"),  # half of one is none
        (r"a\ude00", "a�"),
        (r"\\ud83d", r"\ud83d"),  # an escaped backslash begins no escape
    ],
)
def test_surrogates_can_always_be_printed(tmp_path, layout, written, held):
    trace = read_text(tmp_path, text_of(layout, [*EVENTS, op("NAME", 40, 10)]).replace("NAME", written))
    assert held in trace.names
    "".join(trace.names).encode()
    check_whole(trace)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_byte_order_mark(tmp_path, layout):
    check_whole(read_text(tmp_path, b"\xef\xbb\xbf" + text_of(layout, EVENTS).encode()))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf16_is_named(tmp_path, encoding):
    assert "UTF-16" in refusal(tmp_path, kineto(EVENTS).encode(encoding))


# Numbers that are none


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "token", ["NaN", "Infinity", "-Infinity", "nan", "inf", "-inf", "-nan", "INF", "1e400"]
)
def test_tokens_that_are_no_numbers(tmp_path, layout, token):
    """In args they are unknown; the event and its other fields are kept."""
    copy = kernel(
        90, 5, 8, name="Memcpy DtoH (Device -> Pinned)", cat="gpu_memcpy", bytes=64, bandwidth="TOKEN"
    )
    text = text_of(layout, [*EVENTS, call(20, 2, 8, name="cudaMemcpyAsync"), copy, op("aten::add", 60, 10)])
    trace = read_text(tmp_path, text.replace('"TOKEN"', token))
    assert trace.skipped_events == 0
    found = trace.as_dict()
    assert [(x["kind"], x["bytes"], x["total_us"]) for x in found["copies"]] == [("DtoH", 64, 5.0)]
    assert found["launches"]["matched_gpu_events"] == 2
    assert trace.args(trace.rows(cat="gpu_memcpy")[0])["bandwidth"] is None


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("field", ["ts", "dur"])
@pytest.mark.parametrize(
    "token", ["NaN", "nan", "-inf", "1e400", "1e99999999999999999999", '"soon"', "true", "[]"]
)
def test_times_that_are_no_numbers(tmp_path, layout, field, token):
    text = text_of(layout, [*EVENTS, op("BAD", 12, 34)])
    old = {"ts": "12", "dur": "34"}[field]
    for written in (f'"{field}": {old}.000', f'"{field}": {old}', f'"{field}":{old}'):
        text = text.replace(written, f'"{field}": {token}')
    trace = read_text(tmp_path, text)
    assert trace.skipped_events == 1
    assert "BAD" not in {trace.name(r) for r in trace.op_rows}
    check_whole(trace)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("digits", ["1e999999999", "-1e999999999", "9" * 5000, "1e99999999999999999999"])
def test_exponents_and_digits_without_bound_cost_no_time(tmp_path, layout, digits):
    text = text_of(layout, [*EVENTS, kernel(90, 5, "HUGE", name="other")]).replace('"HUGE"', digits)
    trace = read_text(tmp_path, text)
    assert trace.as_dict()["launches"]["matched_gpu_events"] == 1
    assert len(trace.gpu_rows) == 2 - trace.skipped_events
    assert all(trace.launch_of[r] < 0 for r in trace.rows(name="other"))


# Cut, doubled, unclosed


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_cut_at_every_byte(tmp_path, layout):
    """Whole events before the cut are kept, the cut is said, and nothing else is made up."""
    text = text_of(layout, shifted(EVENTS, 1000)).encode()
    ends = _event_ends(text, layout)
    for cut in range(1, len(text)):
        trace, message = read_or_refuse(write(tmp_path / "a.json", text[:cut]))
        if trace is None:
            assert cut < ends[0], (cut, message)
            assert message.isprintable()
            continue
        assert len(trace) == sum(cut >= end for end in ends), text[max(0, cut - 30) : cut]
        json.dumps(trace.as_dict(), allow_nan=False)
        complete = text[:cut].rstrip().endswith(b"}") and cut >= len(text.rstrip())
        assert complete or any("cut short" in w for w in trace.warnings), text[max(0, cut - 30) : cut]


def _event_ends(text: bytes, layout: str) -> list[int]:
    begin = text.index(b"[") + 1
    ends, depth, at = [], 0, begin
    while text[at : at + 1] != b"]":
        depth += {b"{": 1, b"}": -1}.get(text[at : at + 1], 0)
        if not depth and text[at : at + 1] == b"}":
            ends.append(at + 1)
        at += 1
    assert len(ends) == len(EVENTS)
    return ends


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_gzip_file_cut_at_every_byte(tmp_path, layout):
    whole = write(tmp_path / "a.json.gz", text_of(layout, EVENTS)).read_bytes()
    kept = []
    for cut in range(1, len(whole)):
        (tmp_path / "b.json.gz").write_bytes(whole[:cut])
        trace, message = read_or_refuse(tmp_path / "b.json.gz")
        if trace is None:
            assert message.isprintable()
            continue
        assert any("cut short" in w for w in trace.warnings)
        json.dumps(trace.as_dict(), allow_nan=False)
        kept.append(len(trace))
    assert kept == sorted(kept)
    assert kept[-1] == len(EVENTS)  # only the checksum is missing


def test_a_damaged_gzip_file_is_refused(tmp_path):
    raw = bytearray(write(tmp_path / "a.json.gz", kineto(EVENTS)).read_bytes())
    raw[-6] ^= 0xFF  # in the checksum
    (tmp_path / "a.json.gz").write_bytes(raw)
    with pytest.raises(TraceError, match="damaged gzip"):
        read(tmp_path / "a.json.gz")


def test_gzip_members_and_what_follows_them(tmp_path):
    text = kineto(EVENTS).encode()
    two = gzip.compress(text[:200]) + gzip.compress(text[200:])
    (tmp_path / "a.json.gz").write_bytes(two + b"\0" * 50)
    trace = read(tmp_path / "a.json.gz")
    assert trace.warnings == []
    check_whole(trace)
    (tmp_path / "a.json.gz").write_bytes(two + b"something else")
    trace = read(tmp_path / "a.json.gz")
    assert any("more text follows" in w for w in trace.warnings)
    check_whole(trace)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("second", LAYOUTS)
@pytest.mark.parametrize("suffix", ["json", "json.gz"])
def test_two_documents_in_one_file(tmp_path, layout, second, suffix):
    """The first is read, the second is said to be there."""
    other = text_of(second, [step(1, 5000, 10), op("aten::other", 5001, 2)])
    trace = read_text(tmp_path, text_of(layout, EVENTS) + other, f"a.{suffix}")
    assert any("two processes" in w for w in trace.warnings)
    assert "aten::other" not in {trace.name(r) for r in trace.op_rows}
    assert trace.skipped_events == 0
    assert len(trace) == len(EVENTS)
    check_whole(trace)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_fragments_of_two_writers(tmp_path, layout):
    """Two processes that write one file in turns: what is whole is kept, what is not is counted."""
    one = text_of(layout, [op("one", 10 * i, 5) for i in range(200)])
    two = text_of(layout, [op("two", 10 * i, 5, pid=9, tid=9) for i in range(200)])
    size = 4099
    text = "".join(one[i : i + size] + two[i : i + size] for i in range(0, max(len(one), len(two)), size))
    trace = read_text(tmp_path, text)
    assert trace.skipped_events > 0
    assert trace.warnings
    assert 150 < len(trace.rows(name="one")) <= 200
    json.dumps(trace.as_dict(), allow_nan=False)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("end", ["", ",", ",\n", "\n", "   "])
def test_an_array_that_is_never_closed(tmp_path, layout, end):
    text = text_of(layout, EVENTS)
    ends = _event_ends(text.encode(), layout)
    trace = read_text(tmp_path, text[: ends[-1]] + end)
    assert trace.skipped_events == 0
    assert any("never closed" in w for w in trace.warnings)
    check_whole(trace)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_trailing_comma(tmp_path, layout):
    text = text_of(layout, EVENTS)
    end = _event_ends(text.encode(), layout)[-1]
    trace = read_text(tmp_path, text[:end] + "," + text[end:])
    assert trace.warnings == []
    check_whole(trace)


def test_a_missing_comma(tmp_path):
    trace = read_text(tmp_path, kineto(EVENTS).replace("  },\n  {", "  }\n  {"))
    assert len(trace) == len(EVENTS)
    check_whole(trace)


# Not a trace at all


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
    first = _event_ends(text.encode(), layout)[0]
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
