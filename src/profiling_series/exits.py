"""How a command ends: exit codes, one line for an error, and quiet where a reader or Ctrl-C ends it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from profiling_series.errors import ProfilingSeriesError, TraceError, UsageError
from profiling_series.format import one_line

OK = 0
FAILED = 1
WRONG_USE = 2
NOT_READABLE = 3
INTERRUPTED = 130  # 128 + SIGINT, as shells count it
PIPE_CLOSED = 141  # 128 + SIGPIPE


def guarded(work: Callable[[], int]) -> int:
    """Return the exit code of `work`, whatever ends it; errors of ours become one line on standard error."""
    if sys.stdout is None:  # closed by the caller: there is nobody to tell
        return PIPE_CLOSED
    for stream in (sys.stdout, sys.stderr):
        # Under LANG=C, "µs" must not end in a UnicodeEncodeError.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = work()
        sys.stdout.flush()
    except ProfilingSeriesError as error:
        return told(error)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # `… | head` has seen enough. Python would complain once more when it flushes at exit.
        _drop_output()
        return PIPE_CLOSED
    except OSError as error:
        # A full disk behind a redirection, say. Errors of files that are read are told where they happen.
        _drop_output()
        print(f"profiling-series: cannot write the output: {error.strerror or error}", file=sys.stderr)
        return FAILED
    return code


def _drop_output() -> None:
    """Let what is still to be flushed at exit go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def told(error: ProfilingSeriesError) -> int:
    """Return the exit code of an error, after its one line has gone to standard error."""
    print(f"profiling-series: {one_line(str(error))}", file=sys.stderr, flush=True)
    return code_of(error)


def code_of(error: ProfilingSeriesError) -> int:
    """Return the exit code of an error: 3 for what is not a trace, 2 for wrong use, else 1."""
    if isinstance(error, TraceError):
        return NOT_READABLE
    return WRONG_USE if isinstance(error, UsageError) else FAILED
