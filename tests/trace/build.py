"""Small traces from a terse description, in each layout that torch or a re-saving tool writes.

Times are µs with up to three decimals. A test states events and works its values out by hand::

    read_events(tmp_path, step(1, 0, 100), call(10, 4, 7), kernel(30, 50, 7))
"""

from __future__ import annotations

import gzip
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from profiling_series.trace import Trace, TraceError, read

Event = dict[str, Any]
LAYOUTS = ("kineto", "compact", "older")
HOST, MAIN = 100, 100  # pid and tid of the events that name none


def event(cat: str, name: str, ts: Any, dur: Any, *, pid: Any = HOST, tid: Any = MAIN, **args: Any) -> Event:
    """A complete event; ``args`` of value None are left out."""
    args = {key: value for key, value in args.items() if value is not None}
    found = {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur}
    return found | ({"args": args} if args else {})


def op(name: str, ts: Any, dur: Any, **more: Any) -> Event:
    return event("cpu_op", name, ts, dur, **more)


def annotation(name: str, ts: Any, dur: Any, **more: Any) -> Event:
    return event("user_annotation", name, ts, dur, **more)


def step(number: int, ts: Any, dur: Any, **more: Any) -> Event:
    return annotation(f"ProfilerStep#{number}", ts, dur, **more)


def call(ts: Any, dur: Any, correlation: Any = None, name: str = "cudaLaunchKernel", **more: Any) -> Event:
    cat = more.pop("cat", "cuda_driver" if name.startswith("cu") and name[2:3].isupper() else "cuda_runtime")
    return event(cat, name, ts, dur, correlation=correlation, **more)


def kernel(
    ts: Any,
    dur: Any,
    correlation: Any = None,
    name: str = "gemm",
    *,
    device: Any = 0,
    stream: Any = 7,
    **more: Any,
) -> Event:
    more = {"pid": device, "tid": stream, "cat": "kernel"} | more
    cat = more.pop("cat")
    return event(cat, name, ts, dur, device=device, stream=stream, correlation=correlation, **more)


def memcpy(
    ts: Any, dur: Any, correlation: Any = None, name: str = "Memcpy HtoD (Pageable -> Device)", **more: Any
) -> Event:
    return kernel(ts, dur, correlation, name, **({"cat": "gpu_memcpy"} | more))


def memset(ts: Any, dur: Any, correlation: Any = None, name: str = "Memset (Device)", **more: Any) -> Event:
    return kernel(ts, dur, correlation, name, **({"cat": "gpu_memset"} | more))


def overhead(ts: Any, dur: Any, name: str = "Activity Buffer Request") -> Event:
    return event("overhead", name, ts, dur, pid=-1, tid=0)


# Texts


def shifted(events: list[Event], by: int) -> list[Event]:
    """The events, ``by`` µs later (exactly)."""
    return [
        e | {"ts": Decimal(str(e["ts"])) + by} if isinstance(e.get("ts"), (int, float, Decimal)) else e
        for e in events
    ]


def number(value: Any, decimals: int | None = None) -> str:
    """A JSON number or text as it stands; with ``decimals``, numbers are printed with that many."""
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool) and decimals is not None:
        return f"{Decimal(str(value)):.{decimals}f}"
    return str(value) if isinstance(value, Decimal) else json.dumps(value)


def args_text(args: dict[str, Any]) -> str:
    return ", ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in args.items())


def kineto_event(e: Event, decimals: int = 3) -> str:
    """One event as Kineto prints it: header line, time line, args on lines of their own."""
    header = ", ".join(f'"{k}": {json.dumps(e[k])}' for k in ("ph", "cat", "name", "pid", "tid") if k in e)
    times = ", ".join(f'"{k}": {number(e[k], decimals)}' for k in ("ts", "dur") if k in e)
    lines = ["  {", f"    {header},", f"    {times}"] if times else ["  {", f"    {header}"]
    if "args" in e:
        lines[-1] += ","
        lines += ['    "args": {', f"      {args_text(e['args'])}", "    }"]
    return "\n".join([*lines, "  }"])


