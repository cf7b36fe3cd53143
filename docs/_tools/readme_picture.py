"""Write the README's picture: the first lesson's timeline, drawn by the package from its recording.

Run it after the recording or the drawing changed: ``python docs/_tools/readme_picture.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).parents[1]
sys.path.insert(0, str(DOCS.parent / "src"))

from profiling_series import MatmulAdd, capture, timeline  # noqa: E402


def main() -> None:
    """Draw the recording's timeline and write it where the README expects it."""
    recording = capture(MatmulAdd(size=64), warm=False, source="recorded")
    target = DOCS / "_static" / "readme-timeline.svg"
    timeline(recording).save(target)
    print(f"{target}: {recording.source_line}, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
