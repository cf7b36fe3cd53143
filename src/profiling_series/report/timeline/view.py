"""The trace as a picture: threads and streams over time, each launch tied to its kernel, idle visible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import UsageError
from ...format import count, share, shown, us
from ..markup import render, scrolling
from ..palette import PAINTS
from ..source import Source, provenance_of, trace_of
from ..view import View
from .build import scene_of
from .reading import text_of_scene
from .scene import Scene
from .script import scene_json, script
from .svg import inline_svg
from .window import StepChoice

if TYPE_CHECKING:
    from ...trace import Trace

_OTHER_FORMS = '(lines=None lists all; .save("timeline.svg") writes the picture, as a notebook shows it)'

HTML_BYTES = 145_000
"""What picture and words of one figure may weigh on a page; the data for its script come on top."""
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
        Drawn when a page or a notebook shows it; a terminal gets its text. ``save("timeline.svg")`` writes
        the picture to a file.

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
        to_picture=lambda: inline_svg(scene, f"{heading}. {_summary(scene)}"),
        script=script,
        capture=str(getattr(x, "key", "")),
    )


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
        data = scene_json(scene)
        body = _body(scene, data, heading, int(HTML_LINES * budget))
        if len(body.encode()) - len(data.encode()) <= HTML_BYTES:
            break
    return body


def _body(scene: Scene, data: str, heading: str, lines: int) -> str:
    """Return picture, legend, notes and text reading of one scene."""
    lead = _summary(scene)
    svg = inline_svg(scene, f"{heading}. {lead} The text below reads it event by event.")
    reading = render("lines", lines=text_of_scene(scene, heading, lines).split("\n"))
    kinds = {bar.kind for bar in scene.bars}
    return render(
        "timeline",
        heading=heading,
        lead=lead,
        picture=scrolling(heading, svg),
        data=data,
        paints=[paint for kind, paint in PAINTS.items() if kind in kinds],
        idle=bool(scene.gaps),
        links=bool(scene.links),
        notes=scene.notes,
        reading=scrolling("Timeline in words", reading),
    )
