"""Write a large trace by repeating a recorded one: fresh timestamps and ids, in a chosen layout.

    python benchmarks/generate.py SOURCE OUT --size 1.5GB --layout torch

Layouts: ``torch`` (as torch ≥ 2.2 prints it, with three decimals), ``older`` (whole microseconds,
args over several lines, as before 2.2) and ``compact`` (one line, as ``json.dumps`` re-saves it).
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

ID_KEYS = ("External id", "correlation", "Ev Idx", "Python id", "Python parent id", "Record function id")
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}


def parse_size(text: str) -> int:
    """Bytes in a text such as 1.5GB (powers of ten)."""
    found = re.fullmatch(r"([\d.]+)\s*([KMG]?B?)", text.strip(), re.I)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; write it as 200MB or 1.5GB")
    return int(float(found[1]) * UNITS[found[2].upper()])


def load(path: Path) -> dict[str, Any]:
    """The source trace, its numbers kept exactly."""
    raw = path.read_bytes()
    return json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw, parse_float=Decimal)


def shifted(event: dict[str, Any], by_us: Decimal, by_id: int) -> dict[str, Any]:
    """A copy of an event, later in time and with ids of its own."""
    new = dict(event)
    if "ts" in new:
        new["ts"] = new["ts"] + by_us
    if "id" in new and isinstance(new["id"], int):
        new["id"] += by_id
    args = new.get("args")
    if args:
        new["args"] = {k: v + by_id if k in ID_KEYS and isinstance(v, int) else v for k, v in args.items()}
    if isinstance(new.get("name"), str) and new["name"].startswith("ProfilerStep#"):
        new["name"] = f"ProfilerStep#{int(new['name'][13:]) + by_id}"
    return new


def _number(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, Decimal) else json.dumps(value)


def _dumps(value: Any) -> str:
    return json.dumps(value, default=float)


def torch_layout(event: dict[str, Any], decimals: bool = True) -> str:
    """An event as Kineto prints it."""
    args = event.get("args")
    if event.get("ph") != "X":
        keys = ", ".join(f"{json.dumps(k)}: {_number(v)}" for k, v in event.items() if k != "args")
        tail = f',\n    "args": {{\n      {_dumps(args)[1:-1]}\n    }}' if args else ""
        return f"  {{\n    {keys}{tail}\n  }}"
    ts, dur = event["ts"], event["dur"]
    times = (f"{ts:.3f}", f"{dur:.3f}") if decimals else (str(int(ts)), str(int(dur)))
    head = ", ".join(f"{json.dumps(k)}: {json.dumps(event[k])}" for k in ("ph", "cat", "name", "pid", "tid"))
    body = f'  {{\n    {head},\n    "ts": {times[0]}, "dur": {times[1]}'
    if not args:
        return body + "\n  }"
    joined = _dumps(args)[1:-1]
    if not decimals:
        joined = joined.replace(', "', ',\n      "', 3)
    return f'{body},\n    "args": {{\n      {joined}\n    }}\n  }}'


def older_layout(event: dict[str, Any]) -> str:
    """An event as Kineto printed it before torch 2.2."""
    return torch_layout(event, decimals=False)


LAYOUTS: dict[str, tuple[Callable[[dict[str, Any]], str], str]] = {
    "torch": (torch_layout, ",\n"),
    "older": (older_layout, ",\n"),
    "compact": (_dumps, ", "),
}


def repeated(trace: dict[str, Any], text_of: Callable[[dict[str, Any]], str]) -> Iterator[str]:
    """Texts of the events, round after round, for ever; metadata once."""
    events = [e for e in trace["traceEvents"] if e.get("ph") != "M"]
    yield from (text_of(e) for e in trace["traceEvents"] if e.get("ph") == "M")
    times = [e["ts"] for e in events if e.get("ph") == "X"]
    ends = [e["ts"] + e["dur"] for e in events if e.get("ph") == "X"]
    span = Decimal(int(max(ends) - min(times)) + 1000)
    ids = (
        max(
            v for e in events for k, v in (e.get("args") or {}).items() if k in ID_KEYS and isinstance(v, int)
        )
        + 1
    )
    rounds = 0
    while True:
        for event in events:
            yield text_of(shifted(event, span * rounds, ids * rounds))
        rounds += 1


def generate(source: Path, out: Path, size: int, layout: str = "torch") -> int:
    """Write a trace of about ``size`` bytes to ``out`` and return its number of events."""
    trace = load(source)
    text_of, separator = LAYOUTS[layout]
    head = {k: v for k, v in trace.items() if k not in ("traceEvents", "traceName")}
    written = count = 0
    with out.open("w") as file:
        opening = "{" + _dumps(head)[1:-1] + (", " if head else "") + '"traceEvents": ['
        if layout != "compact":
            opening = "\n  " + opening + "\n"
        file.write(opening)
        for text in repeated(trace, text_of):
            if count:
                written += file.write(separator)
            written += file.write(text)
            count += 1
            if written >= size:
                break
        file.write(
            '], "traceName": "generated"}'
            if layout == "compact"
            else '\n  ],\n  "traceName": "generated"\n}\n'
        )
    return count


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path, help="a recorded trace (.json or .json.gz)")
    parser.add_argument("out", type=Path)
    parser.add_argument("--size", type=parse_size, default=parse_size("200MB"))
    parser.add_argument("--layout", choices=LAYOUTS, default="torch")
    given = parser.parse_args()
    count = generate(given.source, given.out, given.size, given.layout)
    print(f"{given.out}: {count:,} events, {given.out.stat().st_size:,} bytes, {given.layout} layout")


if __name__ == "__main__":
    main()
