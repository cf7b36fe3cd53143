"""Names that steer a terminal, break a page or fill it: every view must show them and be none the worse."""

from __future__ import annotations

import json

import pytest
from bs4 import BeautifulSoup

from profiling_series import dispatch_chain, summary, timeline

VIEWS = {"summary": summary, "timeline": timeline, "dispatch_chain": dispatch_chain}


@pytest.mark.parametrize("kind", VIEWS)
def test_hostile_names_are_shown_and_do_nothing(kind, hostile):
    name, trace = hostile
    view = VIEWS[kind](trace)
    text, html = view.text(), view._repr_html_()
    for char in "\x1b\x07\r\t\u202e\u2066":
        assert char not in text
        assert char not in html
    soup = BeautifulSoup(html, "html.parser")
    for data in soup.find_all("script", type="application/json"):
        json.loads(data.extract().string)
    assert not soup.find_all(["script", "img", "iframe", "link", "style"])
    assert all(not key.startswith("on") for tag in soup.find_all(True) for key in tag.attrs)
    assert len(html.encode()) < 150_000
    assert max(map(len, text.split("\n"))) <= 140
    if len(name) > 1000:
        assert "(1,000,000 characters)" in html
    elif name.isprintable():
        assert name in soup.get_text()
    else:
        assert "\\x1b" in soup.get_text() or "\\u202e" in soup.get_text() or "\\n" in soup.get_text()
