"""Where the parts of a timeline go, in pixels: lanes from top to bottom, time from left to right."""

from __future__ import annotations

from dataclasses import dataclass

from ...format import elide, short_name, us
from ...trace.kernel_names import family
from . import labels
from .scene import Bar, Link, Scene

WIDTH_PX = 900
EDGE_PX = 10
ROW_PX, BAR_PX = 18, 16
HEAD_PX = 19
LEADER_PX = 14
LEADER_ROWS = 3
BETWEEN_PX = 8
TO_GPU_PX = 26
"""Room between the last thread and the first stream, where connectors can be told apart."""
LEAST_PX = 2.5
"""The width of an event of no visible width: 1 µs in 400 is still seen, and still pointed at."""
AXIS_PX = 40


@dataclass(frozen=True)
class Layout:
    """Where things are.

    Attributes
    ----------
    tops : tuple of float
        The top of each lane's first row.
    leaders : tuple of tuple of Leader
        For each lane the labels that hang below it.
    height, axis_y : float
        Of the whole picture, and of its time axis.
    px_per_us, start_us : float
        The scale, and the time at the left edge.
    """

    tops: tuple[float, ...]
    leaders: tuple[tuple[labels.Leader, ...], ...]
    height: float
    axis_y: float
    px_per_us: float
    start_us: float

    def x(self, value_us: float) -> float:
        """Return the horizontal position of a time, kept within the plot.

        Parameters
        ----------
        value_us : float
            As the axis reads it.
        """
        raw = EDGE_PX + (value_us - self.start_us) * self.px_per_us
        return min(max(raw, EDGE_PX), WIDTH_PX - EDGE_PX)

    def row_top(self, lane: int, depth: int) -> float:
        """Return the top of a row of a lane.

        Parameters
        ----------
        lane, depth : int
            Which row of which lane.
        """
        return self.tops[lane] + depth * ROW_PX

    def sides(self, bar: Bar) -> tuple[float, float]:
        """Return left and right of a bar, at least `LEAST_PX` apart and within the plot.

        Parameters
        ----------
        bar : Bar
            A bar.
        """
        left = min(self.x(bar.start_us), WIDTH_PX - EDGE_PX - LEAST_PX)
        return left, max(self.x(bar.end_us), left + LEAST_PX)

    def neighbours(self, scene: Scene, at: int) -> tuple[float, float]:
        """Return where the bar before ends and the one after begins in a bar's own row.

        Bars come sorted by lane, row and start.

        Parameters
        ----------
        scene : Scene
            Whose bars they are.
        at : int
            Which of them.
        """
        bar = scene.bars[at]
        before, after = float(EDGE_PX), float(WIDTH_PX - EDGE_PX)
        if at and (scene.bars[at - 1].lane, scene.bars[at - 1].depth) == (bar.lane, bar.depth):
            before = self.sides(scene.bars[at - 1])[1]
        if at + 1 < len(scene.bars) and (scene.bars[at + 1].lane, scene.bars[at + 1].depth) == (
            bar.lane,
            bar.depth,
        ):
            after = self.sides(scene.bars[at + 1])[0]
        return before, after

    def tie(self, scene: Scene, link: Link) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the ends of a connector: below the start of the call, above that of the GPU event.

        Parameters
        ----------
        scene : Scene
            Whose lanes they are.
        link : Link
            A launch and its GPU event.
        """
        gpu_row = scene.lanes[link.gpu_lane].rows - 1
        start = self.x(link.call_us) + 0.5, self.row_top(link.call_lane, link.call_depth) + BAR_PX
        return start, (self.x(link.gpu_us) + 0.5, self.row_top(link.gpu_lane, gpu_row))


def arrange(scene: Scene) -> Layout:
    """Return the layout of a scene.

    Parameters
    ----------
    scene : Scene
        What to draw.
    """
    scale = (WIDTH_PX - 2 * EDGE_PX) / scene.window.length_us
    plan = Layout((), (), 0, 0, scale, scene.window.start_us)
    tops: list[float] = []
    leaders: list[tuple[labels.Leader, ...]] = []
    y, before = 4.0, ""
    for at, lane in enumerate(scene.lanes):
        if before:
            y += TO_GPU_PX if lane.kind == "gpu" and before != "gpu" else BETWEEN_PX
        y += HEAD_PX
        tops.append(y)
        below = _too_narrow(scene, plan, at) if lane.kind == "gpu" else []
        leaders.append(tuple(labels.leaders(below, EDGE_PX, WIDTH_PX - EDGE_PX, LEADER_ROWS)))
        y += lane.rows * ROW_PX + LEADER_PX * max((leader.row + 1 for leader in leaders[-1]), default=0)
        before = lane.kind
    return Layout(tuple(tops), tuple(leaders), y + AXIS_PX, y + 8, scale, scene.window.start_us)


def _too_narrow(scene: Scene, plan: Layout, lane: int) -> list[tuple[float, str]]:
    """Return where the work of a stream needs a label below it, for want of room inside, and which."""
    wanted = []
    for bar in scene.bars_of(lane):
        left, right = plan.sides(bar)
        if (
            bar.kind == "span"
            or bar.count > 1
            or labels.inside(gpu_name(bar), bar.dur_us, right - left, middle=True)
        ):
            continue
        wanted.append(((left + right) / 2, f"{_family(bar)}  {us(bar.dur_us)}"))
    return wanted


def _family(bar: Bar) -> str:
    """Return what a bar is called where there is little room: a kernel's family, where its name tells one."""
    known = family(bar.name) if bar.kind == "kernel" else ""
    return short_name(bar.name, 24) if not known or "not known" in known else elide(known, 24)


def gpu_name(bar: Bar) -> str:
    """Return what a bar on a stream is called where there is room.

    Parameters
    ----------
    bar : Bar
        A bar of a GPU lane.
    """
    return bar.name if bar.kind == "span" else short_name(bar.name, 60)
