"""Real-shaped traces broken at random: a result or one clear line, strict JSON, never a hang."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from profiling_series.trace import python_frames

from .build import (
    LAYOUTS,
    annotation,
    call,
    event,
    kernel,
    memcpy,
    op,
    overhead,
    read_or_refuse,
    shifted,
    step,
    text_of,
    write,
)
from .mutate import mutated

CASES = Path(__file__).parent.parent / "data" / "cases"
SECONDS = 0.8  # for each source of texts; whole inputs only
MOST_SECONDS = 20  # for one input: beyond, it is a hang

EVENTS = [
    step(1, 0, 100),
    op("aten::mm", 5, 20, **{"Input Dims": [[2, 3], []]}),
    annotation("forward", 2, 50),
    call(10, 4, 7),
    kernel(30, 50, 7, grid=[1, 1, 1]),
    call(12, 1, 8, "cudaMemcpyAsync"),
    memcpy(90, 3, 8, bytes=64),
    overhead(3, 4),
    step(2, 100, 100),
    call(110, 3, 9, "cudaGraphLaunch"),
    kernel(120, 9, 9),
    kernel(125, 9, 9, stream=9),
    event("python_function", r"f.py(1): f", 1, 90, **{"Python id": 1}),
    event("python_function", r"g.py(1): g", 2, 80, **{"Python id": 2, "Python parent id": 1}),
    event("gpu_user_annotation", "ProfilerStep#1", 30, 50, pid=0, tid=7),
]
METADATA = {"deviceProperties": [{"id": 0, "name": "G"}], "distributedInfo": {"rank": 0, "world_size": 2}}


class Hang(BaseException):
    """No Exception, so that nothing between catches it."""


@contextlib.contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def check(path: Path) -> bool:
    """Whether the file was read; fails on anything but a trace with strict JSON or a refusal of one line."""
    trace, message = read_or_refuse(path)
    if trace is None:
        assert message.isprintable()
        return False
    found = trace.as_dict()
    json.dumps(found, allow_nan=False)
    json.dumps(found, ensure_ascii=False).encode()
    assert all("\n" not in w for w in found["warnings"])
    assert len(trace) == found["events"]
    python_frames(trace)
    trace.args_of(range(len(trace)))
    for row in range(len(trace)):
        assert trace.event(row).dur_us >= 0
        trace.ancestors(row)
    return True


def sources() -> dict[str, list[bytes]]:
    texts = {"of torch's cases": [p.read_bytes() for p in sorted(CASES.iterdir()) if p.stat().st_size > 100]}
    for layout in LAYOUTS:
        texts[layout] = [text_of(layout, shifted(EVENTS, 10**12), METADATA).encode()]
    texts["gzip"] = [gzip.compress(texts["kineto"][0])]
    return texts


@pytest.mark.parametrize("source", sorted(sources()))
def test_broken_at_random(tmp_path, source):
    texts = sources()[source]
    deadline, seed, read = time.monotonic() + SECONDS, 0, 0
    while time.monotonic() < deadline or seed < 50:
        path = write(tmp_path / "a.json", mutated(texts[seed % len(texts)], seed))
        try:
            with at_most(MOST_SECONDS):
                read += check(path)
        except BaseException as error:
            raise AssertionError(f"seed {seed} of {source!r}: {type(error).__name__}: {error}") from error
        seed += 1
    assert read > seed // 20, "most of what is broken a little can still be read"


SYNTAX = ('"', "\\", "{", "}", "[", "]", ",", ":", "\n")


def damaged(body: str, chance: random.Random) -> str:
    """The text of one event with something cut out, put in or put in place of something, or cut short."""
    at, size = chance.randrange(1, len(body) - 1), chance.choice((1, 1, 3, 10))
    match chance.randrange(4):
        case 0:
            return body[:at] + (body[at + size :] or body[-1])
        case 1:
            return body[:at] + chance.choice(SYNTAX) + body[at:]
        case 2:
            return body[:at] + chance.choice(SYNTAX[:-1]) + body[at + 1 :]
    return body[:at]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", range(100))
def test_damage_to_one_event_costs_no_other(tmp_path, layout, seed):
    """Lists, and lists of objects, in the args look like the ends of other things."""
    chance = random.Random(seed)
    lists = {"dims": [[2, 3], []], "inputs": [{"name": "a"}, {"id": 3}], "last": {"x": [1]}}
    events = [
        op(f"n{i}", 10 * i, 5, **(lists if i % 3 else {}))
        if i % 2
        else kernel(10 * i, 5, i, f"n{i}", grid=[1, 1])
        for i in range(12)
    ]
    text, number = text_of(layout, events), chance.randrange(12)
    begin = text.rindex("{", 0, text.index(f'"n{number}"'))
    end, depth = begin, 0
    while depth or end == begin:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    broken = text[:begin] + damaged(text[begin:end], chance) + text[end:]
    trace, message = read_or_refuse(write(tmp_path / "a.json", broken))
    assert trace is not None, message
    rest = [f"n{i}" for i in range(12) if i != number]
    assert set(rest) <= {trace.name(row) for row in range(len(trace))}
    for name in rest:
        assert trace.args(trace.rows(name=name)[0]) == events[int(name[1:])].get("args", {})
