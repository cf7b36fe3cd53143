"""The `planted-faults` directive: what was planted, how the twins differ, and whether the rules found it."""

from __future__ import annotations

import inspect
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from . import recorded
from .findings import finding_link
from .recorded import recorded_view

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from profiling_series.findings.faulttable import Row, Side
    from profiling_series.workloads.faults import Fault


HEADS = (
    "Fault",
    "without it, µs a step",
    "GPU busy",
    "with it, µs a step",
    "GPU busy",
    "ratio",
    "named",
    "other faults named",
    "false alarms",
)


class PlantedFaults(SphinxDirective):
    """``{planted-faults}``: the table of hits and false alarms, then a section for each planted fault."""

    def run(self) -> list[nodes.Node]:
        """Return the place of the table and the sections."""
        from profiling_series.workloads.faults import FAULTS

        return [recorded_view(kind="planted-table", key=""), *(self._section(fault) for fault in FAULTS)]

    def _section(self, fault: Fault) -> nodes.section:
        from profiling_series.findings import RULES

        title = nodes.title("", RULES[fault.finding].title)
        self.set_source_info(title)
        described = (inspect.getdoc(type(fault.faulty)) or "").split("\n\nParameters\n")[0]
        link = finding_link(RULES[fault.finding])
        link["refdoc"] = self.env.docname
        opening = "<details class='ps-code'><summary>The step, as code</summary>"
        code = _code(fault)
        section = nodes.section("", title, ids=[fault.finding], names=[fault.finding])
        section += self.parse_text_to_nodes(described)
        section += [
            nodes.paragraph("", "", nodes.Text("In sizes: "), nodes.literal("", _sizes(fault)), _dot()),
            recorded_view(kind="planted-fault", key=fault.finding),
            nodes.paragraph("", "", nodes.Text("What it means and what to do: "), link, _dot()),
            nodes.raw("", opening, format="html"),
            nodes.literal_block(code, code, language="python"),
            nodes.raw("", "</details>", format="html"),
        ]
        return section


def _dot() -> nodes.Text:
    return nodes.Text(".")


def _sizes(fault: Fault) -> str:
    told = ", ".join(f"{name}={value}" for name, value in fault.faulty.params().items() if name != "fault")
    return f"{told}, compile={fault.compile!r}" if fault.compile else told


def _code(fault: Fault) -> str:
    """Return the code of a workload's step, without the head of its module."""
    spec = find_spec(fault.faulty.code)
    assert spec is not None
    assert spec.origin is not None
    text = Path(spec.origin).read_text(encoding="utf-8")
    return text[text.index("\n\n", text.rindex("\nfrom ")) :].strip() + "\n"


@cache
def _measured() -> tuple[list[Row], list[Any]]:
    """Return the rows of the table and the captures behind them; what is not recorded is a missing side."""
    from profiling_series import recordings
    from profiling_series.errors import RecordingMissing
    from profiling_series.findings.faulttable import table
    from profiling_series.results.planted import twins
    from profiling_series.workloads.faults import FAULTS

    rows, captures = [], []
    for fault in FAULTS:
        pair: list[Any] = []
        for request in twins(fault):
            try:
                pair.append(recordings.load(request))
            except RecordingMissing:
                pair.append(None)
        rows += table([(fault, *pair)])
        captures += [twin for twin in pair if twin is not None]
    return rows, captures


@recorded.drawing("planted-table")
def _table(_key: str) -> str:
    """Return the HTML of the table of hits and false alarms."""
    from profiling_series.format import count
    from profiling_series.report.blocks import Column, Grid, html_of
    from profiling_series.report.source import provenance_of
    from profiling_series.report.view import View

    rows, captures = _measured()
    if not captures:
        return '<p class="ps-none">No planted fault is recorded here.</p>'
    columns = tuple(Column(head, figures=0 < at < 6) for at, head in enumerate(HEADS))
    hits = sum(row.hit is True for row in rows)
    alarms = sum(len(row.false_alarms) for row in rows)
    note = (
        f"{hits} of {len(rows)} planted faults named; {count(alarms, 'false alarm')} in their healthy twins. "
        "Ratio: the pace with the fault over the pace without."
    )
    grid = Grid("Planted faults and what the rules say", columns, tuple(map(_cells, rows)), note)
    return View("planted", provenance_of(captures), lambda: "", lambda: html_of([grid]))._repr_html_()


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.finding,
        *_side(row.healthy),
        *_side(row.faulty),
        "unknown" if row.ratio is None else f"{row.ratio:.2f}",
        {True: "yes", False: "no", None: "not measured"}[row.hit],
        ", ".join(row.beside) or "none",
        ", ".join(row.false_alarms) or "none",
    )


def _side(side: Side | None) -> tuple[str, str]:
    from profiling_series.format import number, share

    if side is None:
        return "not measured", "unknown"
    return number(side.pace_us), share(side.busy)


@recorded.drawing("planted-fault")
def _fault(finding_id: str) -> str:
    """Return the HTML of what is said of both twins."""
    from profiling_series.format import share, us
    from profiling_series.report.blocks import Facts, html_of
    from profiling_series.report.view import View

    rows, captures = _measured()
    row = next(one for one in rows if one.finding == finding_id)
    if row.faulty is None or row.healthy is None:
        return '<p class="ps-none">It is not recorded here.</p>'
    alarms = ", ".join(row.false_alarms)
    pairs = (
        (
            "With it",
            f"{us(row.faulty.pace_us)} a step, {row.faulty.regime}: GPU {share(row.faulty.busy)} busy",
        ),
        ("The rules say", row.named.says if row.named else "Nothing: the fault is not found."),
        (
            "Without it",
            f"{us(row.healthy.pace_us)} a step, {row.healthy.regime}: GPU {share(row.healthy.busy)} busy",
        ),
        ("The rules say", f"Wrongly, {alarms}." if alarms else "No fault."),
        (
            "It costs",
            f"{us(row.cost_a_step_us)} a step; at stake by the finding: {us(row.stake_a_step_us)} a step",
        ),
    )
    lines = dict.fromkeys(
        f"{one.key}, {one.source_line}" for one in captures if re.match(_series(finding_id), one.key)
    )
    facts = Facts(finding_id, pairs)
    return View("planted", "; ".join(lines), lambda: "", lambda: html_of([facts]))._repr_html_()


def _series(finding_id: str) -> str:
    from profiling_series.workloads.faults import FAULTS

    return next(fault.faulty.series for fault in FAULTS if fault.finding == finding_id) + "/"


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("planted-faults", PlantedFaults)
