"""A real browser on the built site: Debian's chromium, driven by Playwright; nothing leaves this machine."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

NEEDED = "NEED_BROWSER"
"""Set where the browser is part of what must pass, as in CI: tests then fail where they else would skip."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@contextmanager
def started_browser() -> Iterator[Any]:
    """Yield a browser for this thread, or skip: fail where one is needed."""
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    missing = None if executable else f"no browser here; looked for {', '.join(NAMES)}"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        missing = f"playwright is not installed: {error}"
    if missing and os.environ.get(NEEDED):
        pytest.fail(f"{missing}, and {NEEDED} is set")
    if missing:
        pytest.skip(missing)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=list(ARGUMENTS))
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Return a browser that tests share."""
    with started_browser() as launched:
        yield launched


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """Return a page in a context of its own, as large as a desktop's."""
    context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


class Quiet(SimpleHTTPRequestHandler):
    """A handler that does not fill the test's output."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(handler: Any) -> Iterator[str]:
    """Yield the address of a server on a free port of loopback."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def served(built) -> Iterator[str]:
    """Return the address of the built site, served on loopback as `nox -s serve` serves it."""
    with serving(partial(Quiet, directory=str(built.site))) as address:
        yield address
