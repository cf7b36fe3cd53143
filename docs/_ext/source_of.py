"""The `source-of` role: where the figures of a sentence come from, as the line under a picture says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from . import captures

if TYPE_CHECKING:
    from pathlib import Path

    from sphinx.application import Sphinx

LOGGER = logging.getLogger(__name__)


class source_of(nodes.Inline, nodes.TextElement):
    """The place of a source line, by the key of what was measured."""


class SourceOf(SphinxRole):
    """``:source-of:`01_matmul_add/64_bf16_cold_eager```: live or recorded, on what machine, when."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return a node for the source of the key."""
        node = source_of(self.rawtext, key=self.text)
        self.set_source_info(node)
        return [node], []


class FillIn(SphinxPostTransform):
    """Write the lines once every page has been read, and so everything measured."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        """Replace every role of the page that is being written; a gettext run keeps them."""
        if self.app.builder.name == "gettext":
            return
        for node in list(self.document.findall(source_of)):
            line = source_line(self.app.srcdir, node["key"])
            if line is None:
                LOGGER.warning("no page of this build measured %s", node["key"], location=node)
            node.replace_self(nodes.inline("", line or "?", classes=["ps-source"]))


def source_line(source_dir: str | Path, key: str) -> str | None:
    """Return the source line of what a page of this build measured under a key, a trace or figures alone."""
    found = next((one for one in captures.kept(source_dir) if one.key == key), None)
    return None if found is None else str(found.load().source_line)


def _unfilled(*_: object) -> None:
    """Visit a node that a gettext run leaves in place."""


def setup(app: Sphinx) -> None:
    """Register the role and what fills it in."""
    app.add_node(source_of, gettext=(_unfilled, _unfilled), text=(_unfilled, _unfilled))
    app.add_role("source-of", SourceOf())
    app.add_post_transform(FillIn)
