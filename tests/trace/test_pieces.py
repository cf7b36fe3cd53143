"""Files read in pieces: however they are cut, and on however many threads, the reading is the same."""

from __future__ import annotations

import random
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from profiling_series.trace import load, python_frames, read
from profiling_series.trace.load import generic, source
from profiling_series.trace.load.columns import Interner

from .build import LAYOUTS, annotation, call, event, kernel, memcpy, op, step, text_of, write
from .test_fuzz import damaged


def events(count: int) -> list[dict]:
    """Steps with ops, launches, kernels, copies and frames; names of many lengths."""
    found = []
    for i in range(count):
        at = 100 * i
        found += [
            step(i, at, 100),
            annotation("forward", at + 1, 50),
            op(f"aten::op{i % 7}" + "x" * (i * 13 % 90), at + 2, 30, **{"Input Dims": [[i, 2], []]}),
            call(at + 5, 4, 2 * i),
            kernel(at + 20, 40, 2 * i, f"k{i % 5}", grid=[i, 1, 1]),
            call(at + 10, 3, 2 * i + 1, "cudaMemcpyAsync"),
            memcpy(at + 70, 5, 2 * i + 1, bytes=i),
            event(
                "python_function", f"f.py({i}): f", at + 1, 60, **{"Python id": i, "Python parent id": i - 1}
            ),
        ]
    return found


def summary(trace) -> dict:
    """All that is read, in a form that can be compared."""
    rows = range(len(trace))
    frames = python_frames(trace)
    return trace.as_dict() | {
        "file": "",
        "args": trace.args_of(rows),
        "names": [trace.name(r) for r in rows],
        "sizes": dict(zip(trace.copy_rows.tolist(), trace.copy_bytes.tolist(), strict=True)),
        "metadata": trace.metadata,
        "frames": frames.parent.tolist(),
    }


def in_pieces(monkeypatch, size: int) -> None:
    monkeypatch.setattr(load, "SCAN_BYTES", size)
    monkeypatch.setattr(generic, "CHUNK_BYTES", size)
    monkeypatch.setattr(source, "BLOCK_BYTES", 8 * size)
    monkeypatch.setattr(source, "KEEP_BYTES", 0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("suffix", ["json", "json.gz"])
@pytest.mark.parametrize("size", [100, 700, 5_000])
def test_pieces_of_any_size(tmp_path, monkeypatch, layout, suffix, size):
    path = write(tmp_path / f"a.{suffix}", text_of(layout, events(20), {"deviceProperties": [{"id": 0}]}))
    whole = summary(read(path))
    assert whole["warnings"] == []
    in_pieces(monkeypatch, size)
    assert summary(read(path)) == whole


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("suffix", ["json", "json.gz"])
@pytest.mark.parametrize("size", [300, 2_000])
def test_two_documents_in_pieces(tmp_path, monkeypatch, layout, suffix, size):
    one = text_of(layout, events(10))
    path = write(tmp_path / f"a.{suffix}", one + text_of(layout, [op("other", 1, 2)] * 30))
    in_pieces(monkeypatch, size)
    trace = read(path)
    assert len(trace) == 80
    assert any("two processes" in w for w in trace.warnings)
    assert len(trace.rows(name="other")) == 0
    assert trace.skipped_events == 0


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("suffix", ["json", "json.gz"])
@pytest.mark.parametrize("seed", range(12))
def test_damage_in_pieces(tmp_path, monkeypatch, layout, suffix, seed):
    """One event in ten is damaged; the others are all there, wherever the file is cut for reading."""
    chance = random.Random(seed)
    lists = {"dims": [[2, 3], []], "inputs": [{"name": "a"}, {"id": 3}], "last": {"x": [1]}}
    names = [f"n{i}" for i in range(60)]
    text = text_of(layout, [op(name, 10 * i, 5, **lists) for i, name in enumerate(names)])
    hurt = set(chance.sample(names, 6))
    for name in hurt:
        begin = text.rindex("{", 0, text.index(f'"{name}"'))
        end, depth = begin, 0
        while depth or end == begin:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[:begin] + damaged(text[begin:end], chance) + text[end:]
    in_pieces(monkeypatch, chance.choice((100, 600, 2_000)))
    trace = read(write(tmp_path / f"a.{suffix}", text))
    rest = [name for name in names if name not in hurt]
    assert set(rest) <= {trace.name(row) for row in range(len(trace))}
    for name in rest[::9]:
        assert trace.args(trace.rows(name=name)[0]) == lists


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("suffix", ["json", "json.gz"])
def test_cuts_in_pieces(tmp_path, monkeypatch, layout, suffix):
    text = text_of(layout, events(6))
    in_pieces(monkeypatch, 300)
    kept = []
    for cut in range(len(text) - 200, 200, -311):
        try:
            trace = read(write(tmp_path / f"a.{suffix}", text[:cut]))
        except load.TraceError:
            break
        kept.append(len(trace))
        assert any("cut short" in w for w in trace.warnings)
    assert kept == sorted(kept, reverse=True)
    assert kept[0] >= 46


def test_an_event_longer_than_any_piece(tmp_path, monkeypatch):
    """In pieces of 2 kB an event of 40 kB is cut in torch's layout: it is lost, and no other."""
    monkeypatch.setattr(load, "SCAN_BYTES", 1_000)
    monkeypatch.setattr(load, "MAX_PIECE_BYTES", 2_000)
    long = op("long", 5, 1, text="x" * 400_000)
    before, after = [op(f"a{i}", i, 1) for i in range(5)], [op(f"b{i}", 10 + i, 1) for i in range(5)]
    for suffix in ("json", "json.gz"):
        trace = read(write(tmp_path / f"a.{suffix}", text_of("kineto", [*before, long, *after])))
        assert {f"{x}{i}" for x in "ab" for i in range(5)} <= {trace.name(r) for r in range(len(trace))}
        assert trace.skipped_events + len(trace.rows(name="long")) >= 1


def test_codes_are_never_ahead_of_their_values():
    """A thread that gets a code can look its value up, though another one has just given it."""
    values = Interner()

    def work(_: int) -> bool:
        return all(values.values[values.code(i)] == i for i in range(20_000))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(work, range(4)))
    finally:
        sys.setswitchinterval(before)
    assert values.values == list(range(20_000))
