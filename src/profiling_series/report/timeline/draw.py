"""Where the words and lines of a timeline go. Words come first; lines are then drawn around them."""

from __future__ import annotations

import math
from itertools import pairwise

from ...format import shown, us
from ..palette import INK, PAINTS
from . import labels
from .drawing import Drawing, Point, point_at, within
from .layout import BAR_PX, EDGE_PX, HEAD_PX, LEADER_PX, ROW_PX, WIDTH_PX, Layout, gpu_name
from .scene import Scene
from .widths import width_px

HATCH_PX = 6
MOST_TICKS = 8
MANY_LINKS = 40


def draw(scene: Scene, layout: Layout) -> Drawing:
    """Return the words and lines of a scene.

    Parameters
    ----------
    scene : Scene
        What to draw.
    layout : Layout
        Where its lanes and bars are.
    """
    drawing = Drawing()
    for top, lane in zip(layout.tops, scene.lanes, strict=True):
        drawing.write(EDGE_PX, top - HEAD_PX / 2 - 1, lane.label, "head")
    unnamed = [at for at in range(len(scene.bars)) if not _label(drawing, scene, layout, at)]
    _leaders(drawing, scene, layout)
    _idle(drawing, scene, layout)
    ties = [layout.tie(scene, link) for link in scene.links]
    for at in unnamed:
        _name_beside(drawing, scene, layout, at, ties)
    _axis(drawing, scene, layout)
    for start, end in ties:
        # Many would blacken the picture; the hover text of each bar tells what launched it as well.
        drawing.line(start, end, "link", 0.9, 0.65 if len(ties) <= MANY_LINKS else 0.4)
    return drawing


def _label(drawing: Drawing, scene: Scene, layout: Layout, at: int) -> bool:
    """Write one bar's label in it; False if it has no room for one."""
    bar = scene.bars[at]
    left, right = layout.sides(bar)
    gpu = scene.lanes[bar.lane].kind == "gpu"
    name = f"{bar.count} events" if bar.count > 1 else gpu_name(bar) if gpu else bar.name
    label = labels.inside(name, bar.work_us, right - left, middle=gpu)
    if label:
        # On a paler bar the page shines through, so its ink must be the page's.
        ink = INK if bar.count > 1 else PAINTS[bar.kind].ink
        drawing.write(left + 3, layout.row_top(bar.lane, bar.depth) + BAR_PX / 2, label, "label", ink=ink)
    return bool(label)


def _name_beside(
    drawing: Drawing, scene: Scene, layout: Layout, at: int, ties: list[tuple[Point, Point]]
) -> None:
    """Name a bar on a thread beside it, on the side where more of the name finds room."""
    bar = scene.bars[at]
    if scene.lanes[bar.lane].kind == "gpu" or bar.count > 1:
        return
    (left, right), top = layout.sides(bar), layout.row_top(bar.lane, bar.depth)
    band = (0.0, top + 2, float(WIDTH_PX), top + BAR_PX - 2)
    taken = [(word[0], word[2]) for word in drawing.taken if word[1] < band[3] and word[3] > band[1]]
    for start, end in ties:
        if span := within(start, end, band):
            xs = point_at(start, end, span[0])[0], point_at(start, end, span[1])[0]
            taken.append((min(xs) - 2, max(xs) + 2))
    before, after = layout.neighbours(scene, at)
    room_right = min([after, *(low for low, high in taken if high > right)]) - right
    room_left = left - max([before, *(high for low, high in taken if low < left)])
    to_right = labels.inside(bar.name, bar.work_us, room_right)
    to_left = labels.inside(bar.name, bar.work_us, room_left)
    if to_right and len(to_right) >= len(to_left):
        drawing.write(right + 3, top + BAR_PX / 2, to_right, "name")
    elif to_left:
        drawing.write(left - 3, top + BAR_PX / 2, to_left, "name", anchor="end")


