"""The `claims-table` directive: every published claim beside what this build's captures say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from . import captures

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class claims_view(nodes.General, nodes.Element):
    """The place of the table, drawn once every page has been read and so every capture made."""


class ClaimsTable(SphinxDirective):
    """``{claims-table}``: all claims that a capture of this build, or a recording, answers."""

    def run(self) -> list[nodes.Node]:
        """Return a node for the table."""
        return [claims_view()]


class Draw(SphinxPostTransform):
    """Draw the table on the page that is being written."""

    default_priority = 5
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Replace the node with the table, of this build's captures and of recordings for the rest."""
        from profiling_series import recordings
        from profiling_series.claims import claims_table

        for node in list(self.document.findall(claims_view)):
            found = {one.key: one for one in recordings.recorded()}
            found |= {one.key: one.load() for one in captures.kept(self.app.srcdir) if one.is_capture}
            html = claims_table(list(found.values()))._repr_html_()
            node.replace_self(nodes.raw("", html, format="html"))


def setup(app: Sphinx) -> None:
    """Register the directive, its node and its drawing."""
    app.add_node(claims_view)
    app.add_directive("claims-table", ClaimsTable)
    app.add_post_transform(Draw)
