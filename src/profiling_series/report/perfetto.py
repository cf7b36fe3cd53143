"""Handing a trace to Perfetto's page: the button, the script behind it, and a page that holds both."""

from __future__ import annotations

from importlib.resources import files
from urllib.parse import quote

from ..format import escape, shown

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
    return (
        f'<button type="button" class="ps-perfetto" data-trace="{escape(address)}" '
        f'data-title="{escape(title)}" aria-label="Open in Perfetto: {escape(title)}" hidden>'
        "Open in Perfetto</button>"
    )


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
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(name)} · Open in Perfetto</title>
<style nonce="{nonce}">{_STYLE}</style>
</head>
<body>
<main>
<h1>{escape(name)}</h1>
<p>{escape(facts)}</p>
<p>{button(quoted(file_name), name)}</p>
<p class="note">The trace goes from this page to Perfetto's in your browser, and nowhere else: Perfetto
reads it there. Or <a href="{quoted(file_name)}" download>download it</a>. To end, press Ctrl-C where the
command runs.</p>
</main>
<script nonce="{nonce}">{script()}</script>
</body>
</html>
"""


_STYLE = """
:root { color-scheme: light dark; font: 17px/1.6 system-ui, sans-serif; }
body { background: light-dark(#fdfdfb, #12161c); color: light-dark(#1f2328, #dfe3e8); margin: 0; }
main { margin: 12vh auto; max-width: 40rem; padding: 0 1.25rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
.note { font-size: 0.9rem; }
button { background: #00558c; border: 0; border-radius: 0.4rem; color: #fff; cursor: pointer; font: inherit;
  font-weight: 600; padding: 0.6rem 1.1rem; }
button:focus-visible { outline: 3px solid currentColor; outline-offset: 3px; }
button:disabled { background: #59636e; }
a { color: light-dark(#00558c, #7cc4f5); }
"""
