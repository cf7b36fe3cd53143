"""What a view is made from: a capture with all its parts, or a bare trace."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from ..errors import UsageError
from ..format import shown
from ..trace import Trace

Source = Any
"""A `Capture` or a `Trace`. Named loosely, because the reports never import the profiler."""


def trace_of(source: Source) -> Trace:
    """Return the trace of a capture, or the trace itself.

    Parameters
    ----------
    source : Capture or Trace
        What a view was asked of.

    Raises
    ------
    UsageError
        It is neither.
    """
    for candidate in (source, getattr(source, "trace", None)):
        if isinstance(candidate, Trace):
            return candidate
    raise UsageError(
        f"a view needs a Capture or a Trace, not {type(source).__name__}; "
        "profiling_series.trace.read(path) gives a Trace"
    )


def provenance_of(source: Source) -> str:
    """Return the line that says where the figures come from.

    Parameters
    ----------
    source : Capture or Trace, or a list of them
        What a view was asked of.
    """
    if isinstance(source, list) and source:
        lines = dict.fromkeys(provenance_of(one) for one in source)
        return "; ".join(lines) + (f", {len(source)} processes" if len(source) > 1 else "")
    line = getattr(source, "source_line", None)
    if line:
        return shown(str(line), 300)
    # Only the file's name: a page must not carry the folders of the machine that built it.
    return f"read from {shown(PurePath(str(trace_of(source).file)).name)}"


def table_text_of(source: Source) -> str:
    """Return torch's own table, as printed when the capture was made.

    Parameters
    ----------
    source : Capture
        What a view was asked of.

    Raises
    ------
    UsageError
        A bare trace, which carries no table.
    """
    table = getattr(source, "table", None)
    if isinstance(table, str):
        return table
    trace = trace_of(source)
    raise UsageError(
        f"{PurePath(str(trace.file)).name} is a trace alone, and torch's table is not in it; "
        "pass the capture, or use summary(trace)"
    )