def older_event(e: Event) -> str:
    """One event as Kineto printed it around torch 1.8: name on a line of its own, whole microseconds."""
    first = ", ".join(f'"{k}": {json.dumps(e[k])}' for k in ("ph", "cat") if k in e)
    second = ", ".join(f'"{k}": {json.dumps(e[k])}' for k in ("name", "pid", "tid") if k in e)
    times = ", ".join(f'"{k}": {number(e[k])}' for k in ("ts", "dur") if k in e)
    lines = ["  {", f"    {first}, ", f"    {second},", f"    {times}"]
    if not times:
        lines = ["  {", f"    {first}, ", f"    {second}"]
    if "args" in e:
        lines[-1] += ","
        lines += ['    "args": {', f"      {args_text(e['args'])}", "    }"]
    return "\n".join([*lines, "  }"])


def kineto(events: list[Event], metadata: dict[str, Any] | None = None, trailer: str = "/tmp/a.json") -> str:
    head = "".join(f"  {json.dumps(k)}: {json.dumps(v)},\n" for k, v in (metadata or {}).items())
    body = ",\n".join(kineto_event(e) if e.get("ph") == "X" else f"  {json.dumps(e)}" for e in events)
    return (
        f'{{\n  "schemaVersion": 1,\n{head}  "traceEvents": [\n{body}\n  ],\n  "traceName": "{trailer}"\n}}\n'
    )


def compact(events: list[Event], metadata: dict[str, Any] | None = None) -> str:
    def plain(value: Any) -> Any:
        return float(value) if isinstance(value, Decimal) else value

    # Decimals are printed as digits: json.dumps would go through a float that cannot hold them.
    texts = []
    for e in events:
        fields = (f'"{k}":{number(v, None) if k in ("ts", "dur") else json.dumps(v)}' for k, v in e.items())
        texts.append("{" + ",".join(fields) + "}")
    head = json.dumps((metadata or {}) | {"schemaVersion": 1}, default=plain, separators=(",", ":"))[:-1]
    return f'{head},"traceEvents":[{",".join(texts)}],"traceName":"/tmp/a.json"}}'


def older(events: list[Event], metadata: dict[str, Any] | None = None) -> str:
    head = "".join(f"  {json.dumps(k)}: {json.dumps(v)},\n" for k, v in (metadata or {}).items())
    body = ",\n".join(older_event(e) if e.get("ph") == "X" else f"  {json.dumps(e)}" for e in events)
    return f'{{\n{head}  "traceEvents": [\n{body}\n]}}\n'


def text_of(layout: str, events: list[Event], metadata: dict[str, Any] | None = None) -> str:
    return {"kineto": kineto, "compact": compact, "older": older}[layout](events, metadata)


# Files


def write(path: Path, text: str | bytes) -> Path:
    """The file, its text as UTF-8; gzipped where the name ends in .gz."""
    raw = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def read_text(folder: Path, text: str | bytes, name: str = "a.json") -> Trace:
    return read(write(folder / name, text))


def read_or_refuse(path: Path) -> tuple[Trace | None, str]:
    """The trace, or None and the message of the refusal; any other error is passed on."""
    try:
        return read(path), ""
    except TraceError as error:
        return None, str(error)


def read_events(
    folder: Path, *events: Event, layout: str = "kineto", base: int = 4_100_000_000_000, **metadata: Any
) -> Trace:
    """The trace of the events, ``base`` µs after zero."""
    return read_text(folder, text_of(layout, shifted(list(events), base), metadata))


def reading(folder: Path, *events: Event, **how: Any) -> dict[str, Any]:
    """`Trace.as_dict` of the events; it must be strict JSON."""
    found = read_events(folder, *events, **how).as_dict()
    json.dumps(found, allow_nan=False)
    return found
