"""The expressions over measures that pages write: where they stand in a source, and which page answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

WHEN = re.compile(r"^\.\. when:: *((?:.*\S.*\n)+)((?:\n|[ \t]+.*(?:\n|\Z))*)", re.MULTILINE)
"""``.. when::`` with its condition, up to the empty line, and the content indented below."""
ROLE = re.compile(r"(?::measured:|\{measured\})`([^`]+)`")
_FENCE = re.compile(r"^(?::{3,}|`{3,})\{when\} *(.*\S)", re.MULTILINE)
_LESSON = re.compile(r"([a-z]+\d*)_\w+[/\\]plot_(\d+)_\w+(?:\.py)?$")
_ELSEWHERE = re.compile(r"([a-z]+\d*-\d+)/(.+)", re.DOTALL)


def one_line(text: str) -> str:
    """Return an expression on one line, as it is looked up."""
    return " ".join(text.split())


def lesson_id(path: str) -> str | None:
    """Return the id of a lesson, ``part1-04``, by its page's name or its file; None for other pages."""
    found = _LESSON.search(path)
    return f"{found[1]}-{found[2]}" if found else None


def elsewhere(expression: str) -> tuple[str | None, str]:
    """Return the id of the lesson that shall answer, None for the page itself, and the rest of it."""
    found = _ELSEWHERE.fullmatch(expression)
    return (found[1], found[2]) if found else (None, expression)


def written(text: str) -> Iterator[str]:
    """Yield the expressions in the text of a page, MyST or reStructuredText, the latter also in comments."""
    plain = re.sub(r"^# ?", "", text, flags=re.MULTILINE)
    for pattern in (ROLE, WHEN, _FENCE):
        yield from (one_line(found[1]) for found in pattern.finditer(plain))


def pages(docs: str | Path) -> list[Path]:
    """Return the files of the site's own pages in Markdown."""
    top, written_by_builds = Path(docs), {"_build", "auto_examples"}
    return [path for path in top.rglob("*.md") if not written_by_builds & set(path.relative_to(top).parts)]


def in_pages(docs: str | Path) -> list[str]:
    """Return the expressions in the site's own pages and in translations, sorted."""
    found: set[str] = set()
    for path in pages(docs):
        found |= set(written(path.read_text(encoding="utf-8")))
    for path in Path(docs).rglob("*.po"):
        text = path.read_text(encoding="utf-8").replace('"\n"', "").replace('\\"', '"')
        found |= {one_line(role[1]) for role in ROLE.finditer(text)}
    return sorted(found)
