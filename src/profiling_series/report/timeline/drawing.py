"""Words and lines at their pixels: lines go around words, for no background can be laid under them.

A page's colour is not known here, and it changes with the page's theme.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..palette import INK
from .widths import width_px

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

_BOLD = 1.12
"""Bold runs about a tenth wider than what is measured."""
_HALF_LINE_PX = 7


@dataclass(frozen=True)
class Word:
    """A line of text: x of its `anchor` (``start``, ``middle`` or ``end``), y of its middle."""

    x: float
    y: float
    text: str
    anchor: str
    ink: str


@dataclass(frozen=True)
class Stroke:
    """Straight lines of one strength, each from one point to another."""

    lines: tuple[tuple[Point, Point], ...]
    width: float
    opacity: float
    dashes: str = ""


@dataclass
class Drawing:
    """What is drawn besides the bars, by layer: ``grid``, ``head``, ``link``, …, in the order of drawing.

    Attributes
    ----------
    words, strokes : dict of str to list
        Layer → what is in it.
    taken : list of tuple of float
        The boxes of the words in the page's ink so far, which lines and later words keep off.
    """

    words: dict[str, list[Word]] = field(default_factory=dict)
    strokes: dict[str, list[Stroke]] = field(default_factory=dict)
    taken: list[Box] = field(default_factory=list)

    def write(
        self, x: float, y: float, text: str, layer: str, *, anchor: str = "start", ink: str = INK
    ) -> None:
        """Add a line of text.

        Parameters
        ----------
        x, y : float
            Where; y is the middle of the line.
        text : str
            One line.
        layer : str
            What it is; a ``head`` is bold.
        anchor : str
            Which part of it x is.
        ink : str
            Its colour.
        """
        self.words.setdefault(layer, []).append(Word(x, y, text, anchor, ink))
        if ink == INK:
            width = width_px(text) * (_BOLD if layer == "head" else 1)
            left = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
            self.taken.append((left - 2, y - _HALF_LINE_PX, left + width + 2, y + _HALF_LINE_PX))

    def line(
        self, start: Point, end: Point, layer: str, width: float, opacity: float, dashes: str = ""
    ) -> None:
        """Add a straight line, interrupted where words stand.

        Parameters
        ----------
        start, end : tuple of float
            Its ends.
        layer : str
            What it is.
        width, opacity : float
            Its strength.
        dashes : str
            Lengths of dash and gap, as SVG takes them.
        """
        self.lines(around(start, end, self.taken), layer, width, opacity, dashes)

    def lines(
        self,
        lines: list[tuple[Point, Point]],
        layer: str,
        width: float,
        opacity: float,
        dashes: str = "",
    ) -> None:
        """Add lines as they are, nothing where there are none.

        Parameters
        ----------
        lines : list of tuple of tuple of float
            The ends of each.
        layer : str
            What they are.
        width, opacity : float
            Their strength.
        dashes : str
            Lengths of dash and gap, as SVG takes them.
        """
        if lines:
            self.strokes.setdefault(layer, []).append(Stroke(tuple(lines), width, opacity, dashes))


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
