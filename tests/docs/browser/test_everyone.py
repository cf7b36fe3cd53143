"""Every page, in light and dark, on a desktop and on a phone: axe-core, requests, and the page's width."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import pytest

from .conftest import DESKTOP, PHONE, started_browser

Guises = tuple[tuple[str, dict[str, int]], ...]
GUISES: Guises = (("light", DESKTOP), ("dark", PHONE))
BROWSERS = 2

LESSON = "auto_examples/part1_matmul_add/plot_01_what_does_the_profiler_give_back.html"
ANALYSE = "axe.run(document, {resultTypes: ['violations']})"
OPEN_ALL = "document.querySelectorAll('details').forEach((box) => { box.open = true; })"
OVERFLOW = "document.documentElement.scrollWidth - window.innerWidth"


@dataclass
class Visit:
    """What one page was like, in one guise."""

    page: str
    theme: str
    overflow_px: int
    violations: list[str] = field(default_factory=list)


@dataclass
class Tour:
    """All pages, and every address that was asked for on the way."""

    visits: list[Visit]
    requested: set[str]


@pytest.fixture(scope="session")
def tour(built, served) -> Tour:
    """Visit each page, light on a desktop and then dark on a phone.

    The other two combinations share colours with the one and layout with the other;
    `test_the_other_way_round` samples them.
    """
    pages = sorted(
        str(path.relative_to(built.site))
        for path in built.site.rglob("*.html")
        if "_static" not in path.parts
    )
    # One browser a core: the analysis is most of the time. Longer pages are spread by taking turns.
    with ThreadPoolExecutor(BROWSERS) as pool:
        tours = list(
            pool.map(lambda own: _own_browser(served, own), [pages[n::BROWSERS] for n in range(BROWSERS)])
        )
    return Tour(
        [visit for one in tours for visit in one.visits], set().union(*(one.requested for one in tours))
    )


def _own_browser(base: str, pages: list[str]) -> Tour:
    """Visit pages in a browser of this thread's own."""
    with started_browser() as browser:
        return _visit(browser, base, pages)


def _visit(browser: Any, base: str, pages: list[str], guises: Guises = GUISES) -> Tour:
    """Visit pages in each guise; a second one costs no second loading."""
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    context = browser.new_context(reduced_motion="reduce")
    tab, requested, visits = context.new_page(), set(), []
    tab.on("request", lambda request: requested.add(request.url))
    for name in pages:
        for at, (theme, size) in enumerate(guises):
            tab.set_viewport_size(size)
            tab.emulate_media(color_scheme=theme)
            if at == 0:
                tab.goto(f"{base}/{name}")
                tab.evaluate(OPEN_ALL)
                tab.evaluate(axe)
            # The page hears of another colour scheme a moment later.
            tab.wait_for_function("(theme) => document.documentElement.dataset.theme === theme", arg=theme)
            violations = [
                f"{theme} {size['width']} {name}: {found['id']} at {found['nodes'][0]['target']} and "
                f"{len(found['nodes']) - 1} more: {' '.join(found['nodes'][0]['failureSummary'].split())}"
                for found in tab.evaluate(ANALYSE)["violations"]
            ]
            visits.append(Visit(name, theme, tab.evaluate(OVERFLOW), violations))
    context.close()
    return Tour(visits, requested)


def test_axe_finds_nothing_on_any_page(tour):
    found = [violation for visit in tour.visits for violation in visit.violations]
    assert not found, "\n".join(found)


def test_each_page_was_seen_light_and_dark(tour):
    """Else the test above would say less than its name."""
    light, dark = (
        {visit.page for visit in tour.visits if visit.theme == theme} for theme in ("light", "dark")
    )
    assert len(light) >= 200
    assert dark == light


def test_no_page_asks_another_machine_for_anything(tour, served):
    assert any(url.startswith(served) for url in tour.requested)
    assert [url for url in tour.requested if not url.startswith((f"{served}/", "data:"))] == []


def test_no_page_is_wider_than_the_window(tour):
    assert {visit.page: visit.overflow_px for visit in tour.visits if visit.overflow_px > 0} == {}


@pytest.mark.parametrize("from_file", [False, True])
def test_the_other_way_round(browser, served, built, from_file):
    """Dark on a desktop and light on a phone; from files, where every address is a file's."""
    pages = ["index.html", "reference/this-build.html", "auto_examples/index.html", LESSON]
    base = built.site.as_uri() if from_file else served
    tour = _visit(browser, base, pages, (("dark", DESKTOP), ("light", PHONE)))
    assert [violation for visit in tour.visits for violation in visit.violations] == []
    assert [visit.page for visit in tour.visits if visit.overflow_px > 0] == []
    assert [url for url in tour.requested if not url.startswith((f"{base}/", "data:"))] == []


def test_axe_would_find_something(page, served):
    """The scan sees what it should: a picture without words, and grey on grey."""
    page.goto(f"{served}/index.html")
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    page.evaluate(
        "document.querySelector('article').insertAdjacentHTML('beforeend',"
        '\'<img src="data:,"><p style="color:#999;background:#aaa">grey</p>\')'
    )
    found = {one["id"] for one in page.evaluate(ANALYSE)["violations"]}
    assert {"image-alt", "color-contrast"} <= found
