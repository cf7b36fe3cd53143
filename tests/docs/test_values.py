"""What examples answer to the expressions of pages, and what prose and downloads make of it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from _ext import expressions, notebooks, values


def _answers(**answers):
    return {name: {"value": value, "unit": unit} for name, (value, unit) in answers.items()}


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (12.345, "µs", "12.3\u202fµs"),
        (1234.5, "µs", "1,234\u202fµs"),
        (2, "", "2"),
        (65536.0, "", "65,536"),
        (3.61, "", "3.6"),
        (0.914, "", "0.91"),
        (123.4, "", "123"),
        ("nvjet", "", "nvjet"),
        (None, "", "unknown"),
    ],
)
def test_an_answer_reads_with_its_unit(value, unit, shown):
    assert values.shown(_answers(x=(value, unit)), "x") == shown


@pytest.mark.parametrize(("value", "kept"), [(1, True), (0, False), (None, False), ("", False), (0.5, True)])
def test_a_condition_asks_whether_there_is_anything(value, kept):
    assert values.holds(_answers(x=(value, "")), "x") is kept


LESSON = """\
\"\"\"How long?

It takes :measured:`cap: time`, and
:measured:`cap.time /
2`.
\"\"\"
cap = 1

# %%
# .. when:: cap: time > 1
#    and cap.time < 3
#
#    It takes :measured:`whole(cap.time)`.
"""
ASKED = ["cap: time", "cap.time / 2", "whole(cap.time)", "cap: time > 1 and cap.time < 3"]


def test_expressions_are_found_in_a_lesson_and_in_a_page():
    assert list(expressions.written(LESSON)) == ASKED
    page = ":::{when} part1-02/cap: time\nIt is {measured}`n` and {term}`kernel`.\n:::\n"
    assert list(expressions.written(page)) == ["n", "part1-02/cap: time"]
    assert expressions.elsewhere("part1-02/cap: time") == ("part1-02", "cap: time")
    assert expressions.elsewhere("a / b") == (None, "a / b")


def test_an_example_answers_its_own_page_and_those_that_ask_it(tmp_path):
    lesson = tmp_path / "examples" / "part1_x" / "plot_02_y.py"
    lesson.parent.mkdir(parents=True)
    lesson.write_text(LESSON)
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "faq.md").write_text("{measured}`part1-02/n`, {measured}`part1-03/n`, {measured}`n`\n")
    (docs / "faq.po").write_text('msgstr ""\n"{measured}`part1-02/cap.time"\n" + 1`"\n')
    known = {"cap": SimpleNamespace(median_us=np.float64(2.0)), "n": 7}
    values.answer(docs, lesson, known)
    found = values.load(docs)["plot_02_y"]
    assert set(found) == {*ASKED, "n", "cap.time + 1"}
    assert found["cap.time / 2"] == {"value": 1.0, "unit": "µs"}
    assert found["n"] == {"value": 7, "unit": ""}
    values.answer(docs, lesson, {})
    assert values.load(docs)["plot_02_y"]["n"] == {"error": "there is no variable 'n'"}


def test_a_notebook_cell_loses_its_roles():
    known = _answers(gap=(1.5, "µs"), none=(0, "")) | {"not none": {"value": True, "unit": ""}}
    text = (
        "A :term:`kernel`, two :term:`kernels <kernel>`, :func:`~profiling_series.capture`,\n"
        ":doc:`this page </start>` and ``code``: :measured:`gap`.\n\n"
        ".. when:: gap\n\n   Line one\n   and two.\n\n"
        ".. when:: none\n\n   Never.\n\n"
        ".. when:: not\n   none\n\n   Kept.\n\nEnd.\n"
    )
    assert notebooks.plain(text, known) == (
        "A `kernel`, two kernels, `capture`,\n"
        "this page and ``code``: 1.50\u202fµs.\n\nLine one\nand two.\n\nKept.\n\nEnd.\n"
    )
