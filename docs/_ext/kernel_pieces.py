"""The `kernel-names` directive: every name of GPU work in the recordings, taken apart and coloured."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from . import recorded
from .recorded import recorded_view

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from profiling_series.trace.kernel_names import KernelName, Part

#: What a piece tells → the fields of a decoded name that tell it; in the order of the legend.
KINDS: dict[str, tuple[str, ...]] = {
    "family": ("family",),
    "what it computes": ("operation", "kind", "fused_ops", "memory"),
    "data types": ("dtypes",),
    "tile and stages": ("tile", "stages"),
    "layout": ("layout",),
    "made for": ("architecture", "library", "tensor_cores"),
    "epilogue": ("epilogue",),
}
OTHER, UNKNOWN = "something else", "not known"
LONGEST_PIECE = 80


@dataclass(frozen=True)
class Used:
    """A name as the recordings hold it: decoded, how often and how long, and in how many recordings."""

    decoded: KernelName
    launches: int
    total_us: float
    recordings: int


@cache
def families() -> dict[str, list[Used]]:
    """Return the names of all recordings by family, both with most GPU time first."""
    from profiling_series.trace.kernel_names import decode

    seen = defaultdict(list)
    for one in recorded.survey():
        for name in one.names:
            seen[name.name].append(name)
    found = defaultdict(list)
    for text, uses in seen.items():
        decoded = decode(text)
        launches, total = sum(one.launches for one in uses), sum(one.total_us for one in uses)
        found[decoded.family].append(Used(decoded, launches, total, len(uses)))
    ranked = sorted(found.items(), key=lambda item: -_total(item[1]))
    return {family: sorted(used, key=lambda one: -one.total_us) for family, used in ranked}


def _total(used: list[Used]) -> float:
    return sum(one.total_us for one in used)


def kind_of(part: Part) -> str:
    """Return what a piece tells, one of `KINDS`, or that it tells something else or nothing that is known."""
    if not part.known:
        return UNKNOWN
    return next((kind for kind, fields in KINDS.items() if part.field in fields), OTHER)


class KernelNames(SphinxDirective):
    """``{kernel-names}``: a legend, the families with their share of GPU time, and every name of each."""

    def run(self) -> list[nodes.Node]:
        """Return the tables, a section for each family, and the sources of what is said."""
        return [
            recorded_view(kind="kernel-families", key=""),
            *(self._section(family) for family in families()),
            self._sources(),
        ]

    def _section(self, family: str) -> nodes.section:
        title = nodes.title("", family)
        self.set_source_info(title)
        anchor = nodes.make_id(f"family-{family}")
        return nodes.section(
            "", title, recorded_view(kind="kernel-family", key=family), ids=[anchor], names=[anchor]
        )

    def _sources(self) -> nodes.section:
        from profiling_series.trace.kernel_names import sources

        parts = [part for used in families().values() for one in used for part in one.decoded.parts]
        cited = {part.source for part in parts if part.source}
        title = nodes.title("", "Where the meanings come from")
        self.set_source_info(title)
        section = nodes.section("", title, ids=["sources"], names=["sources"])
        items = nodes.bullet_list("")
        for source in sources().values():
            if source.id in cited:
                head = (
                    nodes.reference("", source.title, refuri=source.url)
                    if source.url
                    else nodes.Text(source.title)
                )
                words = (
                    nodes.literal("", source.id),
                    nodes.Text(": "),
                    head,
                    nodes.Text(f" ({source.kind})"),
                )
                items += nodes.list_item("", nodes.paragraph("", "", *words))
        section += items
        return section


@recorded.drawing("kernel-families")
def _families(_key: str) -> str:
    """Return the HTML of the legend and the table of families."""
    from profiling_series.format import escape, share, us
    from profiling_series.report.blocks import Column, Grid

    whole = sum(map(_total, families().values())) or 1.0
    rows = []
    for family, used in families().items():
        parts = [part for one in used for part in one.decoded.parts if part.meaning]
        unknown = sum(not part.known for part in parts)
        rows.append(
            (
                family,
                f"{len(used)}",
                us(_total(used)),
                share(_total(used) / whole),
                f"{unknown} of {len(parts)}",
            )
        )
    strange = [one for used in families().values() for one in used if not one.decoded.known]
    rows.append(
        ("not recognised", f"{len(strange)}", us(_total(strange)), share(_total(strange) / whole), "")
    )
    columns = (
        Column("Family", figures=False),
        Column("names"),
        Column("GPU time"),
        Column("of all"),
        Column("pieces not known"),
    )
    note = f"Over all {len(recorded.survey())} recordings, GPU work added up."
    grid = Grid("Families of the recorded kernels", columns, tuple(rows), note)
    legend = "".join(
        f'<li><span class="ps-piece ps-piece-{_slug(kind)}">{escape(kind)}</span></li>'
        for kind in (*KINDS, OTHER, UNKNOWN)
    )
    return (
        f'<ul class="ps-piece-legend" aria-label="Colours of the pieces">{legend}</ul>\n'
        f'<figure class="ps-view">{grid.html()}</figure>'
    )


@recorded.drawing("kernel-family")
def _family(family: str) -> str:
    """Return the HTML of all names of a family, the pieces of the first laid open."""
    used = families()[family]
    return "\n".join(_name(one, at == 0) for at, one in enumerate(used))


def _name(used: Used, opened: bool) -> str:
    from profiling_series.format import count, escape, prose, us

    decoded = used.decoded
    told = (
        f"{decoded.summary}. {count(used.launches, 'launch', 'launches')}, {us(used.total_us)} in "
        f"{count(used.recordings, 'recording')}."
    )
    notes = "".join(f'<p class="ps-note">{prose(note)}</p>' for note in decoded.notes)
    return (
        '<figure class="ps-view ps-kernel-name">\n'
        f'<p class="ps-name"><code translate="no">{_pieces(decoded)}</code></p>\n'
        f'<p class="ps-note">{prose(told)}</p>{notes}\n'
        f"<details{' open' if opened else ''}><summary>Piece by piece"
        f'<span class="visually-hidden">: {escape(decoded.demangled[:60])}</span></summary>'
        f"{_table(decoded)}</details></figure>"
    )


def _pieces(decoded: KernelName) -> str:
    """Return the name with each piece marked, numbered as in the table."""
    from profiling_series.format import escape

    html, number = [], 0
    for part in decoded.parts:
        if not part.meaning:
            html.append(escape(part.text))
            continue
        number += 1
        html.append(
            f'<span class="ps-piece ps-piece-{_slug(kind_of(part))}" data-n="{number}" '
            f'title="{escape(part.meaning)}">{escape(part.text)}</span>'
        )
    return "".join(html)


def _table(decoded: KernelName) -> str:
    from profiling_series.format import escape, prose, shown
    from profiling_series.report.markup import scrolling

    rows = []
    for number, part in enumerate((part for part in decoded.parts if part.meaning), 1):
        kind, meaning = (kind_of(part), part.meaning) if part.known else ("", UNKNOWN)
        rows.append(
            f'<tr><td class="ps-num">{number}</td><th scope="row"><code translate="no">'
            f"{escape(shown(part.text, LONGEST_PIECE))}</code></th><td>{escape(kind)}</td>"
            f"<td>{prose(meaning)}</td><td>{escape(part.source or '')}</td></tr>"
        )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("#", "Piece", "Tells", "Meaning", "Source"))
    return scrolling(
        f"Pieces of {shown(decoded.demangled, 40)}",
        f'<table class="ps-grid ps-pieces"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>",
    )


def _slug(kind: str) -> str:
    return kind.replace(" ", "-")


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("kernel-names", KernelNames)
