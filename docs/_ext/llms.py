"""`llms.txt`, in the root of the site: every page with its title and first sentence, for programs that read.

The form is that of https://llmstxt.org: a title, a summary, and lists of links.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

HEAD = """\
# {title}

> How to read what torch.profiler gives back, a table and a trace, by small programs that are measured
> when the pages are built. {measured}
"""
SECTIONS = {
    "Start": r"index|start|guide/path",
    "Lessons": r"auto_examples/(?:index|part\d+_[^/]*/.*)",
    "How to": r"auto_examples/howto/.*|guide/publish",
    "Look up": r"guide/.*",
    "Findings": r"findings/.*",
    "Reference": r"reference/(?!generated/).*",
    "The package, name by name": r"reference/generated/.*",
}
LONGEST = 160


def text(env: BuildEnvironment, measured: str, title: str) -> str:
    """Return the file: the pages by section, each with one line on what it holds."""
    left = [page for page in sorted(env.found_docs) if page in env.titles]
    parts = [HEAD.format(title=title, measured=measured)]
    for section, pattern in SECTIONS.items():
        here = [page for page in left if re.fullmatch(pattern, page)]
        left = [page for page in left if page not in here]
        if here:
            parts.append(f"## {section}\n\n" + "\n".join(_line(env, page) for page in here) + "\n")
    if left:
        parts.append("## Further pages\n\n" + "\n".join(_line(env, page) for page in left) + "\n")
    return "\n".join(parts)


def _line(env: BuildEnvironment, page: str) -> str:
    link = f"- [{env.titles[page].astext()}]({page}.html)"
    about = first_sentence(env.get_doctree(page).findall(nodes.paragraph))
    return f"{link}: {about}" if about else link


def first_sentence(paragraphs: Iterable[nodes.paragraph]) -> str:
    """Return the first sentence of a page's own words; "" for a page of lists and pictures."""
    for paragraph in paragraphs:
        own = paragraph.parent
        if not isinstance(own, nodes.section | nodes.document | nodes.container):
            continue
        words = " ".join(paragraph.astext().split())
        if len(words.split()) < 3:
            continue
        follows = own[own.index(paragraph) + 1 :]
        if follows and isinstance(follows[0], nodes.bullet_list):  # "Afterwards you can", and what
            words = f"{words} {' '.join(follows[0][0].astext().split()).rstrip(';')}."
        sentence = re.split(r"(?<=[.!?])\s", words, maxsplit=1)[0]
        return sentence if len(sentence) <= LONGEST else sentence[: LONGEST - 1].rsplit(" ", 1)[0] + "…"
    return ""


def _write(app: Sphinx, exception: Exception | None) -> None:
    """Write the file beside the pages."""
    from .this_build import measured_on

    if exception is None and app.builder.format == "html":
        found = text(app.env, measured_on(), app.config.html_title)
        (Path(app.outdir) / "llms.txt").write_text(found, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Write the file when all pages are there."""
    app.connect("build-finished", _write)
