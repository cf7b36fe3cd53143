"""What the page's script gets: the scene as JSON, and the script itself."""

from __future__ import annotations

from importlib.resources import files

import msgspec

from ...format import shown
from .scene import Gap, Lane, Link, Mark, Scene, Window

_NAME_LIMIT = 200


class Drawn(msgspec.Struct, frozen=True, array_like=True):
    """A bar as the script gets it; kind and name are indexes into lists, for most names come often.

    The name of a merged bar, which says what it holds, is in its title alone: an index of -1.
    """

    kind: int
    name: int
    lane: int
    depth: int
    start_us: float
    dur_us: float
    count: int


class Given(msgspec.Struct, frozen=True):
    """A scene as the script gets it: its bars in the order of the picture's rectangles."""

    window: Window
    lanes: tuple[Lane, ...]
    kinds: list[str]
    names: list[str]
    bars: list[Drawn]
    links: tuple[Link, ...]
    gaps: tuple[Gap, ...]
    marks: tuple[Mark, ...]


def given(scene: Scene) -> Given:
    """Return what the script gets of a scene.

    Parameters
    ----------
    scene : Scene
        What is drawn.
    """
    kinds: dict[str, int] = {}
    names: dict[str, int] = {}
    bars = [
        Drawn(
            kinds.setdefault(bar.kind, len(kinds)),
            names.setdefault(shown(bar.name, _NAME_LIMIT), len(names)) if bar.count == 1 else -1,
            bar.lane,
            bar.depth,
            bar.start_us,
            bar.dur_us,
            bar.count,
        )
        for group in scene.painted().values()
        for bar in group
    ]
    return Given(
        scene.window, scene.lanes, list(kinds), list(names), bars, scene.links, scene.gaps, scene.marks
    )


def scene_json(scene: Scene) -> str:
    r"""Return a scene as JSON that can stand in a page's ``<script>``: ``<`` is written ``\u003c``.

    Parameters
    ----------
    scene : Scene
        What is drawn.
    """
    return msgspec.json.encode(given(scene)).decode().replace("<", "\\u003c")


def script() -> str:
    """Return the script that makes timelines answer to keys and taps; a page needs it once."""
    return files(__package__).joinpath("timeline.js").read_text("utf-8")
