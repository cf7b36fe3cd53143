"""``python -m profiling_series``: the same as the command ``profiling-series``."""

from __future__ import annotations

import sys

from profiling_series.cli import main

if __name__ == "__main__":
    sys.exit(main())
