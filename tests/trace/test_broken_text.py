"""JSON that is broken inside events, one kind a test, in three layouts: repaired, or the event is counted."""

from __future__ import annotations

import pytest

from .build import (
    LAYOUTS,
    call,
    compact,
    event,
    kernel,
    kineto,
    op,
    read_events,
    read_text,
    text_of,
)
from .scenes import (
    EVENTS,
    check_whole,
    refusal,
)


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
