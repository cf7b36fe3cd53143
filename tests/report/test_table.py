from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from profiling_series import table
from profiling_series.errors import UsageError


@pytest.fixture
def soup(capture):
    return BeautifulSoup(table(capture)._repr_html_(), "html.parser")


def test_text_is_torchs_own(capture):
    assert table(capture).to_text() == capture.table


def test_every_cell_is_as_torch_printed_it(soup):
    head = [cell.get_text() for cell in soup.thead.find_all("th")]
    assert head == [
        "Name",
        "Self CPU %",
        "Self CPU",
        "CPU total",
        "Self CUDA",
        "Self CUDA %",
        "CUDA total",
        "# of Calls",
    ]
    step = soup.tbody.find_all("tr")[1]
    assert [cell.get_text() for cell in step.find_all(["th", "td"])] == [
        "ProfilerStep*", "15.00%", "45.000us", "1.300ms", "0.000us", "0.00%", "5.568us", "2",
    ]  # fmt: skip
    assert len(soup.tbody.find_all("tr")) == 5
    assert "Self CUDA time total: 5.568us" in soup.find(class_="ps-totals").get_text()


def test_figures_are_set_right_and_names_are_headers(soup):
    for row in soup.tbody.find_all("tr"):
        assert row.th["scope"] == "row"
        assert all("ps-num" in cell["class"] for cell in row.find_all("td"))
    assert soup.table.parent["tabindex"] == "0"
    assert soup.caption.get_text()


def test_the_annotations_gpu_row_is_marked_and_no_other(soup):
    marked = soup.find_all("tr", class_="ps-marked")
    assert [row.code.get_text() for row in marked] == ["matmul_add"]
    assert "span of the annotation on the GPU lane, not work" in marked[0].th.get_text()
    assert "88.864us" in marked[0].get_text()


def test_a_name_that_torch_cut_says_so(soup):
    cut = [row for row in soup.tbody.find_all("tr") if "name cut by torch" in row.th.get_text()]
    assert len(cut) == 1
    assert cut[0].code.get_text().endswith("at…")


def test_names_are_escaped(capture):
    capture.table = capture.table.replace("ProfilerStep*", "<b>\x1b[1m&*  ")
    view = table(capture)
    assert "<b>" not in view._repr_html_()
    assert "\x1b" not in view._repr_html_()
    assert r"\x1b[1m" in view.text()


def test_a_bare_trace_has_no_table(trace):
    with pytest.raises(UsageError, match=r"two_steps\.json is a trace alone.*summary\(trace\)"):
        table(trace)
