"""``python -m profiling_series.cli.faults_check DIR``: measure every planted fault and its healthy twin.

Each is captured in a fresh process into DIR, or read from there if an earlier run has kept it; then the table
is printed: what each fault costs, whether it was named, and what was named in the twin.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from profiling_series.errors import CaptureError, ProfilingSeriesError, UsageError
from profiling_series.findings.faulttable import as_text, table
from profiling_series.profiler import capture
from profiling_series.results import Capture, Request
from profiling_series.results.planted import twins
from profiling_series.workloads.faults import FAULTS, Fault


def main(argv: list[str] | None = None) -> int:
    """Return 0 where every fault was measured and named and no twin was accused, else 1."""
    options = _parser().parse_args(argv)
    chosen = [fault for fault in FAULTS if options.only is None or options.only in fault.finding]
    if options.tiny:
        chosen = [fault.tiny() for fault in chosen]
    started = time.monotonic()
    measured = [(fault, *_twins(fault, options)) for fault in chosen]
    rows = table(measured)
    print(f"\n{as_text(rows)}\n\n{time.monotonic() - started:.0f} s")
    return 0 if all(row.hit and row.healthy and not row.false_alarms for row in rows) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m profiling_series.cli.faults_check", description=__doc__)
    parser.add_argument("out", metavar="DIR", help="where captures are kept")
    parser.add_argument("--only", metavar="TEXT", help="only the faults whose finding contains TEXT")
    parser.add_argument("--source", default="cuda", help="cuda (default), cpu, recorded or replay")
    parser.add_argument("--tiny", action="store_true", help="in sizes for a CPU, which show no cost")
    parser.add_argument("--again", action="store_true", help="measure what is in DIR already as well")
    return parser


def _twins(fault: Fault, options: argparse.Namespace) -> tuple[Capture | None, Capture | None]:
    faulty, healthy = (_captured(request, options) for request in twins(fault))
    return faulty, healthy


def _captured(request: Request, options: argparse.Namespace) -> Capture | None:
    """Return the capture, from DIR or measured; None, and the reason on standard error, where it failed."""
    if not options.again:
        try:
            return Capture.load(Path(options.out) / request.key)
        except UsageError:
            pass
    started = time.monotonic()
    try:
        made = capture(
            request.workload,
            warm=request.warm,
            compile=request.compile,
            schedule=request.schedule,
            source=options.source,
            out=options.out,
        )
    except ProfilingSeriesError as error:
        details = error.details if isinstance(error, CaptureError) else ""
        print(f"{request.key}: {error}\n{details[-2000:]}", file=sys.stderr, flush=True)
        return None
    size = made.trace_path.stat().st_size / 1000
    print(f"{request.key}: {time.monotonic() - started:.1f} s, {size:,.0f} kB", flush=True)
    for warning in made.warnings:
        print(f"  {warning}", flush=True)
    return made


if __name__ == "__main__":
    sys.exit(main())
