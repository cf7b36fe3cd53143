"""The buttons that copy code: beside every block of it, exact, and by keyboard."""

from __future__ import annotations

import pytest

from .conftest import PHONE
from .test_everyone import LESSON

RECIPE = "auto_examples/howto/plot_01_profile_my_own_code.html"
CODE = "div[class*='highlight-Python'] pre, div.highlight-ipython3 pre, div.highlight-sh pre"


@pytest.mark.parametrize("name", [LESSON, RECIPE, "start.html"])
def test_every_block_of_code_has_a_button(page, served, name):
    page.goto(f"{served}/{name}")
    page.locator("button.copybtn").first.wait_for(state="attached")
    blocks = page.locator(CODE)
    assert blocks.count() >= 3
    assert page.locator(f":is({CODE}) ~ button.copybtn").count() == blocks.count()


def test_a_button_copies_the_code_by_keyboard_and_keeps_the_focus(browser, served):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{served}/{RECIPE}")
    block = page.locator("div.highlight-Python", has=page.locator("button.copybtn")).nth(1)
    button = block.locator("button.copybtn")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.matches('button.copybtn')")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == block.locator("pre").inner_text().strip()
    context.close()


def test_a_phone_shows_the_buttons(browser, served):
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{served}/{RECIPE}")
    button = page.locator("button.copybtn").first
    button.wait_for(state="attached")
    assert button.evaluate("(button) => getComputedStyle(button).opacity") == "1"
    assert button.evaluate("(button) => button.getBoundingClientRect().width") >= 32
    context.close()
