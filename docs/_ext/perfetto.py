"""A capture's trace where its picture is: a download and the button that hands it to Perfetto."""

from __future__ import annotations

import re
from html import escape, unescape
from typing import TYPE_CHECKING, Any

from . import captures, this_build

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_FIGURE = re.compile(
    r'(<figure class="ps-view [^"]*" data-capture="([^"]*)".*?)(</figcaption>\s*</figure>)', re.DOTALL
)


def _published(app: Sphinx) -> dict[str, dict[str, captures.Kept]]:
    """Return the copies that the site offers, by key and by each page that made one of these.

    Asked for when pages are written: by then every one of them has been read, and so has measured.
    """
    if not hasattr(app, "profiling_series_published"):
        found: dict[str, dict[str, captures.Kept]] = {}
        for group in captures.alike(captures.kept(app.srcdir)):
            if group[0].is_capture:
                found.setdefault(group[0].key, {}).update({one.page: group[0] for one in group})
        app.profiling_series_published = found  # type: ignore[attr-defined]
    published: dict[str, dict[str, captures.Kept]] = app.profiling_series_published  # type: ignore[attr-defined]
    return published


def _offer(app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """Put download and button under each picture, and list every capture that the page made."""
    from profiling_series.report import perfetto

    published, name = _published(app), page.rsplit("/", 1)[-1]

    def offered(one: captures.Kept) -> tuple[str, str, str]:
        address = this_build.address(one, one.trace, page)
        return one.key, address, perfetto.button(address, one.key)

    def below(match: re.Match[str]) -> str:
        figure, key, end = match[1], unescape(match[2]), match[3]
        by_page = published.get(key)
        if not by_page:  # a recording that no page measured: the site has no copy of it
            return match[0]
        _, address, button = offered(by_page.get(name) or next(iter(by_page.values())))
        label = escape(f"Download the trace: {key}")
        link = f'<a class="ps-download" href="{escape(address)}" download aria-label="{label}">trace</a>'
        return f'{figure}<span class="ps-hand-over">{link} {button}</span>{end}'

    if context.get("body"):
        context["body"] = _FIGURE.sub(below, context["body"])
    mine = [by_page[name] for by_page in published.values() if name in by_page]
    context["page_traces"] = [offered(one) for one in mine]


def setup(app: Sphinx) -> None:
    """Offer traces once a page's HTML is made."""
    app.connect("html-page-context", _offer)
