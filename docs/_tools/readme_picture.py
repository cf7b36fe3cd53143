"""Write the README's picture: the first lesson's timeline, drawn by the package from its recording.

Run it after the recording or the drawing changed: ``python docs/_tools/readme_picture.py``.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

DOCS = Path(__file__).parents[1]
sys.path[:0] = [str(DOCS), str(DOCS.parent / "src")]

from _ext import svg  # noqa: E402

from profiling_series import MatmulAdd, capture, timeline  # noqa: E402


def main() -> None:
    """Draw the recording's timeline and write it where the README expects it."""
    recording = capture(MatmulAdd(size=64), warm=False, source="recorded")
    picture = re.search(r"<svg\b.*?</svg>", timeline(recording)._repr_html_(), re.DOTALL)
    if picture is None:
        raise SystemExit("the timeline holds no picture")
    target = DOCS / "_static" / "readme-timeline.svg"
    target.write_text(svg.standalone(picture[0]) + "\n", encoding="utf-8")
    print(f"{target}: {recording.source_line}, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
