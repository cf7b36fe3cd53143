"""The `this-build` directive: the machine, the versions, and every capture, to download."""

from __future__ import annotations

import datetime
import os
import platform
import shutil
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from . import captures, stamp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

DOWNLOADS = "_captures"


class this_build(nodes.General, nodes.Element):
    """The place of the listing, filled in once every page has been read."""


class ThisBuild(SphinxDirective):
    """``.. this-build::``: how the site was measured, and from what."""

    def run(self) -> list[nodes.Node]:
        """Return a node for the listing."""
        return [this_build()]


class Fill(SphinxPostTransform):
    """Write the listing."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        """Replace the node with facts and the table of captures."""
        for node in list(self.document.findall(this_build)):
            if self.app.builder.name == "gettext":
                node.replace_self([])
                continue
            found = captures.alike(captures.kept(self.app.srcdir))
            tables = [self._table("Capture", [group for group in found if group[0].is_capture])]
            if figures := [group for group in found if not group[0].is_capture]:
                tables.append(self._table("Without a trace", figures))
            node.replace_self([_facts(), *tables])

    def _table(self, what: str, groups: list[list[captures.Kept]]) -> nodes.Node:
        """Return a table of what was measured: key, source, pages, downloads."""
        rows = []
        for group in groups:
            first = group[0]
            links = [self._download(first, name, path) for name, path in first.files.items() if path.exists()]
            if first.is_capture:
                links.append(self._button(first))
            cells = [
                [nodes.literal("", first.key)],
                [nodes.Text(first.load().source_line)],
                _listed([self._page(one) for one in group]),
                links,
            ]
            rows.append([_paragraph(cell) for cell in cells])
        table = _table((what, "Measured", "Used in", "Download"), rows)
        if not groups or not groups[0][0].is_capture:
            table["classes"] = ["ps-figures"]
        return table

    def _page(self, one: captures.Kept) -> nodes.Node:
        """Return the link to the page that made a capture, or its bare name if the page is gone."""
        page = next((name for name in self.env.titles if name.rsplit("/", 1)[-1] == one.page), None)
        if page is None:
            return nodes.Text(one.page)
        uri = self.app.builder.get_relative_uri(self.env.docname, page)
        return nodes.reference("", self.env.titles[page].astext(), refuri=uri, internal=True)

    def _download(self, one: captures.Kept, what: str, path: Path) -> nodes.Node:
        """Return the link to one file of a capture."""
        uri = address(one, path, self.env.docname)
        return nodes.reference("", what, refuri=uri, internal=True, classes=["ps-download"])

    def _button(self, one: captures.Kept) -> nodes.Node:
        """Return the button that hands a capture's trace to Perfetto."""
        from profiling_series.report import perfetto

        return nodes.raw(
            "", perfetto.button(address(one, one.trace, self.env.docname), one.key), format="html"
        )


def _listed(links: list[nodes.Node]) -> list[nodes.Node]:
    """Return links with a dot between two."""
    parts = [[link, nodes.Text("·")] for link in links[:-1]]
    return [*(node for pair in parts for node in pair), *links[-1:]]


def address(one: captures.Kept, path: Path, page: str) -> str:
    """Return where the copy of a capture's file is, seen from a page of the site."""
    from profiling_series.report import perfetto

    return "../" * page.count("/") + perfetto.quoted(f"{DOWNLOADS}/{_download_path(one, path)}")


def _download_path(one: captures.Kept, path: Path) -> str:
    folder = one.key.rsplit("/", 1)[0] if "/" in one.key else "."
    return f"{one.page}/{folder}/{path.name}"


def measured_on() -> str:
    """Return in one sentence what this build measured on."""
    machine = stamp.machine()
    if machine["mode"] == "recorded":
        return f"Replayed from recordings where a GPU is needed, with torch {machine['torch']}."
    where = machine["gpu"] or f"this CPU ({platform.machine()})"
    return f"Measured live on {where}, torch {machine['torch']}."


def _facts() -> nodes.Node:
    """Return the machine and the versions as a two-column table."""
    machine = stamp.machine()
    mode = "live, on this machine" if machine["mode"] == "live" else "replayed from recordings"
    packages = ("profiling-series", "numpy", "matplotlib", "Sphinx", "sphinx-gallery", "myst-nb")
    pairs = {
        "Measured": mode,
        "GPU": machine["gpu"] or "none here",
        "torch": machine["torch"],
        "CUDA": machine["cuda"] or "none: a CPU build of torch",
        "Python": platform.python_version(),
        "System": f"{platform.system()} {platform.machine()}",
        "With": ", ".join(f"{name} {version}" for name, version in _versions(packages)),
        "Built": _date(),
    }
    rows = [
        [_paragraph([nodes.Text(name)]), _paragraph([nodes.Text(value)])] for name, value in pairs.items()
    ]
    return _table(("", ""), rows, head=False)


def _versions(names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield those packages that are installed, with their versions."""
    for name in names:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue


def _date() -> str:
    """Return the day of the build; SOURCE_DATE_EPOCH fixes it, for builds that must be alike."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = (
        datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
        if epoch
        else datetime.datetime.now(datetime.UTC)
    )
    return now.date().isoformat()


def _paragraph(content: list[nodes.Node]) -> nodes.Node:
    paragraph = nodes.paragraph()
    for at, node in enumerate(content):
        paragraph += [nodes.Text(" "), node] if at else [node]
    return paragraph


def _table(names: tuple[str, ...], rows: list[list[nodes.Node]], head: bool = True) -> nodes.Node:
    """Return a table of the given cells."""
    group = nodes.tgroup(cols=len(names))
    group += [nodes.colspec(colwidth=1) for _ in names]
    if head:
        group += nodes.thead(
            "", nodes.row("", *(nodes.entry("", _paragraph([nodes.Text(n)])) for n in names))
        )
    group += nodes.tbody("", *(nodes.row("", *(nodes.entry("", cell) for cell in row)) for row in rows))
    return nodes.table("", group, classes=["ps-build" if head else "ps-facts-table"])


def _publish(app: Sphinx, exception: Exception | None) -> None:
    """Copy the captures beside the pages, and say in a file how the site was measured."""
    if exception is not None or app.builder.format != "html":
        return
    target = Path(app.outdir) / DOWNLOADS
    shutil.rmtree(target, ignore_errors=True)
    for one, *_ in captures.alike(captures.kept(app.srcdir)):
        for path in one.files.values():
            if path.exists():
                copy = target / _download_path(one, path)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
    (Path(app.outdir) / "measured.txt").write_text(measured_on() + "\n", encoding="utf-8")


def _context(app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """Give every page's footer the sentence on how it was measured."""
    context["measured_on"] = measured_on()


def setup(app: Sphinx) -> None:
    """Register the directive, the downloads and the footer's sentence."""
    app.add_node(this_build)
    app.add_directive("this-build", ThisBuild)
    app.add_post_transform(Fill)
    app.connect("html-page-context", _context)
    app.connect("build-finished", _publish)
