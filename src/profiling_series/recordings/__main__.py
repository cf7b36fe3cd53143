"""``python -m profiling_series.recordings``: make the recordings again, on this machine's GPU."""

from __future__ import annotations

import argparse
import sys

from profiling_series.exits import guarded
from profiling_series.recordings.making import known, record_again
from profiling_series.results import AnyFigures, Capture


def main(argv: list[str] | None = None) -> int:
    """Return the exit code of the command."""
    parser = argparse.ArgumentParser(
        prog="python -m profiling_series.recordings",
        description="Measure the recordings again on this machine's GPU, and store them.",
    )
    parser.add_argument("--only", metavar="TEXT", help="only those whose key contains TEXT")
    parser.add_argument("--missing", action="store_true", help="only those that are missing or out of date")
    parser.add_argument("--out", metavar="DIR", help="store them there instead of in the package")
    parser.add_argument("--list", action="store_true", help="print their keys and stop")
    options = parser.parse_args(argv)

    def work() -> int:
        if options.list:
            print("\n".join(request.key for request in known()))
            return 0
        for made in record_again(options.out, only=options.only, missing=options.missing, progress=_tell):
            print(_line(made))
        return 0

    return guarded(work)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _line(made: Capture | AnyFigures) -> str:
    facts = made.provenance
    stages = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in facts.stages_s.items())
    return f"{made.key}: {made.source_line}, {facts.elapsed_s or 0:.1f} s ({stages})"


if __name__ == "__main__":
    sys.exit(main())
