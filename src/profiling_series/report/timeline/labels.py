"""Where words fit in a picture: inside a bar, or below it on a leader."""

from __future__ import annotations

from dataclasses import dataclass

from ...format import elide, shown, us
from .widths import FONT_PX, width_px

_PAD_PX = 3.0
_GAP_PX = 7.0
_LEAST_LETTERS = 9


def inside(name: str, dur_us: float, room_px: float, *, middle: bool = False) -> str:
    """Return the longest label that fits in a room, or the empty string.

    Parameters
    ----------
    name : str
        The event's name.
    dur_us : float
        Its duration.
    room_px : float
        The width that there is.
    middle : bool
        Shorten the name in its middle, as suits a kernel's, instead of at its end; and rather the name
        than the duration.
    """
    room = room_px - 2 * _PAD_PX
    text = shown(name, 80)
    tail = f"  {us(dur_us)}"
    if width_px(text + tail) <= room:
        return text + tail
    if middle and (short := _shortened(text, room - width_px(tail), middle)):
        return short + tail
    return text if width_px(text) <= room else _shortened(text, room, middle)


def _shortened(text: str, room: float, middle: bool) -> str:
    """Return the text cut to a room; nothing where that leaves a stump, which says less than hover text."""
    for letters in range(min(len(text) - 1, int(room / FONT_PX * 2.2)), _LEAST_LETTERS - 1, -1):
        label = elide(text, letters) if middle else text[: letters - 1] + "…"
        if width_px(label) <= room:
            return label
    return ""


@dataclass(frozen=True)
class Leader:
    """A label below a bar that is too narrow for it: where it points, its row, and where its text lies."""

    at_px: float
    text: str
    row: int
    left_px: float
    right_px: float


def leaders(wanted: list[tuple[float, str]], left_px: float, right_px: float, rows: int) -> list[Leader]:
    """Return those labels that can be set below a lane without touching each other.

    Labels hang on vertical leaders. In the left part they extend to the right of theirs and are placed
    from the right, each in the first row that is free, so that a leader passes left of the labels above
    its own; in the right part the mirror image. What finds no place is left to the hover text.

    Parameters
    ----------
    wanted : list of (float, str)
        Where each points, and what it says.
    left_px, right_px : float
        The edges that text must stay within.
    rows : int
        Rows there are below the lane.
    """
    placed: list[Leader] = []
    turn = left_px + 0.72 * (right_px - left_px)
    eastward = sorted((item for item in wanted if item[0] <= turn), reverse=True)
    westward = sorted(item for item in wanted if item[0] > turn)
    for at, text in eastward + westward:
        width = width_px(text) + _PAD_PX
        left, right = (at, at + width) if at <= turn else (at - width, at)
        if left < left_px or right > right_px:
            continue
        for row in range(rows):
            candidate = Leader(at, text, row, left, right)
            if all(_apart(candidate, other) for other in placed):
                placed.append(candidate)
                break
    return sorted(placed, key=lambda leader: leader.at_px)


def _apart(one: Leader, other: Leader) -> bool:
    """Return whether two labels and their leaders leave each other alone."""
    if one.row == other.row:
        return one.right_px + _GAP_PX <= other.left_px or other.right_px + _GAP_PX <= one.left_px
    upper, lower = (one, other) if one.row < other.row else (other, one)
    # The lower one's leader passes the upper one's row; a word stands off its own leader by `_PAD_PX`.
    return not upper.left_px - 1 <= lower.at_px <= upper.right_px + 1
