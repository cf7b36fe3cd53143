"""The `capture-view` directive: a picture or table of a capture that some page of this build made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from . import captures

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LOGGER = logging.getLogger(__name__)
VIEWS = ("summary", "table", "timeline", "dispatch_chain")


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


class Draw(SphinxPostTransform):
    """Draw the views of the page that is being written."""

    default_priority = 5
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Replace each node with the view's HTML; a capture that no page made is a warning."""
        from profiling_series import report

        for node in list(self.document.findall(capture_view)):
            found = captures.find(self.app.srcdir, node["key"])
            if found is None:
                LOGGER.warning("no page of this build made the capture %s", node["key"], location=node)
                node.replace_self([])
                continue
            view = getattr(report, node["view"])(found.load())
            node.replace_self(nodes.raw("", view._repr_html_(), format="html"))


def setup(app: Sphinx) -> None:
    """Register the directive and what draws it."""
    app.add_node(capture_view)
    app.add_directive("capture-view", CaptureView)
    app.add_post_transform(Draw)
