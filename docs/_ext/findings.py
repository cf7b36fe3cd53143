"""The cheat sheet and a page for each finding, made from the register of rules.

The pages are written into ``docs/findings`` when a build begins, one small file for each rule, and only where
its text changed; whatever else lies there is removed. They hold directives of this module. Words are
paragraphs that can be translated; what comes from recordings is drawn when the page is written.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from .recorded import recorded_view

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

    from profiling_series.findings import Rule

FOLDER = "findings"
CHEAT_SHEET = "guide/cheat-sheet"
SECTIONS = {
    "verdict": "The verdict",
    "table": "In the table",
    "cpu lane": "On the CPU lane",
    "gpu lane": "On the GPU lane",
    "dispatch": "In the dispatch chain",
    "compile": "With torch.compile and CUDA graphs",
    "recording": "About the recording itself",
}
WORDS = {
    "sees": "What you see",
    "means": "What it usually means",
    "do": "What to do",
    "holds_for": "Where it holds",
}
_CODE = re.compile(
    r"``(?P<double>[^`]+)``|`(?P<single>[^`]+)`"
    r"|(?P<bare>\b\w+(?:::\w*)+|\b\w+=(?:True|False|\d+|'[^']*')|\btorch(?:\.\w+)+(?:\((?:'\w+')?\))?|\bcuda[A-Z]\w+"
    r"|\bcu[A-Z]\w+|\b(?:addmm|bmm|sgemm|ffma|f32f32|badd)\b|\.\w+\((?:'\w+')?\)|\b[A-Z_]{6,}=\w+|\bwith_stack\b|\bnon_blocking\b)"
)
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#])")


def coded(text: str) -> list[nodes.Node]:
    """Return a text with what is code in it set as code."""
    found: list[nodes.Node] = []
    at = 0
    for match in _CODE.finditer(text):
        code = match["double"] or match["single"] or match["bare"]
        found += [nodes.Text(text[at : match.start()]), nodes.literal("", code)]
        at = match.end()
    return [node for node in [*found, nodes.Text(text[at:])] if node.astext()]


def sentence(text: str) -> list[nodes.Node]:
    """Return a rule's words as a sentence: a capital where it begins with a plain word, and a full stop."""
    first = text.split(maxsplit=1)[0].rstrip(",:;.")
    if first.replace("-", "").isalpha() and first.islower() and first != "torch" and not _CODE.match(text):
        text = text[0].upper() + text[1:]
    return coded(text if text[-1] in ".!?" else f"{text}.")


def lesson_link(env: BuildEnvironment, key: str | None) -> list[nodes.Node]:
    """Return the link to the lesson of a key such as ``part1-04``; its name where this site lacks it."""
    if key is None:
        return []
    part, number = key.split("-")
    page = re.compile(rf"auto_examples/{part}_\w+/plot_{number}_\w+")
    doc = next((name for name in sorted(env.found_docs) if page.fullmatch(name)), None)
    if doc is None:
        return [nodes.Text(f"Part {part[4:]}, lesson {int(number)}; not on this site yet")]
    link = addnodes.pending_xref(
        "", refdomain="std", reftype="doc", reftarget=f"/{doc}", refexplicit=False, refwarn=True
    )
    link += nodes.inline("", doc)
    return [link]


def finding_link(rule: Rule) -> nodes.Node:
    """Return the link to the page of a finding, under its title."""
    link = addnodes.pending_xref(
        "", refdomain="std", reftype="finding", reftarget=rule.id, refexplicit=True, refwarn=True
    )
    link += nodes.inline("", rule.title)
    return link


def tag(rule: Rule) -> str:
    """Return in a few words whose doing a finding is; an empty string where it is nobody's."""
    return (
        "the profiler's own doing" if rule.artefact else "a fault that can be changed" if rule.fault else ""
    )


class _Words(SphinxDirective):
    """What both directives share: paragraphs that know where they stand, as translations ask."""

    def words(self, *content: nodes.Node, classes: tuple[str, ...] = ()) -> nodes.paragraph:
        """Return a paragraph."""
        paragraph = nodes.paragraph("", "", *content, classes=list(classes))
        paragraph.rawsource = paragraph.astext()
        self.set_source_info(paragraph)
        for link in paragraph.findall(addnodes.pending_xref):
            link["refdoc"] = self.env.docname
        return paragraph


