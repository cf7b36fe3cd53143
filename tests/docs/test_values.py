"""Values that examples store, and what prose and downloads make of them."""

from __future__ import annotations

import numpy as np
import pytest
from _ext import notebooks, values


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ((12.345, "µs"), "12.3\u202fµs"),
        ((np.float64(1234.5), "µs"), "1,234\u202fµs"),
        (np.int64(2), "2"),
        ("nvjet", "nvjet"),
        ((None, "µs"), "unknown"),
        (True, "True"),
    ],
)
def test_a_stored_value_reads_back_with_its_unit(tmp_path, stored, shown):
    values.store(tmp_path, "plot_01", {"key": stored})
    assert values.shown(values.load(tmp_path), "key") == shown


@pytest.mark.parametrize(
    ("stored", "kept"), [(1, True), (0, False), ((None, "µs"), False), ("", False), ((0.5, "µs"), True)]
)
def test_a_condition_asks_whether_there_is_anything(tmp_path, stored, kept):
    values.store(tmp_path, "plot_01", {"key": stored})
    known = values.load(tmp_path)
    assert values.holds(known, "key", True) is kept
    assert values.holds(known, "key", False) is not kept


def test_an_example_may_store_its_value_again_but_not_anothers(tmp_path):
    values.store(tmp_path, "plot_01", {"key": 1})
    values.store(tmp_path, "plot_01", {"key": 2})
    with pytest.raises(ValueError, match=r"plot_02: .*stored by plot_01"):
        values.store(tmp_path, "plot_02", {"key": 3})


def test_what_is_no_figure_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"measured\['key'\] is a list"):
        values.store(tmp_path, "plot_01", {"key": [1]})


def test_a_notebook_cell_loses_its_roles():
    known = {"gap": {"value": 1.5, "unit": "µs"}, "none": {"value": 0, "unit": ""}}
    text = (
        "A :term:`kernel`, two :term:`kernels <kernel>`, :func:`~profiling_series.capture`,\n"
        ":doc:`this page </start>` and ``code``: :measured:`gap`.\n\n"
        ".. when:: gap\n\n   Line one\n   and two.\n\n"
        ".. when:: none\n\n   Never.\n\n"
        ".. when:: not none\n\n   Kept.\n\nEnd.\n"
    )
    assert notebooks.plain(text, known) == (
        "A `kernel`, two kernels, `capture`,\n"
        "this page and ``code``: 1.50\u202fµs.\n\nLine one\nand two.\n\nKept.\n\nEnd.\n"
    )
