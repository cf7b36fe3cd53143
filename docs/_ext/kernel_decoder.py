"""The `kernel-decoder` directive: a box that decodes names in the page, by the package's own rules.

The rules go out as a script, since a page that was opened from a file may not read another file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .kernel_pieces import KINDS, OTHER, UNKNOWN
from .stamp import state_dir

if TYPE_CHECKING:
    from sphinx.application import Sphinx

RULES = "kernel_rules.js"
#: In the order in which they need each other.
SCRIPTS = (RULES, "decode.js", "kernel_names.js")
CLASS = "ps-decoder-box"

_FORM = """\
<form class="ps-decoder" hidden>
<label for="ps-decoder-names">Names of kernels, one a line</label>
<textarea id="ps-decoder-names" rows="3" spellcheck="false" autocapitalize="off" autocomplete="off"
 aria-describedby="ps-decoder-help"></textarea>
<p id="ps-decoder-help">Nothing leaves this page. Try one: {examples}</p>
</form>
<p class="ps-decoded-said" role="status"></p>
<div class="ps-decoded"></div>
<noscript><p>Without JavaScript, ask <code>profiling-series kernel NAME</code>.</p></noscript>
"""


class KernelDecoder(SphinxDirective):
    """``{kernel-decoder}``: the box; its lines, if any, are names to try."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the form; its script shows it, so that without one there is no dead box."""
        from profiling_series.format import escape
        from profiling_series.trace.kernel_names import decode

        examples = []
        for name in filter(None, map(str.strip, self.content)):
            if not decode(name).known:
                raise self.error(f"{name}: the decoder does not know this example")
            text = escape(name)
            examples.append(f'<button type="button" data-name="{text}"><code>{text}</code></button>')
        form = _FORM.format(examples=" ".join(examples))
        return [nodes.container("", nodes.raw("", form, format="html"), classes=[CLASS])]


def _write_rules(app: Sphinx) -> None:
    """Write the rules as a script, into a folder of the build that becomes static files."""
    from profiling_series.trace.kernel_names.rules import raw

    folder = state_dir(app.srcdir) / "static"
    folder.mkdir(exist_ok=True)
    data = {"rules": raw(), "kinds": KINDS, "other": OTHER, "unknown": UNKNOWN}
    text = json.dumps(data, separators=(",", ":"))
    (folder / RULES).write_text(f"globalThis.profilingSeriesKernelRules = {text};\n", encoding="utf-8")
    app.config.html_static_path.append(str(folder))


def _load(app: Sphinx, _page: str, _template: str, _context: dict[str, Any], tree: nodes.document) -> None:
    """Load the scripts on pages that hold the box, and on no other: the rules are 115 kB."""
    if tree and any(CLASS in node["classes"] for node in tree.findall(nodes.container)):
        for script in SCRIPTS:
            app.add_js_file(script)


def setup(app: Sphinx) -> None:
    """Register the directive and its scripts."""
    app.add_directive("kernel-decoder", KernelDecoder)
    app.connect("builder-inited", _write_rules)
    app.connect("html-page-context", _load)