class CheatSheet(_Words):
    """``{cheat-sheet}``: every rule, section by section, and the pages of all as children of this page."""

    def run(self) -> list[nodes.Node]:
        """Return a section with a table for each section of the register."""
        from profiling_series.findings import RULES

        shown: list[nodes.Node] = []
        pages = []
        for name, title in SECTIONS.items():
            rules = [rule for rule in RULES.values() if rule.section == name]
            heading = nodes.title("", title)
            self.set_source_info(heading)
            anchor = name.replace(" ", "-")
            shown.append(nodes.section("", heading, self._table(rules), ids=[anchor], names=[anchor]))
            pages += [f"/{FOLDER}/{rule.id}" for rule in rules]
        children = "\n".join(["```{toctree}", ":hidden:", *pages, "```", ""])
        return [*shown, *self.parse_text_to_nodes(children)]

    def _table(self, rules: list[Rule]) -> nodes.Node:
        heads = [nodes.entry("", self.words(nodes.Text(word))) for word in WORDS.values()]
        group = nodes.tgroup("", cols=len(heads))
        group += [nodes.colspec("", colwidth=width) for width in (27, 27, 27, 19)]
        group += nodes.thead("", nodes.row("", *heads))
        group += nodes.tbody("", *(self._row(rule) for rule in rules))
        return nodes.table("", group, classes=["ps-cheat"])

    def _row(self, rule: Rule) -> nodes.row:
        sees, means, do, holds = (
            nodes.entry(
                "",
                self.words(nodes.Text(word), classes=("ps-label",)),
                self.words(*sentence(getattr(rule, key))),
            )
            for key, word in WORDS.items()
        )
        sees += self.words(finding_link(rule), classes=("ps-cheat-link",))
        if said := tag(rule):
            sees += self.words(nodes.Text(said), classes=("ps-cheat-tag",))
        if rule.lesson:
            do += self.words(*lesson_link(self.env, rule.lesson), classes=("ps-cheat-lesson",))
        return nodes.row("", sees, means, do, holds)


class FindingPage(_Words):
    """``{finding-page} ID``: all that is known of a finding, below the page's title."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the finding's words, its proof and its rule."""
        from profiling_series.findings import RULES

        if (rule := RULES.get(self.arguments[0])) is None:
            raise self.error(f"no finding is called {self.arguments[0]!r}")
        target = nodes.target("", "", ids=[f"finding-{rule.id}"])
        self.env.domains.standard_domain.note_object(
            "finding", rule.id, f"finding-{rule.id}", location=self.get_location()
        )
        return [target, self._lead(rule), self._facts(rule), *self._proof(rule), *self._rule(rule)]

    def _lead(self, rule: Rule) -> nodes.Node:
        where = SECTIONS[rule.section]
        told = "; ".join(part for part in (where[0].lower() + where[1:], tag(rule)) if part)
        return self.words(nodes.literal("", rule.id), nodes.Text(f", {told}."), classes=("ps-finding-id",))

    def _facts(self, rule: Rule) -> nodes.Node:
        pairs = [(word, sentence(getattr(rule, key))) for key, word in WORDS.items()]
        if rule.lesson:
            pairs.append(("Explained in", lesson_link(self.env, rule.lesson)))
        items = []
        for word, content in pairs:
            term = nodes.term("", word)
            self.set_source_info(term)
            definition = nodes.definition("", self.words(*content))
            items.append(nodes.definition_list_item("", term, definition))
        return nodes.definition_list("", *items, classes=["ps-finding"])

    def _proof(self, rule: Rule) -> list[nodes.Node]:
        return [self._section("Proof", recorded_view(kind="proof", key=rule.id))]

    def _rule(self, rule: Rule) -> list[nodes.Node]:
        """Return how the rule decides: its docstring, and behind a fold its code."""
        source = inspect.getsource(rule.look)
        code = source[source.index("\ndef ") + 1 :]
        opening = "<details class='ps-code'><summary>The rule, as code</summary>"
        return [
            self._section(
                "How the rule decides",
                *(self.words(*coded(text)) for text in _described(rule)),
                nodes.raw("", opening, format="html"),
                nodes.literal_block(code, code, language="python"),
                nodes.raw("", "</details>", format="html"),
            )
        ]

    def _section(self, name: str, *content: nodes.Node) -> nodes.section:
        anchor = name.lower().replace(" ", "-")
        title = nodes.title("", name)
        self.set_source_info(title)
        return nodes.section("", title, *content, ids=[anchor], names=[anchor])


def _described(rule: Rule) -> list[str]:
    """Return the paragraphs of a rule's docstring, and of the function that it points to."""
    text = inspect.getdoc(rule.look) or ""
    if pointed := re.search(r"see `(profiling_series[\w.]*)\.(\w+)`", text):
        module = importlib.import_module(pointed[1])
        text += "\n\n" + (inspect.getdoc(getattr(module, pointed[2])) or "").split("\n\nParameters\n")[0]
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n") if paragraph.strip()]


def page(rule: Rule) -> str:
    """Return the source of a finding's page."""
    title = _MARKUP.sub(r"\\\1", rule.title)
    return f"# {title}\n\n```{{finding-page}} {rule.id}\n```\n"


def write_pages(app: Sphinx) -> None:
    """Write the pages of all findings, if the site has the cheat sheet that leads to them."""
    from profiling_series.findings import RULES

    source = Path(app.srcdir)
    if not (source / f"{CHEAT_SHEET}.md").exists():
        return
    folder = source / FOLDER
    folder.mkdir(exist_ok=True)
    wanted = {folder / f"{rule.id}.md": page(rule) for rule in RULES.values()}
    for stale in set(folder.glob("*.md")) - set(wanted):
        stale.unlink()
    for path, text in wanted.items():
        # A page that is as it was is not read again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register the directives, the ``finding`` role with its entries in the search, and the pages."""
    from . import proof  # noqa: F401  (registers its drawing)

    app.add_object_type("finding", "finding", objname="finding", ref_nodeclass=nodes.literal)
    app.add_directive("cheat-sheet", CheatSheet)
    app.add_directive("finding-page", FindingPage)
    app.connect("builder-inited", write_pages, priority=200)
