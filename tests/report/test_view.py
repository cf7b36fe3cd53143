from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest

from profiling_series import show, summary, timeline
from profiling_series.errors import UsageError
from profiling_series.report.view import View


@pytest.fixture
def view():
    return View("summary", "live on <Test>, 3 µs", lambda: "body\n", lambda: "<p>body</p>")


def test_text_ends_with_the_provenance(view):
    assert view.text() == "body\n\n[live on <Test>, 3 µs]"
    assert repr(view) == str(view) == view.text()


def test_html_is_a_figure_with_the_provenance_as_caption(view):
    html = view._repr_html_()
    assert html.startswith('<figure class="ps-view ps-summary"')
    assert '<figcaption class="ps-provenance">live on &lt;Test&gt;, 3\u202fµs</figcaption>' in html


def test_html_can_be_put_behind_other_html(view):
    assert ("<p>Before.</p>" + view._repr_html_()).startswith("<p>Before.</p><figure ")


def test_a_view_that_is_no_picture_has_none_to_save(view, tmp_path):
    with pytest.raises(UsageError, match="a summary is no plot"):
        view.figure()
    with pytest.raises(UsageError, match="a summary is no picture"):
        view.save(tmp_path / "summary.svg")
    assert not list(tmp_path.iterdir())


def test_show_prints_in_a_script_and_returns_nothing(view, capsys):
    assert show(view) is None
    assert capsys.readouterr().out == view.text() + "\n"


@pytest.mark.parametrize("setting", ["html", "text"])
def test_show_obeys_the_environment(view, capsys, monkeypatch, setting):
    monkeypatch.setenv("PROFILING_SERIES_SHOW", setting)
    assert (show(view) is view) == (setting == "html")
    assert bool(capsys.readouterr().out) == (setting == "text")


@pytest.mark.parametrize(
    ("shell", "draws"), [(SimpleNamespace(kernel=object()), True), (SimpleNamespace(), False), (None, False)]
)
def test_show_returns_the_view_in_a_notebook_kernel_only(view, monkeypatch, shell, draws):
    monkeypatch.setitem(
        sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, version_info=(9, 0))
    )
    assert (show(view) is view) == draws


def test_show_survives_a_terminal_that_cannot_print_it(view, monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    show(view)
    out.flush()
    assert b"3 ?s" in out.buffer.getvalue()


def test_every_view_carries_its_provenance(capture, trace):
    assert capture.source_line in timeline(capture).text()
    assert capture.source_line in timeline(capture)._repr_html_()
    # Of a bare trace the file's name, without the folders of the machine that reads it.
    assert summary(trace).text().endswith("[read from two_steps.json]")


@pytest.mark.parametrize("thing", [None, "trace.json", {}, SimpleNamespace(trace=3)])
def test_what_is_neither_capture_nor_trace_is_refused(thing):
    with pytest.raises(UsageError, match="needs a Capture or a Trace"):
        summary(thing)


def in_a_kernel(monkeypatch):
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(
        sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, version_info=(9, 0))
    )
    monkeypatch.delenv("PROFILING_SERIES_SHOW", raising=False)


def test_a_notebook_gets_style_with_each_view_and_the_script_with_a_timeline(view, trace, monkeypatch):
    bare = view._repr_html_(), timeline(trace)._repr_html_()
    in_a_kernel(monkeypatch)
    dressed = view._repr_html_(), timeline(trace)._repr_html_()
    for before, after in zip(bare, dressed, strict=True):
        assert "<style>" not in before
        assert after.startswith(f"{before}\n<style>")
    assert "<script>" not in dressed[0]
    assert "ArrowRight" in dressed[1].split("<script>")[1]


def test_the_site_which_holds_style_and_script_itself_gets_neither(trace, monkeypatch):
    in_a_kernel(monkeypatch)
    monkeypatch.setenv("PROFILING_SERIES_SHOW", "html")
    assert "<style>" not in timeline(trace)._repr_html_()
