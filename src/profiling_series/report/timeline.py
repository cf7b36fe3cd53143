"""The trace as a picture: threads and streams over time, each launch tied to its kernel, idle visible."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..format import count, escape, prose, share, shown, us
from .blocks import scroll_box
from .draw import figure_of
from .lanes import KINDS, Placed, place
from .palette import PAINTS
from .reading import text_of_scene
from .scene import Bar, Link, Scene, Window
from .source import Source, provenance_of, trace_of
from .svg import inline_svg
from .thin import bars_of
from .view import View
from .window import StepChoice, choose_window

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..trace import Trace

_OTHER_FORMS = '(lines=None lists all; .figure().savefig("timeline.svg") draws it, as a notebook does)'

HTML_BYTES = 145_000
"""What one figure may weigh on a page."""
HTML_LINES = 120
"""Events in the text reading below a picture."""
TEXT_LINES = 60
"""Events in the text reading that a terminal gets."""


def timeline(
    x: Source,
    steps: StepChoice = None,
    start_us: float | None = None,
    end_us: float | None = None,
    title: str | None = None,
    lines: int | None = TEXT_LINES,
) -> View:
    """Return a timeline of a capture or a trace: picture, text reading, provenance.

    Parameters
    ----------
    x : Capture or Trace
        What to show.
    steps : int, slice, sequence of int, optional
        Which recorded steps, counted from 0. By default all complete ones. The window ends with the last
        step or with the last GPU event launched in them, whichever is later.
    start_us, end_us : float, optional
        A narrower window, or a wider one, in the axis's own reading: 0 is the start of the first chosen step.
    title : str, optional
        The caption's first words.
    lines : int, optional
        Events that its text lists, of which the longest are kept; None lists all.

    Returns
    -------
    View
        Drawn when a page or a notebook shows it; a terminal gets its text. ``figure()`` gives the matplotlib
        figure, and ``figure().savefig("timeline.svg")`` a file.

    Raises
    ------
    UsageError
        No such step, or nothing in the window; `lines` is no number above 0.
    """
    if lines is not None and (not isinstance(lines, int) or isinstance(lines, bool) or lines < 1):
        raise UsageError(f"lines must be a number above 0, or None for all, not {lines!r:.40}")
    trace = trace_of(x)
    scene = scene_of(trace, steps, start_us, end_us)
    heading = shown(title) if title else _heading(scene, cut=start_us is not None or end_us is not None)
    return View(
        kind="timeline",
        provenance=provenance_of(x),
        to_text=lambda: f"{text_of_scene(scene, heading, lines)}\n{_OTHER_FORMS}",
        to_html=lambda: _html(trace, (steps, start_us, end_us), heading),
        to_figure=lambda: _quiet_figure(scene),
        capture=str(getattr(x, "key", "")),
    )


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


def _heading(scene: Scene, cut: bool) -> str:
    """Return a caption that says which stretch it is, and where it was cut to less or more than its steps."""
    names = [mark.name for mark in scene.marks if not mark.name.startswith("end of ")]
    what = f"{names[0]} to {names[-1]}" if len(names) > 1 else names[0] if names else "the window"
    window = scene.window
    stretch = f", from {us(window.start_us)} to {us(window.end_us)}" if cut else ""
    return f"Timeline of {shown(what, 80)}{stretch}"


def _summary(scene: Scene) -> str:
    """Return the picture in one sentence, for those who do not see it."""
    cpu = sum(lane.kind == "cpu" for lane in scene.lanes)
    gpu = [lane for lane in scene.lanes if lane.kind == "gpu"]
    devices = sorted({lane.device for lane in gpu})
    work = sum(bar.count for bar in scene.bars if bar.kind in ("kernel", "copy"))
    parts = [count(cpu, "CPU thread")]
    if gpu:
        parts.append(f"{count(len(gpu), 'GPU stream')} with {count(work, 'GPU event')}")
        parts += [f"GPU {device} works {share(scene.busy_share(device))} of the time" for device in devices]
    else:
        parts.append("no GPU event")
    return f"{us(scene.window.length_us)}: {', '.join(parts)}."


def _html(trace: Trace, choice: tuple[StepChoice, float | None, float | None], heading: str) -> str:
    """Return picture, legend, notes and text reading, with fewer bars where they would weigh too much."""
    for budget in (1.0, 0.7, 0.5, 0.3, 0.15):
        scene = scene_of(trace, *choice, budget=budget)
        body = _body(scene, heading, int(HTML_LINES * budget))
        if len(body.encode()) <= HTML_BYTES:
            break
    return body


def _body(scene: Scene, heading: str, lines: int) -> str:
    """Return picture, legend, notes and text reading of one scene."""
    lead = _summary(scene)
    svg = inline_svg(
        _quiet_figure(scene), scene, f"{heading}. {lead} The text below reads it event by event."
    )
    notes = "".join(f"<li>{prose(note)}.</li>" for note in scene.notes)
    reading = "\n".join(escape(line) for line in text_of_scene(scene, heading, lines).split("\n"))
    return (
        f'<p class="ps-lead"><strong class="ps-title">{prose(heading)}.</strong> {prose(lead)}</p>\n'
        f"{scroll_box(heading)}{svg}</div>\n{_legend(scene)}\n"
        + (f'<ul class="ps-notes">{notes}</ul>\n' if notes else "")
        + '<details class="ps-reading"><summary>The same timeline in words</summary>'
        f"{scroll_box('Timeline in words')}<pre>{reading}</pre></div></details>"
    )


def _quiet_figure(scene: Scene) -> Figure:
    """Return the drawn scene, without warnings on scripts that the measuring font lacks; pages have them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        return figure_of(scene)


def _legend(scene: Scene) -> str:
    """Return a legend of what the picture holds, and of nothing else."""
    kinds = {bar.kind for bar in scene.bars}
    items = [_swatch(kind) for kind in KINDS if kind in kinds]
    if scene.gaps:
        items.append(
            f'<li><span class="ps-swatch ps-idle" style="{_SWATCH};{_HATCH}"></span>no work on this GPU</li>'
        )
    if scene.links:
        items.append(
            f'<li><span class="ps-swatch" style="{_SWATCH};{_STROKE}"></span>launch to its GPU event</li>'
        )
    style = (
        "display:flex;flex-wrap:wrap;gap:.2em 1.2em;list-style:none;margin:.4em 0;padding:0;font-size:.85em"
    )
    return f'<ul class="ps-legend" style="{style}">{"".join(items)}</ul>'


_BOX = "display:inline-block;box-sizing:border-box;width:1.1em;height:.8em"
_SWATCH = f"{_BOX};margin-right:.4em;vertical-align:-.05em"
_HATCH = "background:repeating-linear-gradient(135deg,currentColor 0 1px,transparent 1px 4px);opacity:.5"
_STROKE = "background:linear-gradient(to top right,transparent 46%,currentColor 46% 54%,transparent 54%)"


def _swatch(kind: str) -> str:
    """Return the legend's entry of one kind."""
    paint = PAINTS[kind]
    fill = "border:1px dashed currentColor" if kind == "span" else f"background:{paint.fill}"
    return f'<li><span class="ps-swatch" style="{_SWATCH};{fill}"></span>{escape(paint.legend)}</li>'


__all__ = ["scene_of", "timeline"]
