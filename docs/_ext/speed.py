"""The `reader-speed` directive: what the last run of the benchmark measured, with its machine and date."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results.json"
HEADER = ("Reader", "seconds", "times ours", "peak memory", "of the file", "what it does")


class ReaderSpeed(SphinxDirective):
    """``{reader-speed}``: a table for each file of ``benchmarks/results.json``."""

    def run(self) -> list[nodes.Node]:
        """Return the tables; a sentence where nobody has run the benchmark."""
        if not RESULTS.exists():
            return [
                nodes.paragraph("", "No run is on file: `nox -s bench -- --json benchmarks/results.json`.")
            ]
        self.env.note_dependency(str(RESULTS))
        return [self._table(run) for run in json.loads(RESULTS.read_text(encoding="utf-8"))]

    def _table(self, run: dict[str, Any]) -> nodes.table:
        ours = run["results"][0]["seconds"]
        title = (
            f"{run['layout']} layout, {run['file_bytes'] / 1e9:.2f} GB. {run['machine']}, "
            f"Python {run['python']}, {run['date']}"
        )
        rows = [
            (
                r["reader"],
                f"{r['seconds']:.2f}",
                f"{r['seconds'] / ours:.1f}",
                f"{r['peak_bytes'] / 1e6:,.0f} MB",
                f"{r['peak_bytes'] / run['file_bytes']:.2f}",
                r["does"],
            )
            for r in run["results"]
        ]
        table = nodes.table("", nodes.title("", title), classes=["ps-speed"])
        group = nodes.tgroup("", cols=len(HEADER))
        group += [nodes.colspec("", colwidth=1) for _ in HEADER]
        group += nodes.thead("", self._row(HEADER))
        group += nodes.tbody("", *(self._row(row) for row in rows))
        table += group
        return table

    def _row(self, cells: tuple[str, ...]) -> nodes.row:
        return nodes.row("", *(nodes.entry("", nodes.paragraph("", text)) for text in cells))


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("reader-speed", ReaderSpeed)
