"""The command line: ``profiling-series run``, ``read``, ``open``, ``kernel`` and ``list``."""

from __future__ import annotations

from collections.abc import Sequence

from profiling_series.cli.parser import build_parser
from profiling_series.exits import guarded

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Return the exit code: 0 done, 1 a measurement failed, 2 wrong use, 3 not readable as a trace.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process by default.

    Returns
    -------
    int
        For ``sys.exit``.
    """
    options = build_parser().parse_args(argv)

    def work() -> int:
        code: int = options.work(options)
        return code

    return guarded(work)
