"""``profiling-series run``: measure a workload, keep the files, read the trace."""

from __future__ import annotations

import sys
from argparse import Namespace
from functools import partial
from pathlib import Path

from profiling_series.format import one_line


def work(options: Namespace) -> int:
    """Return 0 with the files written and named, and the reading printed."""
    from profiling_series.profiler import capture
    from profiling_series.results import Schedule

    params = {
        name.removeprefix("param_"): value
        for name, value in vars(options).items()
        if name.startswith("param_")
    }
    captured = capture(
        options.workload(**params),
        warm=options.warmup,
        compile=options.compile,
        schedule=Schedule(wait=options.wait, warmup=options.warmup_steps, active=options.active),
        seed=options.seed,
        source=options.source,
        out=options.out,
        progress=partial(_tell, options.workload.name),
    )
    for warning in captured.warnings:
        print(f"warning: {one_line(warning)}", file=sys.stderr)
    if captured.provenance.machine.device == "cpu" and options.source == "auto":
        print(
            "no CUDA here: this trace is of the CPU alone (--device recorded shows a GPU's)", file=sys.stderr
        )
    files = captured.files
    for path, what in (
        (files.trace, "the trace"),
        (files.table, "torch's own table"),
        (files.provenance, "where both come from"),
    ):
        print(f"{_short(path)}  {what}")
    from profiling_series.report.summary import summary

    print()
    print(summary(captured).text())
    return 0


def _tell(name: str, stage: str) -> None:
    print(f"{name}: {stage} …", file=sys.stderr, flush=True)


def _short(path: Path) -> str:
    """Return the path from here if it lies below, ready to be pasted into the next command."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
