"""The `capture-view` directive: a picture or table of a capture of this build, or of a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from . import captures

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from profiling_series.results import Capture

LOGGER = logging.getLogger(__name__)
VIEWS = ("summary", "table", "timeline", "dispatch_chain", "footprints")


class capture_view(nodes.General, nodes.Element):
    """A view to be drawn once every page has been read, and so every capture made."""


class CaptureView(SphinxDirective):
    """``.. capture-view:: timeline KEY``: one of `VIEWS` of the capture with that key."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        """Return a node for the view."""
        view, key = self.arguments
        if view not in VIEWS:
            raise self.error(f"no view is called {view!r}; there are {', '.join(VIEWS)}")
        node = capture_view(view=view, key=key)
        self.set_source_info(node)
        return [node]


def _capture(source_dir: str | Path, key: str) -> Capture | None:
    """Return what a page of this build measured under that key, else the shipped recording of it."""
    from profiling_series import recordings

    found = captures.find(source_dir, key)
    if found is not None:
        return found.load()
    return next((capture for capture in recordings.recorded() if capture.key == key), None)


class Draw(SphinxPostTransform):
    """Draw the views of the page that is being written."""

    default_priority = 5
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Replace each node with the view's HTML; a key that names no capture is a warning."""
        import profiling_series

        for node in list(self.document.findall(capture_view)):
            capture = _capture(self.app.srcdir, node["key"])
            if capture is None:
                LOGGER.warning("no page and no recording has the capture %s", node["key"], location=node)
                node.replace_self([])
                continue
            view = getattr(profiling_series, node["view"])(capture)
            node.replace_self(nodes.raw("", view._repr_html_(), format="html"))


def setup(app: Sphinx) -> None:
    """Register the directive and what draws it."""
    app.add_node(capture_view)
    app.add_directive("capture-view", CaptureView)
    app.add_post_transform(Draw)