def _leaders(drawing: Drawing, scene: Scene, layout: Layout) -> None:
    """Hang the labels below the streams."""
    for top, lane, hung in zip(layout.tops, scene.lanes, layout.leaders, strict=True):
        bottom = top + lane.rows * ROW_PX - (ROW_PX - BAR_PX)
        for leader in hung:
            y = bottom + 1 + LEADER_PX * (leader.row + 0.5)
            drawing.line((leader.at_px, bottom), (leader.at_px, y + 4), "leader", 0.7, 0.6)
            west = leader.left_px < leader.at_px
            drawing.write(
                leader.at_px + (-3 if west else 3), y, leader.text, "name", anchor="end" if west else "start"
            )


def _idle(drawing: Drawing, scene: Scene, layout: Layout) -> None:
    """Hatch the times in which a GPU has no work, and say how long they are where that fits."""
    labelled: set[int] = set()
    marks = [layout.x(mark.us) for mark in scene.marks]
    for at, lane in enumerate(scene.lanes):
        top = layout.row_top(at, lane.rows - 1)
        for gap in scene.gaps:
            left, right = layout.x(gap.start_us), layout.x(gap.start_us + gap.dur_us)
            if lane.kind != "gpu" or gap.device != lane.device or right - left < 3:
                continue
            text = f"idle {us(gap.dur_us)}"
            hole = _hole(left, right, marks, width_px(text) + 10)
            if hole and lane.device not in labelled:
                drawing.write(sum(hole) / 2, top + BAR_PX / 2, text, "name", anchor="middle")
                _hatch(drawing, [(left, hole[0]), (hole[1], right)], top)
            else:
                _hatch(drawing, [(left, right)], top)
        labelled.add(lane.device)


def _hole(left: float, right: float, marks: list[float], room: float) -> Point | None:
    """Return where in a gap its label goes: in the middle of the widest stretch that no mark crosses."""
    edges = [left, *sorted(x for x in marks if left < x < right), right]
    start, end = max(pairwise(edges), key=lambda pair: pair[1] - pair[0])
    middle = (start + end) / 2
    return (middle - room / 2, middle + room / 2) if end - start > room + 8 else None


def _hatch(drawing: Drawing, stretches: list[Point], top: float) -> None:
    """Hatch with drawn lines: an SVG pattern would need an id, and ids clash on a page of many figures."""
    lines: list[tuple[Point, Point]] = []
    for start, end in stretches:
        # The lines keep to one raster, whatever gap they are in.
        x = (start - BAR_PX) // HATCH_PX * HATCH_PX
        while x < end:
            low, high = max(x, start), min(x + BAR_PX, end)
            if high > low:
                lines.append(((low, top + BAR_PX - (low - x)), (high, top + BAR_PX - (high - x))))
            x += HATCH_PX
    drawing.lines(lines, "idle", 0.6, 0.35)


def _axis(drawing: Drawing, scene: Scene, layout: Layout) -> None:
    """Draw the time axis with its grid, and the marks of the steps."""
    y, right = layout.axis_y, WIDTH_PX - EDGE_PX
    for tick in ticks(scene.window.start_us, scene.window.end_us):
        x = layout.x(tick)
        drawing.line((x, 4), (x, y), "grid", 0.6, 0.16)
        anchor = "start" if x < EDGE_PX + 12 else "end" if x > right - 12 else "middle"
        drawing.write(x, y + 9, f"{tick:,g}", "text", anchor=anchor)
    drawing.line((EDGE_PX, y), (right, y), "grid", 0.8, 0.6)
    drawing.write(EDGE_PX, y + 24, f"µs since the start of {shown(scene.window.origin_name, 60)}", "text")
    for mark in scene.marks:
        x = layout.x(mark.us)
        drawing.line((x, 4), (x, y), "mark", 1.0, 0.6, "4 3")


def ticks(start: float, end: float) -> list[float]:
    """Return the round numbers from start to end that an axis names, at most one more than `MOST_TICKS`.

    Parameters
    ----------
    start, end : float
        The axis's ends.
    """
    least = (end - start) / MOST_TICKS
    power = 10.0 ** math.floor(math.log10(least))
    step = next(step for part in (1, 2, 2.5, 5, 10, 20) if (step := part * power) >= least)
    return [at * step for at in range(math.ceil(start / step), math.floor(end / step) + 1)]
