"""Handing a trace to Perfetto's page: the button, the script behind it, and a page that holds both."""

from __future__ import annotations

from importlib.resources import files
from urllib.parse import quote

from ..format import shown
from .markup import render

SCRIPT = "perfetto.js"
"""Beside this module; a page with `button` in it needs it, once."""


def quoted(path: str) -> str:
    """Return a path as an address holds it; what is no Unicode becomes question marks.

    Parameters
    ----------
    path : str
        Relative, with slashes.
    """
    return quote(path.encode("utf-8", "replace"))


def button(address: str, title: str) -> str:
    """Return the button that hands one trace over; it stays hidden where scripts do not run.

    The protocol is Perfetto's: https://perfetto.dev/docs/visualization/deep-linking-to-perfetto-ui.

    Parameters
    ----------
    address : str
        Where the trace is, seen from the page, as `quoted` gives it.
    title : str
        What Perfetto calls it.
    """
    return render("perfetto_button", address=address, title=title)


def script() -> str:
    """Return the script behind the button."""
    return files(__package__).joinpath(SCRIPT).read_text(encoding="utf-8")


def page(file_name: str, facts: str, nonce: str) -> str:
    """Return a whole page that offers one trace, which lies beside it under its name.

    Parameters
    ----------
    file_name : str
        The trace's name, without folders.
    facts : str
        A line on what the trace holds.
    nonce : str
        What the page's policy lets run: the script and the style with this mark, and nothing else.
    """
    name = shown(file_name, 200)
    address = quoted(file_name)
    return render(
        "perfetto_page",
        name=name,
        facts=facts,
        nonce=nonce,
        address=address,
        button=button(address, name),
        script=script(),
    )
