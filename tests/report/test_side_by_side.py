from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from profiling_series import side_by_side
from profiling_series.errors import UsageError
from profiling_series.trace import read

CASES = Path(__file__).parents[1] / "data" / "cases"


def cells(view):
    lines = BeautifulSoup(view._repr_html_(), "html.parser").tbody.find_all("tr")
    return [[cell.text for cell in line.find_all(["th", "td"])] for line in lines]


def test_each_program_is_a_row_of_one_step():
    eager, compiled = read(CASES / "83-eager.json"), read(CASES / "83-compiled.json")
    view = side_by_side({"eager": [eager, eager], "compiled": compiled})
    assert cells(view) == [["eager", "2", "70", "2", "2", "620"], ["compiled", "1", "140", "2", "2", "616"]]
    assert "fewer than 5 processes" in " ".join(view.text().split())
    assert view.provenance == "read from 83-eager.json; read from 83-compiled.json"


def test_five_processes_measure():
    trace = read(CASES / "83-eager.json")
    assert "fewer than" not in side_by_side({"eager": [trace] * 5}).text()


def test_processes_that_differ_have_a_range():
    pair = [read(CASES / "83-eager.json"), read(CASES / "83-compiled.json")]
    assert cells(side_by_side({"mixed": pair}))[0][2] == "105 (70–140)"


def test_a_program_of_the_cpu_has_no_gpu_figures():
    assert cells(side_by_side({"cpu": read(CASES / "72-cpu-only.json")}))[0][4:] == ["none", "none"]


def test_no_program_and_no_step_are_refused():
    with pytest.raises(UsageError, match="at least one program"):
        side_by_side({})
    with pytest.raises(UsageError, match="holds no complete step"):
        side_by_side({"x": read(CASES / "56-no-profiler-step.json")})
