"""Measured values in prose: the `measured` role, and the `when` directive for prose that needs one.

Both take an expression over measures (`profiling_series.measures`), in the variables of the page's example::

    The first step took :measured:`cap: step(1).dur`.

    .. when:: cap: step(1).dur > 1.2 * step(-1).dur

       The later ones did not take as long.

Notebooks and pages in Markdown write the same. ``part1-01/cap: step(1).dur`` asks the example of another
page, by the key of its lesson. Expressions are answered after the example ran; what they answered is filled
in when pages are written, not when they are read: translations carry the expression and not a number.
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

from .expressions import elsewhere, in_pages, lesson_id, one_line, written
from .stamp import state_dir

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

LOGGER = logging.getLogger(__name__)
NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"
LONGEST = 300
"""Characters of a text that a sentence quotes."""


class measured_value(nodes.Inline, nodes.TextElement):
    """A value to be filled in, by its key."""


class when_measured(nodes.General, nodes.Element):
    """Content to be kept only where a value is there and not nothing."""


class Measured(SphinxRole):
    """``:measured:`expression```: what an example of this build answers, with its unit."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return a node for the expression."""
        node = measured_value(self.rawtext, expression=one_line(self.text))
        self.set_source_info(node)
        return [node], []


class When(SphinxDirective):
    """``.. when:: expression``: content only where it holds.

    What cannot be told, zero, and nothing count as no.
    """

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the parsed content under a node that holds the condition."""
        node = when_measured(expression=one_line(self.arguments[0]))
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
        every = load(self.app.srcdir)
        for node in list(self.document.findall(when_measured)):
            keep = holds(self._answers(every, node), node["expression"], node)
            node.replace_self(node.children if keep else [])
        for value in list(self.document.findall(measured_value)):
            text = shown(self._answers(every, value), value["expression"], value)
            value.replace_self(nodes.inline("", text, classes=["measured"]))

    def _answers(self, every: Mapping[str, Answers], node: nodes.Element) -> Answers:
        """Return the answers of the page that an expression asks; the node keeps what is asked of it."""
        lesson, node["expression"] = elsewhere(node["expression"])
        page = self.env.docname
        if lesson is not None:
            page = next((name for name in sorted(self.env.found_docs) if lesson_id(name) == lesson), lesson)
        return every.get(page.rsplit("/", 1)[-1], {})


Answers = dict[str, dict[str, Any]]
"""Expression → its value and unit, or the error."""


def answer(source_dir: str | Path, page: str | Path, variables: Mapping[str, Any]) -> None:
    """Keep what a page's example answers."""
    store(source_dir, Path(page).stem, answers(source_dir, page, variables))


def answers(source_dir: str | Path, page: str | Path, variables: Mapping[str, Any]) -> Answers:
    """Return what a page's example answers to every expression that asks it, on whatever page it stands.

    Parameters
    ----------
    source_dir : str or Path
        Of the site.
    page : str or Path
        The file of the example, or of the notebook.
    variables : mapping
        What the example, or the notebook, has defined.
    """
    path = Path(page)
    asked = [one for one in written(path.read_text(encoding="utf-8")) if elsewhere(one)[0] is None]
    mine = lesson_id(str(path))
    for lesson, expression in map(elsewhere, in_pages(source_dir)):
        if lesson is not None and lesson == mine:
            asked.append(expression)
    return {one: _answered(one, variables) for one in asked}


def _answered(expression: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    from profiling_series.errors import UsageError
    from profiling_series.measures import evaluate

    try:
        found = evaluate(expression, variables)
    except UsageError as error:
        return {"error": str(error)}
    return {"value": found.value, "unit": found.unit}


def store(source_dir: str | Path, page: str, found: Answers) -> None:
    """Keep a page's answers in place of earlier ones."""
    path = _file(source_dir)
    path.write_text(json.dumps({**load(source_dir), page: found}, indent=1, sort_keys=True), encoding="utf-8")


def load(source_dir: str | Path) -> dict[str, Answers]:
    """Return the answers of all pages, by the last part of the page's name."""
    path = _file(source_dir)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _file(source_dir: str | Path) -> Path:
    return state_dir(source_dir) / "measured.json"


def _found(known: Answers, expression: str, where: nodes.Node | None) -> dict[str, Any] | None:
    """Return an answer; None, with a warning that fails the build, where there is none."""
    found = known.get(expression, {"error": "no example of this build was asked"})
    if "error" in found:
        LOGGER.warning("%s: %s", expression, found["error"], location=where, type="measured")
        return None
    return found


def shown(known: Answers, expression: str, where: nodes.Node | None = None) -> str:
    """Return the text of an answer; one that is not there is a warning, and so fails the build."""
    from profiling_series.format import number
    from profiling_series.format import shown as named

    found = _found(known, expression, where)
    if found is None:
        return "?"
    value, unit = found["value"], found["unit"]
    if value is None:
        return "unknown"
    if isinstance(value, str):
        return named(value, LONGEST)
    return f"{number(value)}{NARROW_SPACE}{unit}" if unit else _bare(value)


def _bare(value: float) -> str:
    """Return a count as it is, and a factor with two digits."""
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 99.5 else f"{value:.2g}"


def holds(known: Answers, expression: str, where: nodes.Node | None = None) -> bool:
    """Return whether a condition holds; one that is not there is a warning and keeps nothing."""
    found = _found(known, expression, where)
    return bool(found and found["value"])


def _digest(app: Sphinx) -> str:
    """Return a digest of all stored values."""
    path = _file(app.srcdir)
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
