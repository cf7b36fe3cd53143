"""Words and lines on a figure: lines go around words, for no background can be laid under them.

A page's colour is not known here, and it changes with the page's theme.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import labels
from .palette import INK

Point = tuple[float, float]
Box = tuple[float, float, float, float]


@dataclass
class Canvas:
    """The axes drawn on, and the boxes (left, top, right, bottom) of the words on them so far.

    Each artist's gid begins with what it is: ``bar:3``, ``link:0``, ``idle``, ``head``.
    """

    axes: Any
    words: list[Box] = field(default_factory=list)

    def write(
        self, x: float, y: float, text: str, gid: str, *, ink: str = INK, ha: str = "left", **style: Any
    ) -> None:
        """Add a line of text, vertically centred on y; nothing in it is taken for mathematics.

        Parameters
        ----------
        x, y : float
            Where; y is the middle of the line.
        text : str
            One line.
        gid : str
            What it is.
        ink : str
            Its colour.
        ha : str
            Which end of it x is.
        **style : str
            Its weight.
        """
        self.axes.text(
            x, y + 0.35 * labels.FONT_PX, text, color=ink, gid=gid, ha=ha, va="baseline",
            fontsize=labels.FONT_PX, family=labels.FONT, parse_math=False, **style,
        )  # fmt: skip
        if ink == INK:
            # Bold runs about a tenth wider than what is measured.
            width = labels.width_px(text) * (1.12 if style else 1)
            left = x - {"left": 0, "center": width / 2, "right": width}[ha]
            self.words.append((left - 2, y - 7, left + width + 2, y + 7))

    def line(self, start: Point, end: Point, gid: str, width: float, alpha: float, **style: Any) -> None:
        """Add a straight line in ink, interrupted where words stand.

        Parameters
        ----------
        start, end : tuple of float
            Its ends.
        gid : str
            What it is.
        width, alpha : float
            Its strength.
        **style : tuple
            Its dashes.
        """
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        points = [point for piece in around(start, end, self.words) for point in piece]
        if points:
            path = Path(points, [Path.MOVETO, Path.LINETO] * (len(points) // 2))
            self.axes.add_patch(PathPatch(path, fc="none", ec=INK, lw=width, alpha=alpha, gid=gid, **style))


def around(start: Point, end: Point, boxes: list[Box]) -> list[tuple[Point, Point]]:
    """Return the pieces of a straight line that lie outside all boxes.

    Parameters
    ----------
    start, end : tuple of float
        Its ends.
    boxes : list of tuple of float
        Left, top, right, bottom of each box.
    """
    hidden = sorted(span for box in boxes if (span := within(start, end, box)))
    pieces, at = [], 0.0
    for enters, leaves in [*hidden, (1.0, 1.0)]:
        if enters > at:
            pieces.append((point_at(start, end, at), point_at(start, end, enters)))
        at = max(at, leaves)
    return pieces


def point_at(start: Point, end: Point, part: float) -> Point:
    """Return the point at a part of the way.

    Parameters
    ----------
    start, end : tuple of float
        Its ends.
    part : float
        0 is the start, 1 the end.
    """
    return start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])


def within(start: Point, end: Point, box: Box) -> Point | None:
    """Return between which parts of its way a line lies in a box (Liang and Barsky 1984), None if never.

    Parameters
    ----------
    start, end : tuple of float
        Its ends.
    box : tuple of float
        Left, top, right, bottom.
    """
    enters, leaves = 0.0, 1.0
    for axis in (0, 1):
        way = end[axis] - start[axis]
        low, high = box[axis] - start[axis], box[axis + 2] - start[axis]
        if way == 0:
            if low > 0 or high < 0:
                return None
            continue
        first, last = sorted((low / way, high / way))
        enters, leaves = max(enters, first), min(leaves, last)
    return (enters, leaves) if enters < leaves else None
