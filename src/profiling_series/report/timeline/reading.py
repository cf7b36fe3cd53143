"""A timeline in words: for a terminal, for search, and for those who do not see the picture."""

from __future__ import annotations

import textwrap

from ...format import count, elide, number, readable, share, shown, us
from .scene import Bar, Link, Scene

TEXT_WIDTH = 100


def text_of_scene(scene: Scene, title: str, lines: int | None = None) -> str:
    """Return the scene as indented text: start and duration of every event, lane by lane.

    Parameters
    ----------
    scene : Scene
        What to tell.
    title : str
        The first line.
    lines : int, optional
        How many events at most, of which the longest are kept; by default all.
    """
    kept = sorted(scene.bars, key=lambda bar: -bar.dur_us)[:lines]
    floor_us = kept[-1].dur_us if len(kept) < len(scene.bars) else -1.0
    origin = shown(scene.window.origin_name, 60)
    parts = [title, f"{'start µs':>12}  {'duration µs':>12}   (0 is the start of {origin})"]
    links = {link.call_row: link for link in scene.links}
    for at, lane in enumerate(scene.lanes):
        bars = [bar for bar in scene.bars_of(at) if bar.dur_us >= floor_us]
        parts += ["", lane.label, *(_line(bar, links) for bar in bars)]
    for device in sorted({gap.device for gap in scene.gaps}):
        parts += ["", _idle(scene, device)]
    notes = list(scene.notes)
    if floor_us >= 0:
        left = sum(bar.dur_us < floor_us for bar in scene.bars)
        notes.append(f"{count(left, 'bar')} shorter than {us(floor_us)} not listed")
    told = (textwrap.fill(f"({note})", TEXT_WIDTH, subsequent_indent=" ") for note in notes)
    return "\n".join([*parts, *told])


def _line(bar: Bar, links: dict[int, Link]) -> str:
    """Return one event's line, indented by its depth; a call says what it launched."""
    name = readable(bar.name) if bar.kind == "kernel" and len(bar.name) < 1000 else bar.name
    name = f"{bar.count} events: {bar.name}" if bar.count > 1 else name
    tail = ""
    if bar.kind == "span":
        tail = "  (span of the annotation, not work)"
    link = links.get(bar.row) if bar.count == 1 else None
    if link is not None:
        tail = f"  → GPU at {number(link.gpu_us)}"
    head = f"{bar.start_us:12,.1f}  {bar.dur_us:12,.2f}   {'  ' * bar.depth}"
    return head + elide(shown(name, 400), max(TEXT_WIDTH - len(head) - len(tail), 20)) + tail


def _idle(scene: Scene, device: int) -> str:
    """Return how long a GPU has nothing to do in the window, and its longest pause."""
    gaps = [gap for gap in scene.gaps if gap.device == device]
    longest = max(gaps, key=lambda gap: gap.dur_us)
    total, length = sum(gap.dur_us for gap in gaps), scene.window.length_us
    return (
        f"GPU {device} idle: {us(total)} of {us(length)} ({share(total / length)}), "
        f"the longest pause {us(longest.dur_us)} from {number(longest.start_us)}"
    )
