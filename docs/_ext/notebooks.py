"""The gallery's notebooks, as people download them: without roles and directives, which only Sphinx reads."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import values

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_MEASURED = re.compile(r":measured:`([^`]+)`")
_WHEN = re.compile(r"^\.\. when:: *(not +)?(\S+)\n((?:\n|[ \t]+.*(?:\n|\Z))*)", re.MULTILINE)
_TITLED = re.compile(r":(?:doc|ref|term|any)?:?`([^`<]+?)\s*<[^`>]+>`(?!_)")
_ROLE = re.compile(r":(?:[a-z]+:)*[a-z]+:`~?(?:[^`]*\.)?([^`]+)`")


def plain(text: str, known: Mapping[str, Any]) -> str:
    """Return a Markdown cell with values filled in, conditions decided, and roles as what they show."""
    text = _WHEN.sub(_deciding(known), text)
    text = _MEASURED.sub(lambda m: values.shown(known, m.group(1)), text)
    text = _TITLED.sub(r"\1", text)
    return _ROLE.sub(r"`\1`", text)


def _deciding(known: Mapping[str, Any]) -> Callable[[re.Match[str]], str]:
    """Return what puts a condition's content in its place, or nothing."""

    def decide(match: re.Match[str]) -> str:
        negated, key, content = match.groups()
        if not values.holds(known, key, not negated):
            return ""
        return "\n".join(line.strip() for line in content.strip("\n").splitlines()) + "\n\n"

    return decide


def _rewrite(app: Sphinx) -> None:
    """Rewrite the notebooks that sphinx-gallery just wrote."""
    known = values.load(app.srcdir)
    for path in sorted((Path(app.srcdir) / "auto_examples").rglob("*.ipynb")):
        before = path.read_text(encoding="utf-8")
        notebook = json.loads(before)
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
