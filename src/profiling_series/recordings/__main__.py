"""``python -m profiling_series.recordings``: make the recordings, on this machine's GPU."""

from __future__ import annotations

import argparse
import sys

from profiling_series.cli.exits import guarded
from profiling_series.profiler import Capture
from profiling_series.recordings.manifest import MANIFEST, record_all


def main(argv: list[str] | None = None) -> int:
    """Return the exit code of the command."""
    parser = argparse.ArgumentParser(
        prog="python -m profiling_series.recordings",
        description="Measure the captures of the manifest on this machine's GPU, and store them.",
    )
    parser.add_argument("--only", metavar="TEXT", help="only those whose key contains TEXT")
    parser.add_argument("--out", metavar="DIR", help="store them there instead of in the package")
    parser.add_argument("--list", action="store_true", help="print the keys of the manifest and stop")
    options = parser.parse_args(argv)

    def work() -> int:
        if options.list:
            print("\n".join(request.key for request in MANIFEST))
            return 0
        for made in record_all(options.out, only=options.only, progress=_tell):
            print(_line(made))
        return 0

    return guarded(work)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _line(made: Capture) -> str:
    return f"{made.trace_path}: {made.source_line}, {made.provenance['elapsed_s']:.1f} s"


if __name__ == "__main__":
    sys.exit(main())
