"""``profiling-series read``: say what traces show, to people or to programs."""

from __future__ import annotations

import json
import sys
from argparse import Namespace

from profiling_series.cli.exits import OK, told
from profiling_series.errors import ProfilingSeriesError


def work(options: Namespace) -> int:
    """Return 0 if every file was read, else the code of the first that was not; the others are read, too."""
    codes = [_one(path, as_json=options.json, last=path is options.files[-1]) for path in options.files]
    return next((code for code in codes if code != OK), OK)


def _one(path: str, *, as_json: bool, last: bool) -> int:
    from profiling_series.trace import read

    try:
        trace = read(path)
        if as_json:
            # Strict JSON: a value that cannot be told is null, never NaN.
            print(json.dumps(trace.as_dict(), allow_nan=False))
        else:
            from profiling_series.report import summary

            print(summary(trace).text(), end="\n" if last else "\n\n")
    except ProfilingSeriesError as error:
        return told(error)
    sys.stdout.flush()
    return OK
