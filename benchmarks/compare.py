"""Time this package's reader beside its peers on one file, in one run, and print ratios.

    python benchmarks/compare.py TRACE [--json OUT] [--skip hta] [--repeat 3]

Each reader runs in a process of its own. Wall time is from its start to its end, the interpreter and
imports included; peak memory is the largest sum of the resident sizes of the process and its children,
sampled. A peer that is not installed is left out and named.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import os
import platform
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

SAMPLE_S = 0.02

OURS = """
import sys, json
from profiling_series.trace import read
text = json.dumps(read(sys.argv[1]).as_dict(), allow_nan=False)
"""

JSON_LOAD = """
import sys, json, gzip
opened = gzip.open if open(sys.argv[1], "rb").read(2) == b"\\x1f\\x8b" else open
with opened(sys.argv[1], "rb") as file:
    json.load(file)
"""

ORJSON = """
import sys, gzip, orjson
opened = gzip.open if open(sys.argv[1], "rb").read(2) == b"\\x1f\\x8b" else open
with opened(sys.argv[1], "rb") as file:
    orjson.loads(file.read())
"""

MSGSPEC = """
import sys, gc, gzip
from typing import Any
import msgspec
gc.disable()
class Args(msgspec.Struct, gc=False):
    correlation: Any = None
    stream: Any = None
    device: Any = None
class Event(msgspec.Struct, gc=False):
    ph: str = ""
    cat: str = ""
    name: str = ""
    pid: Any = None
    tid: Any = None
    ts: float = 0.0
    dur: float = 0.0
    args: Args | None = None
class Trace(msgspec.Struct, gc=False):
    traceEvents: list[Event]
opened = gzip.open if open(sys.argv[1], "rb").read(2) == b"\\x1f\\x8b" else open
with opened(sys.argv[1], "rb") as file:
    msgspec.json.decode(file.read(), type=Trace)
"""

HTA = """
import sys
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_files={0: sys.argv[1]})
analysis.get_temporal_breakdown(visualize=False)
analysis.get_idle_time_breakdown(ranks=[0], visualize=False)
analysis.get_gpu_kernel_breakdown(visualize=False)
analysis.get_cuda_kernel_launch_stats(ranks=[0], visualize=False)
"""

READERS = {
    "profiling-series": ("profiling_series", OURS, "load, and every number of the reading"),
    "msgspec": ("msgspec", MSGSPEC, "typed decode of the whole file, load only"),
    "orjson": ("orjson", ORJSON, "decode of the whole file, load only"),
    "json": ("json", JSON_LOAD, "json.load, load only"),
    "hta": ("hta", HTA, "HolisticTraceAnalysis: load, temporal, idle, kernel and launch breakdowns"),
}


@dataclass(frozen=True)
class Result:
    """One reader on one file: best wall time of the repeats in seconds, peak memory in bytes."""

    reader: str
    does: str
    seconds: float
    peak_bytes: int


def tree_rss(pid: int) -> int:
    """Resident bytes of a process and its descendants (Linux)."""
    total, left = 0, [pid]
    while left:
        current = left.pop()
        try:
            total += int(Path(f"/proc/{current}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            left += [int(p) for p in Path(f"/proc/{current}/task/{current}/children").read_text().split()]
        except (OSError, IndexError):
            continue
    return total


def measure(code: str, trace: Path) -> tuple[float, int]:
    """(Wall seconds, peak bytes) of a fresh interpreter that runs ``code`` on ``trace``."""
    environment = dict(
        os.environ,
        PYTHONPATH=os.pathsep.join(
            [str(Path(__file__).parent.parent / "src"), os.environ.get("PYTHONPATH", "")]
        ),
    )
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(trace)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    peak = [0]

    def sample() -> None:
        while process.poll() is None:
            peak[0] = max(peak[0], tree_rss(process.pid))
            time.sleep(SAMPLE_S)

    watcher = threading.Thread(target=sample)
    watcher.start()
    _, errors = process.communicate()
    seconds = time.perf_counter() - begin
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{trace}: a reader failed: {errors.decode().strip().splitlines()[-1]}")
    return seconds, peak[0]


def compare(trace: Path, skip: set[str], repeat: int) -> tuple[list[Result], list[str]]:
    """Results of the installed readers, and the names of those that are not installed."""
    results, missing = [], []
    for name, (module, code, does) in READERS.items():
        if name in skip:
            continue
        if module != "profiling_series" and importlib.util.find_spec(module) is None:
            missing.append(name)
            continue
        runs = [measure(code, trace) for _ in range(1 if name == "hta" else repeat)]
        results.append(Result(name, does, min(r[0] for r in runs), max(r[1] for r in runs)))
    return results, missing


def as_text(results: list[Result], trace: Path) -> str:
    """The results as a table, ratios to the first reader."""
    size = trace.stat().st_size
    lines = [f"{'reader':18}{'s':>9}{'ratio':>8}{'peak MB':>9}{'of file':>9}  does"]
    for r in results:
        lines.append(
            f"{r.reader:18}{r.seconds:9.2f}{r.seconds / results[0].seconds:7.1f}×"
            f"{r.peak_bytes / 1e6:9.0f}{r.peak_bytes / size:8.2f}×  {r.does}"
        )
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trace", type=Path)
    parser.add_argument("--json", type=Path, help="put the results, with machine and date, into this file")
    parser.add_argument("--layout", default="torch", help="what to call the file's layout in the results")
    parser.add_argument("--skip", nargs="*", default=[], choices=READERS)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    results, missing = compare(given.trace, set(given.skip), given.repeat)
    print(as_text(results, given.trace))
    for name in missing:
        print(f"{name}: not installed, left out")
    if given.json:
        record(given.json, given.trace, given.layout, results)


def record(path: Path, trace: Path, layout: str, results: list[Result]) -> None:
    """Put a run into a file of runs, in place of an older one of the same layout."""
    run = {
        "layout": layout,
        "file_bytes": trace.stat().st_size,
        "date": datetime.date.today().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "python": platform.python_version(),
        "results": [asdict(r) for r in results],
    }
    others = json.loads(path.read_text()) if path.exists() else []
    path.write_text(json.dumps([*(o for o in others if o["layout"] != layout), run], indent=1) + "\n")


if __name__ == "__main__":
    main()
