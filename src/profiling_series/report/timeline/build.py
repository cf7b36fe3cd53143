"""The scene of a timeline: what of a trace is shown, and each launch tied to what it caused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...format import count
from .lanes import Placed, place
from .scene import Bar, Link, Scene, Window
from .thin import bars_of
from .window import StepChoice, choose_window

if TYPE_CHECKING:
    from ...trace import Trace


def scene_of(
    trace: Trace,
    steps: StepChoice = None,
    start_us: float | None = None,
    end_us: float | None = None,
    budget: float = 1.0,
) -> Scene:
    """Return what a timeline shows, before it is drawn; the other parameters as `timeline` takes them.

    Parameters
    ----------
    trace : Trace
        A trace.
    steps : int, slice, sequence of int, optional
        Which recorded steps.
    start_us, end_us : float, optional
        Another window.
    budget : float
        Part of the usual number of bars.
    """
    window, marks = choose_window(trace, steps, start_us, end_us)
    lanes, placed, gaps, notes = place(trace, window)
    bars, merged = bars_of(trace, window, placed, budget)
    links, unlinked = _links(trace, window, placed, bars)
    frames = _frames(trace, window)
    return Scene(window, lanes, bars, links, gaps, marks, (*notes, *merged, *unlinked, *frames))


def _links(
    trace: Trace, window: Window, placed: Placed, bars: tuple[Bar, ...]
) -> tuple[tuple[Link, ...], list[str]]:
    """Return a connector for each launch call, to the first GPU event of it that is drawn, and notes."""
    where = {int(row): at for at, row in enumerate(placed.rows)}
    links: dict[int, Link] = {}
    outside = further = 0
    for bar in sorted(bars, key=lambda bar: bar.start_us):
        call = int(trace.launch_of[bar.row]) if bar.kind in ("kernel", "copy") and bar.count == 1 else -1
        if call < 0:
            continue
        at = where.get(call)
        call_us = (int(trace.ts[call]) - window.origin_ns) / 1000
        if at is None or call_us < window.start_us:
            outside += 1
        elif call in links:
            further += 1
        else:
            place = int(placed.lane[at]), int(placed.depth[at])
            links[call] = Link(call, bar.row, call_us, *place, bar.start_us, bar.lane)
    notes = []
    if outside:
        notes.append(f"{count(outside, 'GPU event')} launched outside what is drawn, without a connector")
    if further:
        notes.append(
            f"{count(further, 'GPU event')} launched by the call of an earlier one, as those of a graph are, "
            "without a connector of its own"
        )
    return tuple(links.values()), notes


def _frames(trace: Trace, window: Window) -> list[str]:
    """Return a note on the Python frames of a recording with stacks, which are not drawn."""
    rows = trace.rows(cat="python_function", within=(window.start_ns, window.end_ns))
    return [f"{count(len(rows), 'Python frame')} not drawn"] if len(rows) else []
