"""What pages show of the shipped recordings: all are read once a build, and drawn when pages are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from profiling_series.findings import Finding
    from profiling_series.results import Capture

Drawing = Callable[[str], str]
DRAWINGS: dict[str, Drawing] = {}
"""What makes the HTML of each kind of `recorded_view`, from the view's key."""


class recorded_view(nodes.General, nodes.Element):
    """The place of something that is computed from the recordings, with ``kind`` and ``key``."""


@dataclass(frozen=True)
class Name:
    """A name of GPU work in one recording: how often it ran, and for how long."""

    name: str
    launches: int
    total_us: float


@dataclass(frozen=True)
class Recording:
    """A recorded capture as read: its key, its size, what the rules find in it, and its GPU work by name."""

    key: str
    events: int
    findings: tuple[Finding, ...]
    names: tuple[Name, ...]

    def capture(self) -> Capture:
        """Return the capture; traces are large, and none is kept."""
        from profiling_series import recordings

        return next(one for one in recordings.recorded() if one.key == self.key)


@cache
def survey() -> tuple[Recording, ...]:
    """Return all recordings, by key."""
    from profiling_series import recordings
    from profiling_series.findings import find

    return tuple(
        Recording(one.key, len(one.trace), tuple(find(one.trace)), tuple(_names(one.trace)))
        for one in recordings.recorded()
    )


def _names(trace: Any) -> list[Name]:
    import numpy as np

    rows = trace.gpu_rows
    count = np.bincount(trace.name_id[rows], minlength=len(trace.names))
    total = np.bincount(trace.name_id[rows], weights=trace.dur[rows], minlength=len(trace.names))
    return [Name(trace.names[i], int(count[i]), float(total[i]) / 1000) for i in np.flatnonzero(count)]


def drawing(kind: str) -> Callable[[Drawing], Drawing]:
    """Return a decorator that registers what draws the views of one kind."""

    def register(draw: Drawing) -> Drawing:
        DRAWINGS[kind] = draw
        return draw

    return register


class DrawRecorded(SphinxPostTransform):
    """Draw the views of the page that is being written; translations hold none of their figures."""

    default_priority = 5
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Replace each node with its HTML."""
        for node in list(self.document.findall(recorded_view)):
            node.replace_self(nodes.raw("", DRAWINGS[node["kind"]](node["key"]), format="html"))


def setup(app: Sphinx) -> None:
    """Register what draws."""
    app.add_node(recorded_view)
    app.add_post_transform(DrawRecorded)
    app.add_css_file("findings.css")
