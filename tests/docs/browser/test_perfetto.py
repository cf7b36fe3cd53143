"""The hand-over to Perfetto, against a page that stands in for it: answers PING, keeps what it is sent."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from .conftest import Quiet, serving
from .test_everyone import ANALYSE, LESSON

STAND_IN = b"""<!doctype html><html lang="en"><title>Stand-in</title><script>
const answers = ANSWERS;
window.pings = 0;
addEventListener("message", (event) => {
  if (event.data === "PING") {
    window.pings += 1;
    // Perfetto is not ready at the first PING, either.
    if (answers && window.pings > 2) event.source.postMessage("PONG", "*");
  } else if (event.data.perfetto && !window.got) {
    const { buffer, title, fileName } = event.data.perfetto;
    window.got = { title, fileName, origin: event.origin, bytes: Array.from(new Uint8Array(buffer)) };
  }
});
</script>"""


def _stand_in(answers: bytes) -> type[Quiet]:
    class Handler(Quiet):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(STAND_IN.replace(b"ANSWERS", answers))

    return Handler


@pytest.fixture
def perfetto() -> Iterator[str]:
    with serving(_stand_in(b"true")) as address:
        yield address


@pytest.fixture
def silent() -> Iterator[str]:
    with serving(_stand_in(b"false")) as address:
        yield address


def _instead(page: Any, place: str, patience_ms: int = 15_000) -> None:
    """Hand over to another place than Perfetto's own."""
    page.evaluate(
        "([place, patience]) => Object.assign(document.documentElement.dataset,"
        " {perfetto: place, perfettoPatienceMs: patience})",
        [place, str(patience_ms)],
    )


def _received(page: Any, button: Any) -> dict[str, Any]:
    """Click and return what the stand-in got, in its window."""
    with page.expect_popup() as opened:
        button.click()
    opened.value.wait_for_function("window.got")
    return opened.value.evaluate("window.got")


def test_the_lessons_timeline_arrives_as_it_lies_on_the_site(page, served, perfetto, built):
    page.goto(f"{served}/{LESSON}")
    _instead(page, perfetto)
    figure = page.locator("figure.ps-timeline").first
    got = _received(page, figure.get_by_role("button", name="Open in Perfetto"))
    page.get_by_role("status").filter(has_text="Handed over").wait_for()
    key = figure.get_attribute("data-capture")
    assert got["title"] == key
    assert got["origin"] == served
    link = figure.get_by_role("link", name="Download the trace").get_attribute("href")
    file = (built.site / LESSON).parent.joinpath(link).resolve()
    assert got["fileName"] == file.name
    assert bytes(got["bytes"]) == file.read_bytes()
    assert b'"traceEvents"' in gzip.decompress(bytes(got["bytes"]))
    # Twice is no different: the first hand-over gave its buffer away.
    assert _received(page, figure.get_by_role("button", name="Open in Perfetto")) == got


def test_each_capture_can_be_handed_over(page, served, perfetto, built):
    """*This build* lists every one, each lesson its own; no button leads nowhere."""
    page.goto(f"{served}/reference/this-build.html")
    rows = page.locator("table.ps-build tbody tr")
    assert rows.count() == rows.locator("button.ps-perfetto").count() > 5
    lessons = sorted((built.site / LESSON).parent.glob("plot_*.html"))
    for lesson in [built.site / "reference" / "this-build.html", built.site / "index.html", *lessons]:
        text = lesson.read_text(encoding="utf-8")
        addresses = re.findall(r'class="ps-perfetto" data-trace="([^"]+)"', text)
        assert addresses, lesson
        assert [one for one in addresses if not (lesson.parent / one).resolve().is_file()] == []
        figures = re.findall(r'<figure class="ps-view ps-timeline"[^>]*>.*?</figure>', text, re.DOTALL)
        assert [figure for figure in figures if "ps-perfetto" not in figure] == []
    _instead(page, perfetto)
    last = rows.last.locator("button.ps-perfetto")
    assert _received(page, last)["title"] == rows.last.locator("code").first.text_content()


