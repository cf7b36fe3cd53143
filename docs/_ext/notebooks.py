"""The gallery's notebooks, as people download them: without roles and directives, which only Sphinx reads."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from . import values
from .expressions import ROLE, WHEN, one_line

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_TITLED = re.compile(r":(?:doc|ref|term|any)?:?`([^`<]+?)\s*<[^`>]+>`(?!_)")
_ROLE = re.compile(r":(?:[a-z]+:)*[a-z]+:`~?(?:[^`]*\.)?([^`]+)`")


def plain(text: str, known: values.Answers) -> str:
    """Return a Markdown cell with values filled in, conditions decided, and roles as what they show."""
    text = WHEN.sub(_deciding(known), text)
    text = ROLE.sub(lambda m: values.shown(known, one_line(m.group(1))), text)
    text = _TITLED.sub(r"\1", text)
    return _ROLE.sub(r"`\1`", text)


def _deciding(known: values.Answers) -> Callable[[re.Match[str]], str]:
    """Return what puts a condition's content in its place, or nothing."""

    def decide(match: re.Match[str]) -> str:
        condition, content = match.groups()
        if not values.holds(known, one_line(condition)):
            return ""
        return "\n".join(line.strip() for line in content.strip("\n").splitlines()) + "\n\n"

    return decide


def _rewrite(app: Sphinx) -> None:
    """Rewrite the notebooks that sphinx-gallery just wrote."""
    every = values.load(app.srcdir)
    for path in sorted((Path(app.srcdir) / "auto_examples").rglob("*.ipynb")):
        before = path.read_text(encoding="utf-8")
        notebook, known = json.loads(before), every.get(path.stem, {})
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                cell["source"] = plain("".join(cell["source"]), known).splitlines(keepends=True)
        after = json.dumps(notebook, indent=2, ensure_ascii=False) + "\n"
        if after != before:
            path.write_text(after, encoding="utf-8")
            _zip(path)


def _zip(notebook: Path) -> None:
    """Write the example's archive again, with the rewritten notebook in it."""
    with zipfile.ZipFile(notebook.with_suffix(".zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        for path in (notebook.with_suffix(".py"), notebook):
            archive.write(path, path.name)


def setup(app: Sphinx) -> None:
    """Rewrite notebooks right after the gallery wrote them, before any page takes them as a download."""
    app.connect("builder-inited", _rewrite, priority=900)
