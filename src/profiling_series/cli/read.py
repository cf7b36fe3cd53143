"""``profiling-series read``: say what traces show, to people or to programs."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from profiling_series.errors import NotATraceError, ProfilingSeriesError, UsageError
from profiling_series.exits import NOT_READABLE, OK, told
from profiling_series.format import share, visible

if TYPE_CHECKING:
    from profiling_series.trace import Trace

SUFFIXES = (".json", ".json.gz")
#: What captures write beside their traces.
NOT_TRACES = (".provenance.json", ".measure.json")


def work(options: Namespace) -> int:
    """Return 0 if every file was read, else the code of the first that was not; the others are read, too."""
    files = [file for path in options.files for file in _files(path)]
    named = set(options.files)
    show = _json if options.json else _whole if len(files) == 1 or options.full else _line
    codes: list[int | None] = []
    with _progress(len(files)) as advance:
        for file in files:
            codes.append(_one(file, show, options.max_bytes, named=file in named))
            advance()
    if others := codes.count(None):
        plural = "s hold" if others > 1 else " holds"
        print(f"profiling-series: {others} other JSON file{plural} no trace", file=sys.stderr)
        if others == len(files):
            return NOT_READABLE
    return next((code for code in codes if code), OK)


def _files(path: str) -> list[str]:
    """Return the file, or the traces in the folder and below it."""
    if not path:
        raise UsageError("an empty file name; is a variable unset?")
    # Not Path.is_dir: it raises for a name that is too long, or behind a folder that may not be entered.
    if not os.path.isdir(path):
        return [path]
    if not os.access(path, os.R_OK | os.X_OK):
        raise UsageError(f"{path}: this folder may not be listed")
    found = sorted(
        str(file)
        for file in Path(path).rglob("*")
        if file.name.endswith(SUFFIXES) and not file.name.endswith(NOT_TRACES) and file.is_file()
    )
    if not found:
        raise UsageError(f"{path}: no .json or .json.gz file in this folder or below it")
    return found


def _one(path: str, show: Callable[[Trace], None], max_bytes: int | None, *, named: bool) -> int | None:
    """Return the exit code of one file; None for one that was only found in a folder, and is no trace."""
    from profiling_series.trace import read

    try:
        show(read(path) if max_bytes is None else read(path, max_bytes))
    except NotATraceError as error:
        return told(error) if named else None
    except ProfilingSeriesError as error:
        return told(error)
    sys.stdout.flush()
    return OK


def _json(trace: Trace) -> None:
    from profiling_series.findings import reading

    # Strict JSON: a value that cannot be told is null, never NaN.
    print(json.dumps(reading(trace), allow_nan=False))


def _whole(trace: Trace) -> None:
    from profiling_series.report.summary import summary

    text = summary(trace).text()
    if not sys.stdout.isatty():
        print(text)
        return
    from rich.console import Console
    from rich.text import Text

    styled = Text(text)
    styled.highlight_regex(r"(?m)^\S.*$", "bold")
    Console(highlight=False, soft_wrap=True).print(styled)


def _line(trace: Trace) -> None:
    """Print one line: verdict, the GPU's share, the pace, and the name of the file."""
    found = trace.as_dict()
    busy, pace = found["verdict"]["gpu_busy_share"], found["pace_us"]
    columns = (
        f"{found['verdict']['regime']:15}",
        f"{'' if busy is None else f'GPU {share(busy):>7}':11}",
        f"{'' if pace is None else f'{pace:,.1f} µs a step':>20}",
        f"{len(found['steps']):4} steps {found['events']:10,} events",
        visible(trace.file),
    )
    print("  ".join(columns))


@contextmanager
def _progress(count: int) -> Iterator[Callable[[], None]]:
    """Yield what to call after each file; a terminal sees a bar of several files, on standard error."""
    if count < 2 or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=count)
        yield lambda: bar.advance(task)
