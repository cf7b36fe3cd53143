"""Measured values in prose: the `measured` role, and the `when` directive for prose that needs one.

An example keeps values in a dictionary of its own called ``measured``::

    measured = {"lesson1.first-step": (step.dur_us, "µs"), "lesson1.launches": 2}

so may a notebook, and any page of either kind then says ``:measured:`lesson1.first-step```. Both parts are
filled in when pages are written, not when they are read: translations carry the role and not a number.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from .stamp import state_dir

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

LOGGER = logging.getLogger(__name__)
NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"


class measured_value(nodes.Inline, nodes.TextElement):
    """A value to be filled in, by its key."""


class when_measured(nodes.General, nodes.Element):
    """Content to be kept only where a value is there and not nothing."""


class Measured(SphinxRole):
    """``:measured:`key```: a value that an example of this build stored, with its unit."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return a node for the value of the key."""
        node = measured_value(self.rawtext, key=self.text)
        self.set_source_info(node)
        return [node], []


class When(SphinxDirective):
    """``.. when:: key``, ``.. when:: not key``: content only where the value says so.

    A value that is missing from the trace (None), zero, or empty counts as no.
    """

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the parsed content under a node that holds the condition."""
        condition = self.arguments[0].split()
        node = when_measured(key=condition[-1], wanted=condition[0] != "not" or len(condition) == 1)
        self.set_source_info(node)
        node += self.parse_content_to_nodes()
        return [node]


class FillIn(SphinxPostTransform):
    """Fill in values, and keep or drop what depends on them; a gettext run keeps everything."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        """Replace every node of this module in the page that is being written."""
        if self.app.builder.name == "gettext":
            return
        values = load(self.app.srcdir)
        for node in list(self.document.findall(when_measured)):
            keep = holds(values, node["key"], node["wanted"], node)
            node.replace_self(node.children if keep else [])
        for value in list(self.document.findall(measured_value)):
            value.replace_self(nodes.inline("", shown(values, value["key"], value), classes=["measured"]))


def store(source_dir: str | Path, example: str, found: Mapping[str, Any]) -> None:
    """Keep an example's values for the pages; a key that another example took is an error.

    Raises
    ------
    ValueError
        A key is taken, or a value is not a number, a text, None, or a pair of number and unit.
    """
    path = state_dir(source_dir) / "measured.json"
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for key, value in found.items():
        number, unit = value if isinstance(value, tuple) else (value, "")
        number = number.item() if hasattr(number, "item") else number
        if not isinstance(number, int | float | str | None):
            raise ValueError(
                f"{example}: measured[{key!r}] is a {type(number).__name__}, not a number or a text"
            )
        if known.get(key, {}).get("example", example) != example:
            raise ValueError(f"{example}: measured[{key!r}] is stored by {known[key]['example']} already")
        known[key] = {"value": number, "unit": unit, "example": example}
    path.write_text(json.dumps(known, indent=1, sort_keys=True), encoding="utf-8")


def load(source_dir: str | Path) -> dict[str, Any]:
    """Return the stored values by key, each ``{"value", "unit", "example"}``."""
    path = state_dir(source_dir) / "measured.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def shown(values: Mapping[str, Any], key: str, where: nodes.Node | None = None) -> str:
    """Return the text of a value; an unknown key is a warning, and so fails the build."""
    from profiling_series.format import number

    if key not in values:
        LOGGER.warning("no example stored measured[%r]", key, location=where, type="measured")
        return "?"
    value, unit = values[key]["value"], values[key]["unit"]
    text = "unknown" if value is None else number(value) if isinstance(value, float) else f"{value}"
    return f"{text}{NARROW_SPACE}{unit}" if unit and value is not None else text


def holds(values: Mapping[str, Any], key: str, wanted: bool, where: nodes.Node | None = None) -> bool:
    """Return whether a condition on a value holds; an unknown key is a warning and keeps nothing."""
    if key not in values:
        LOGGER.warning("no example stored measured[%r]", key, location=where, type="measured")
        return False
    return bool(values[key]["value"]) is wanted


def _digest(app: Sphinx) -> str:
    """Return a digest of all stored values."""
    path = state_dir(app.srcdir) / "measured.json"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


def _outdated(app: Sphinx, env: BuildEnvironment, *_: object) -> Iterable[str]:
    """Return the pages to write again because values changed: all, since few builds change them."""
    now = _digest(app)
    return sorted(env.found_docs) if getattr(env, "profiling_series_values", now) != now else []


def _remember(app: Sphinx, env: BuildEnvironment) -> None:
    """Keep the digest that pages are about to be written with; notebooks have stored theirs by now."""
    env.profiling_series_values = _digest(app)  # type: ignore[attr-defined]


def _unfilled(*_: object) -> None:
    """Visit a node that a gettext run leaves in place."""


def setup(app: Sphinx) -> None:
    """Register the role, the directive and what fills them in."""
    for node in (measured_value, when_measured):
        app.add_node(node, gettext=(_unfilled, _unfilled), text=(_unfilled, _unfilled))
    app.add_role("measured", Measured())
    app.add_directive("when", When)
    app.add_post_transform(FillIn)
    app.connect("env-get-outdated", _outdated)
    app.connect("env-updated", _remember)
