"""Altered copies of recordings: what a page says of an event must go when the event goes.

``python tests/docs/altered.py SOURCE TARGET [CHANGE …]`` copies a folder of recordings and changes the
traces, their tables and checksums. Then build the site with ``PROFILING_SERIES_RECORDINGS=TARGET``. Changes:

occupancy-query
    A query before each launch of the longest kernel, as the libraries of older GPUs make one.
no-memset
    Memsets and the calls that launch them are gone.
renamed
    Every kernel has a name that nobody knows.
no-compile-rows
    The rows with which ``torch.compile`` shows itself are gone.
no-overhead
    The profiler's own rows, buffer requests among them, are gone.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

QUERY = "cudaOccupancyMaxActiveBlocksPerMultiprocessor"
COMPILE_ROW = re.compile(
    r"TorchDynamo Cache Lookup|Torch-Compiled Region|AOTDispatcher|## Call CompiledFxGraph|Pregraph bytecode"
)
Events = list[dict[str, Any]]


def occupancy_query(events: Events) -> Events:
    """Return the events with a query before each launch of the kernel that takes most time."""
    total: dict[str, float] = {}
    for event in _of(events, "kernel"):
        total[event["name"]] = total.get(event["name"], 0.0) + event["dur"]
    if not total:
        return events
    longest = max(total, key=total.__getitem__)
    wanted = {_tie(event) for event in _of(events, "kernel") if event["name"] == longest}
    calls = [event for event in _of(events, "cuda_runtime", "cuda_driver") if _tie(event) in wanted]
    added = [
        {**call, "cat": "cuda_runtime", "name": QUERY, "ts": call["ts"] - 0.4, "dur": 0.3, "args": {}}
        for call in calls
    ]
    return [*events, *added]


def no_memset(events: Events) -> Events:
    """Return the events without memsets and their launches."""
    gone = {_tie(event) for event in _of(events, "gpu_memset")}
    return [
        event
        for event in events
        if event.get("cat") != "gpu_memset"
        and not (event.get("cat") in ("cuda_runtime", "cuda_driver", "ac2g") and _tie(event) in gone)
    ]


def renamed(events: Events) -> Events:
    """Return the events with a name that says nothing on each kernel."""
    return [
        {**event, "name": _new_name(event["name"])} if event.get("cat") == "kernel" else event
        for event in events
    ]


def no_compile_rows(events: Events) -> Events:
    """Return the events without the rows of ``torch.compile``."""
    return [event for event in events if not COMPILE_ROW.search(str(event.get("name", "")))]


def no_overhead(events: Events) -> Events:
    """Return the events without the profiler's own overhead."""
    return [event for event in events if event.get("cat") != "overhead"]


CHANGES: dict[str, Callable[[Events], Events]] = {
    "occupancy-query": occupancy_query,
    "no-memset": no_memset,
    "renamed": renamed,
    "no-compile-rows": no_compile_rows,
    "no-overhead": no_overhead,
}


def alter(source: Path, target: Path, changes: list[str] | None = None) -> list[Path]:
    """Return the traces of the altered copy of a folder of recordings; None for every change at once."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    traces = sorted(target.rglob("*.json.gz"))
    for path in traces:
        trace = json.loads(gzip.decompress(path.read_bytes()))
        kernels = {event["name"] for event in _of(trace["traceEvents"], "kernel")}
        before = _names(trace["traceEvents"])
        for change in CHANGES if changes is None else changes:
            trace["traceEvents"] = CHANGES[change](trace["traceEvents"])
        gone = before - _names(trace["traceEvents"])
        data = gzip.compress(json.dumps(trace).encode(), mtime=0)
        path.write_bytes(data)
        stem = str(path).removesuffix(".json.gz")
        _table(Path(f"{stem}.txt"), gone - kernels, gone & kernels)
        described = Path(f"{stem}.provenance.json")
        facts = {**json.loads(described.read_text()), "trace_sha256": hashlib.sha256(data).hexdigest()}
        described.write_text(json.dumps(facts, indent=2) + "\n")
    return traces


def _table(path: Path, gone: set[str], renamed: set[str]) -> None:
    """Take the rows out of torch's table whose events are gone, and give kernels their new names."""
    lines = []
    for line in path.read_text().splitlines():
        cell = re.split(r"\s{2,}", line.strip(), maxsplit=1)[0]
        if any(_is_of(cell, name) for name in gone):
            continue
        if (old := next((name for name in renamed if _is_of(cell, name)), None)) is not None:
            line = line.replace(cell, _new_name(old).rjust(len(cell)), 1)
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")


def _is_of(cell: str, name: str) -> bool:
    """Whether a cell of the table holds a name, which torch may have cut."""
    return bool(cell) and (cell == name or (cell.endswith("...") and name.startswith(cell[:-3])))


def _names(events: Events) -> set[str]:
    return {event["name"] for event in events if "name" in event}


def _new_name(name: str) -> str:
    return f"kernel_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _of(events: Events, *categories: str) -> Events:
    return [event for event in events if event.get("cat") in categories and event.get("ph") == "X"]


def _tie(event: dict[str, Any]) -> Any:
    """Return what ties a call, its GPU event and the arrow between them."""
    return event["id"] if event.get("cat") == "ac2g" else event.get("args", {}).get("correlation")


def main() -> None:
    """Alter a folder of recordings, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("source", type=Path, help="folder of recordings")
    parser.add_argument("target", type=Path, help="folder to make")
    parser.add_argument(
        "changes", nargs="*", metavar="CHANGE", help=f"of {', '.join(CHANGES)} (default: all)"
    )
    options = parser.parse_args()
    if unknown := set(options.changes) - set(CHANGES):
        parser.error(f"unknown change {', '.join(sorted(unknown))}; there are {', '.join(CHANGES)}")
    print(f"{len(alter(options.source, options.target, options.changes or None))} traces altered")


if __name__ == "__main__":
    main()