def test_no_answer_is_told_with_what_to_do(page, served, silent):
    page.goto(f"{served}/{LESSON}")
    _instead(page, silent, patience_ms=700)
    button = page.locator("figure.ps-timeline button.ps-perfetto").first
    with page.expect_popup() as opened:
        button.click()
    told = page.get_by_role("status").filter(has_text="No answer from 127.0.0.1")
    told.wait_for()
    assert told.get_by_role("link", name="Download the trace").get_attribute("href")
    assert opened.value.evaluate("window.pings") > 2
    assert not opened.value.evaluate("Boolean(window.got)")
    assert button.is_enabled()


def test_a_place_that_cannot_be_reached_is_told_as_well(page, served):
    page.goto(f"{served}/{LESSON}")
    _instead(page, "http://127.0.0.1:9", patience_ms=700)
    with page.expect_popup():
        page.locator("figure.ps-timeline button.ps-perfetto").first.click()
    page.get_by_role("status").filter(has_text="No answer").wait_for()


def test_another_window_is_not_taken_for_perfetto(page, served, silent):
    """A PONG counts only from the window that was opened."""
    page.goto(f"{served}/{LESSON}")
    _instead(page, silent, patience_ms=700)
    with page.expect_popup() as opened:
        page.locator("figure.ps-timeline button.ps-perfetto").first.click()
    page.evaluate("window.postMessage('PONG', '*')")
    page.get_by_role("status").filter(has_text="No answer").wait_for()
    assert not opened.value.evaluate("Boolean(window.got)")


def test_a_missing_trace_and_a_blocked_window_are_told(page, served, perfetto):
    page.goto(f"{served}/{LESSON}")
    _instead(page, perfetto)
    button = page.locator("figure.ps-timeline button.ps-perfetto").first
    button.evaluate("(button) => { button.dataset.trace = 'gone.json.gz'; }")
    button.click()
    page.get_by_role("status").filter(has_text="could not be fetched (the server answers 404)").wait_for()
    page.evaluate("window.open = () => null")
    button.click()
    page.get_by_role("status").filter(has_text="did not let a new window open").wait_for()


def test_from_a_file_the_download_is_offered_and_how_to_serve(page, built):
    page.goto((built.site / LESSON).as_uri())
    page.locator("figure.ps-timeline button.ps-perfetto").first.click()
    told = page.get_by_role("status").filter(has_text="nox -s serve")
    told.wait_for()
    link = told.get_by_role("link", name="Download the trace").evaluate("(link) => link.href")
    assert link.startswith("file:///")
    assert link.endswith(".json.gz")
    assert told.get_by_role("link", name="ui.perfetto.dev").get_attribute("href") == "https://ui.perfetto.dev"
    assert len(page.context.pages) == 1, "no window without a use"


def test_without_scripts_there_is_a_download_and_no_dead_button(browser, served):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{served}/{LESSON}")
    figure = page.locator("figure.ps-timeline").first
    assert figure.get_by_role("link", name="Download the trace").is_visible()
    assert not figure.locator("button.ps-perfetto").is_visible()
    context.close()


def test_the_open_commands_page_hands_its_file_over(page, perfetto, built, cli_environment, tmp_path):
    file = next((built.site / "_captures").rglob("*.json.gz"))
    command = [sys.executable, "-m", "profiling_series", "open", str(file), "--no-browser"]
    process = subprocess.Popen(command, env=cli_environment, stdout=subprocess.PIPE, text=True)
    try:
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(process.stdout.readline().split()[-1])
        _instead(page, perfetto)
        got = _received(page, page.get_by_role("button", name="Open in Perfetto"))
        assert bytes(got["bytes"]) == file.read_bytes()
        assert (got["title"], got["fileName"]) == (file.name, file.name)
        assert [line for line in said if "Content Security Policy" in line] == []
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_the_open_commands_page(page, theme):
    from profiling_series.report import perfetto as made

    page.emulate_media(color_scheme=theme)
    page.set_content(made.page("a trace.json.gz", "3 events", "none"))
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    assert page.evaluate(ANALYSE)["violations"] == []


@pytest.fixture
def cli_environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3] / "src")}
