"""A scene as a matplotlib figure. One data unit is one pixel, so that what fits can be decided beforehand.

Words come first; lines are then drawn around them (`canvas`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..format import shown, us
from . import labels
from .canvas import Canvas, Point, point_at, within
from .layout import BAR_PX, EDGE_PX, HEAD_PX, LEADER_PX, ROW_PX, WIDTH_PX, Layout, arrange, gpu_name
from .palette import INK, PAINTS
from .scene import Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HATCH_PX = 6
PALE = 0.55
"""How opaque a bar is that stands for several events."""


def figure_of(scene: Scene) -> Figure:
    """Return the figure of a scene.

    Parameters
    ----------
    scene : Scene
        What to draw.
    """
    from matplotlib.figure import Figure

    layout = arrange(scene)
    figure = Figure(figsize=(WIDTH_PX / 72, layout.height / 72), dpi=72)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, WIDTH_PX)
    axes.set_ylim(layout.height, 0)
    axes.axis("off")
    canvas = Canvas(axes)
    for top, lane in zip(layout.tops, scene.lanes, strict=True):
        canvas.write(EDGE_PX, top - HEAD_PX / 2 - 1, lane.label, "head", weight="bold")
    unnamed = [at for at in range(len(scene.bars)) if not _bar(canvas, scene, layout, at)]
    _leaders(canvas, scene, layout)
    _idle(canvas, scene, layout)
    ties = [layout.tie(scene, link) for link in scene.links]
    for at in unnamed:
        _name_beside(canvas, scene, layout, at, ties)
    _axis(canvas, scene, layout)
    for at, (start, end) in enumerate(ties):
        # Many would blacken the picture; the hover text of each bar tells what launched it as well.
        canvas.line(start, end, f"link:{at}", 0.9, 0.65 if len(ties) <= 40 else 0.4)
    return figure


def _bar(canvas: Canvas, scene: Scene, layout: Layout, at: int) -> bool:
    """Draw one bar with its label in it; False if it has no room for one."""
    from matplotlib.patches import Rectangle

    bar = scene.bars[at]
    left, right = layout.sides(bar)
    top = layout.row_top(bar.lane, bar.depth)
    # A sliver of page between neighbours keeps two equal events two.
    drawn = right - left - (0.6 if right - left > 4 else 0)
    span, paint = bar.kind == "span", PAINTS[bar.kind]
    look: dict[str, Any] = (
        {"facecolor": "none", "edgecolor": INK, "lw": 1} if span else {"facecolor": paint.fill, "lw": 0}
    )
    alpha = PALE if bar.count > 1 else 1
    canvas.axes.add_patch(Rectangle((left, top), drawn, BAR_PX, gid=f"bar:{at}", alpha=alpha, **look))
    gpu = scene.lanes[bar.lane].kind == "gpu"
    name = f"{bar.count} events" if bar.count > 1 else gpu_name(bar) if gpu else bar.name
    label = labels.inside(name, bar.work_us, right - left, middle=gpu)
    if label:
        # On a paler bar the page shines through, so its ink must be the page's.
        canvas.write(left + 3, top + BAR_PX / 2, label, "label", ink=INK if bar.count > 1 else paint.ink)
    return bool(label)


def _name_beside(
    canvas: Canvas, scene: Scene, layout: Layout, at: int, ties: list[tuple[Point, Point]]
) -> None:
    """Name a bar on a thread beside it, on the side where more of the name finds room."""
    bar = scene.bars[at]
    if scene.lanes[bar.lane].kind == "gpu" or bar.count > 1:
        return
    (left, right), top = layout.sides(bar), layout.row_top(bar.lane, bar.depth)
    band = (0.0, top + 2, float(WIDTH_PX), top + BAR_PX - 2)
    taken = [(word[0], word[2]) for word in canvas.words if word[1] < band[3] and word[3] > band[1]]
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
        canvas.write(right + 3, top + BAR_PX / 2, to_right, "name")
    elif to_left:
        canvas.write(left - 3, top + BAR_PX / 2, to_left, "name", ha="right")


def _leaders(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    """Hang the labels below the streams."""
    for top, lane, hung in zip(layout.tops, scene.lanes, layout.leaders, strict=True):
        bottom = top + lane.rows * ROW_PX - (ROW_PX - BAR_PX)
        for leader in hung:
            y = bottom + 1 + LEADER_PX * (leader.row + 0.5)
            canvas.line((leader.at_px, bottom), (leader.at_px, y + 4), "leader", 0.7, 0.6)
            west = leader.left_px < leader.at_px
            canvas.write(
                leader.at_px + (-3 if west else 3), y, leader.text, "name", ha="right" if west else "left"
            )


def _idle(canvas: Canvas, scene: Scene, layout: Layout) -> None:
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
            hole = _hole(left, right, marks, labels.width_px(text) + 10)
            if hole and lane.device not in labelled:
                canvas.write(sum(hole) / 2, top + BAR_PX / 2, text, "name", ha="center")
                _hatch(canvas, [(left, hole[0]), (hole[1], right)], top)
            else:
                _hatch(canvas, [(left, right)], top)
        labelled.add(lane.device)


def _hole(left: float, right: float, marks: list[float], room: float) -> Point | None:
    """Return where in a gap its label goes: in the middle of the widest stretch that no mark crosses."""
    edges = [left, *sorted(x for x in marks if left < x < right), right]
    start, end = max(pairwise(edges), key=lambda pair: pair[1] - pair[0])
    middle = (start + end) / 2
    return (middle - room / 2, middle + room / 2) if end - start > room + 8 else None


def _hatch(canvas: Canvas, stretches: list[Point], top: float) -> None:
    """Hatch with drawn lines: an SVG pattern would need an id, and ids clash on a page of many figures."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    points: list[Point] = []
    for start, end in stretches:
        # The lines keep to one raster, whatever gap they are in.
        x = (start - BAR_PX) // HATCH_PX * HATCH_PX
        while x < end:
            low, high = max(x, start), min(x + BAR_PX, end)
            if high > low:
                points += [(low, top + BAR_PX - (low - x)), (high, top + BAR_PX - (high - x))]
            x += HATCH_PX
    if points:
        path = Path(points, [Path.MOVETO, Path.LINETO] * (len(points) // 2))
        canvas.axes.add_patch(PathPatch(path, gid="idle", fc="none", ec=INK, lw=0.6, alpha=0.35))


def _axis(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    """Draw the time axis with its grid, and the marks of the steps."""
    from matplotlib.ticker import MaxNLocator

    start, end, y = scene.window.start_us, scene.window.end_us, layout.axis_y
    right = WIDTH_PX - EDGE_PX
    for tick in MaxNLocator(8, steps=[1, 2, 2.5, 5, 10]).tick_values(start, end):
        if start <= tick <= end:
            x = layout.x(tick)
            canvas.line((x, 4), (x, y), "grid", 0.6, 0.16)
            side = "left" if x < EDGE_PX + 12 else "right" if x > right - 12 else "center"
            canvas.write(x, y + 9, f"{tick:,g}", "text", ha=side)
    canvas.line((EDGE_PX, y), (right, y), "grid", 0.8, 0.6)
    canvas.write(EDGE_PX, y + 24, f"µs since the start of {shown(scene.window.origin_name, 60)}", "text")
    for mark in scene.marks:
        x = layout.x(mark.us)
        canvas.line((x, 4), (x, y), "mark", 1.0, 0.6, ls=(0, (4, 3)))
