"""Timelines as a notebook shows them, each cell's output with what it needs: they answer to keys and taps."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

from profiling_series import timeline
from profiling_series.trace import read

TRACE = Path(__file__).parents[2] / "data" / "report" / "two_steps.json"


def test_each_timeline_of_a_notebook_answers_to_keys_and_once(page, monkeypatch):
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(
        sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, version_info=(9, 0))
    )
    monkeypatch.delenv("PROFILING_SERIES_SHOW", raising=False)
    trace = read(TRACE)
    cells = "".join(f"<div>{timeline(trace, steps=step)._repr_html_()}</div>" for step in (0, 1))
    page.set_content(f"<!doctype html><html lang='en'><body>{cells}</body></html>")
    for figure in page.locator("figure.ps-timeline").all():
        assert figure.locator(".ps-told").count() == 1
        figure.locator(".ps-scroll").first.focus()
        page.keyboard.press("Tab")
        first = figure.locator(".ps-told").text_content()
        page.keyboard.press("ArrowDown")
        second = figure.locator(".ps-told").text_content()
        assert "µs" in first
        assert "µs" in second
        assert first != second
