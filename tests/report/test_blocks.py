from __future__ import annotations

from bs4 import BeautifulSoup

from profiling_series.report.blocks import Column, Grid


def test_a_column_without_a_name_has_no_header_cell():
    """An empty header cell is announced as nothing, once a row."""
    grid = Grid("Steps", (Column("", figures=False), Column("µs")), (("first", "3"), ("second", "1")))
    table = BeautifulSoup(grid.html(), "html.parser").table
    assert [cell.name for cell in table.thead.tr.find_all(["th", "td"])] == ["td", "th"]
    assert all(cell.get_text() for cell in table.find_all("th"))
