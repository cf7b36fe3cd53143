"""Files that are cut, unclosed, doubled or written by two at once: whole events are kept, and it is said."""

from __future__ import annotations

import gzip
import json

import pytest

from profiling_series.errors import TraceError
from profiling_series.trace import read

from .build import (
    LAYOUTS,
    kineto,
    op,
    read_or_refuse,
    read_text,
    shifted,
    step,
    text_of,
    write,
)
from .scenes import (
    EVENTS,
    check_whole,
    event_ends,
)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_cut_at_every_byte(tmp_path, layout):
    """Whole events before the cut are kept, the cut is said, and nothing else is made up."""
    text = text_of(layout, shifted(EVENTS, 1000)).encode()
    ends = event_ends(text, layout)
    for cut in range(1, len(text)):
        trace, message = read_or_refuse(write(tmp_path / "a.json", text[:cut]))
        if trace is None:
            assert cut < ends[0], (cut, message)
            assert message.isprintable()
            continue
        assert len(trace) == sum(cut >= end for end in ends), text[max(0, cut - 30) : cut]
        if cut % 7 == 0:
            json.dumps(trace.as_dict(), allow_nan=False)
        complete = text[:cut].rstrip().endswith(b"}") and cut >= len(text.rstrip())
        assert complete or any("cut short" in w for w in trace.warnings), text[max(0, cut - 30) : cut]


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
    ends = event_ends(text.encode(), layout)
    trace = read_text(tmp_path, text[: ends[-1]] + end)
    assert trace.skipped_events == 0
    assert any("never closed" in w for w in trace.warnings)
    check_whole(trace)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_trailing_comma(tmp_path, layout):
    text = text_of(layout, EVENTS)
    end = event_ends(text.encode(), layout)[-1]
    trace = read_text(tmp_path, text[:end] + "," + text[end:])
    assert trace.warnings == []
    check_whole(trace)


def test_a_missing_comma(tmp_path):
    trace = read_text(tmp_path, kineto(EVENTS).replace("  },\n  {", "  }\n  {"))
    assert len(trace) == len(EVENTS)
    check_whole(trace)
