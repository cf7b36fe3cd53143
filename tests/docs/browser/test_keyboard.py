"""The site by keyboard, and its search."""

from __future__ import annotations

import re

import pytest

from .conftest import PHONE
from .test_everyone import LESSON

FIGURE = "figure.ps-timeline"


def test_a_timeline_that_is_wider_than_the_phone_scrolls_by_keyboard(page, served):
    page.set_viewport_size(PHONE)
    page.goto(f"{served}/{LESSON}")
    box = page.locator(f"{FIGURE} .ps-scroll").first
    box.focus()
    assert box.evaluate("(box) => box === document.activeElement && box.scrollWidth > box.clientWidth")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("(box) => box.scrollLeft > 20", arg=box.element_handle())


def test_arrow_keys_go_from_bar_to_bar_and_tell_each(page, built):
    """Works from a file, too."""
    page.goto((built.site / LESSON).as_uri())
    figure = page.locator(FIGURE).first
    figure.locator(".ps-scroll").first.focus()
    page.keyboard.press("Tab")
    told = figure.locator(".ps-told")
    seen = []
    for key in ["", "Home", *["ArrowRight"] * 2, "ArrowLeft", *["ArrowDown"] * 30]:
        if key:
            page.keyboard.press(key)
        now = page.evaluate(
            "[document.activeElement.tagName, document.activeElement.getAttribute('aria-label')]"
        )
        assert now[0] == "rect"
        assert now[1] == told.text_content().replace("\n", ", ")
        seen.append(now[1])
    assert seen[2] != seen[3]
    assert seen[4] == seen[2], "back where it came from"
    assert all(re.search(r"\d.µs", words) for words in seen)
    assert (
        page.evaluate("document.activeElement.parentNode.matches('.ps-kernel, .ps-copy')")
        or not page.locator(f"{FIGURE} .ps-kernel").count()
    ), "down leads to the GPU"
    assert len(figure.locator("rect[tabindex]").all()) == 1, "Tab passes the picture in one stop"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") != "rect"
    assert "arrow keys" in told.text_content()


def test_a_tap_tells_what_hovering_tells(page, served):
    page.goto(f"{served}/{LESSON}")
    figure = page.locator(FIGURE).first
    bar = figure.locator("rect:has(title)").last
    bar.dispatch_event("click")
    assert figure.locator(".ps-told").text_content() == bar.locator("title").text_content()


def test_the_same_in_words_opens_by_enter(page, served):
    page.goto(f"{served}/{LESSON}")
    words = page.locator(f"{FIGURE} details.ps-reading").first
    summary = words.locator("summary")
    summary.focus()
    assert words.get_attribute("open") is None
    page.keyboard.press("Enter")
    assert words.get_attribute("open") is not None
    assert words.locator("pre").is_visible()


def test_a_guesss_answer_opens_by_enter(page, served):
    page.goto(f"{served}/{LESSON}")
    check = page.locator("figure.ps-check details").first
    check.locator("summary").focus()
    page.keyboard.press("Enter")
    assert check.get_attribute("open") is not None


@pytest.mark.parametrize("wanted", ["kernel", "finding"])
def test_search_finds_a_kernels_name_and_a_findings_id(page, served, built, wanted):
    if wanted == "kernel":
        words = (built.site / LESSON).read_text(encoding="utf-8")
        name = re.search(r"\b(?:nvjet|ampere|cutlass|gemm|void)\w*\b", words)
        if name is None:
            pytest.skip("this build saw no GPU")
        query = name[0]
    else:
        if not (built.site / "findings" / "hidden-sync.html").exists():
            pytest.skip("the site has no page of a finding")
        query = "hidden-sync"
    page.goto(f"{served}/search.html?q={query}")
    found = page.locator("#search-results ul.search li a").first
    found.wait_for()
    links = page.locator("#search-results ul.search li a").evaluate_all(
        "(all) => all.map((link) => link.href)"
    )
    assert any(("findings/hidden-sync" if wanted == "finding" else "plot_") in link for link in links), links
