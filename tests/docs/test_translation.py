"""What translators get, and that a translation builds: messages with roles and no measured number."""

from __future__ import annotations

import re
from pathlib import Path

EXAMPLE = '''"""
How long is it?
===============

It takes :measured:`toy: time`.

.. when:: toy: time

   It has a length.
"""

from types import SimpleNamespace

toy = SimpleNamespace(median_us=__LENGTH__)
print("ran for", toy.median_us)
'''
NOTEBOOK = """---
file_format: mystnb
kernelspec:
  name: python3
---
# Start

A page says {measured}`part1-01/toy: time` as well.

```{code-cell} ipython3
print(12.5, "µs")
```
"""
CATALOGUE = """\
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "It takes :measured:`toy: time`."
msgstr "ใช้เวลา :measured:`toy: time`"
"""


def _messages(folder: Path) -> str:
    """Return all messages of a gettext build, without the places and the date that head them."""
    lines = []
    for pot in sorted(folder.rglob("*.pot")):
        text = pot.read_text(encoding="utf-8").split("\n\n", 1)[1]
        lines += [line for line in text.splitlines() if not line.startswith("#")]
    return "\n".join(lines)


def test_messages_hold_roles_and_stay_the_same_when_the_numbers_change(toy):
    toy.write("docs/start.md", NOTEBOOK)
    found = []
    for length in ("12.345", "98.765"):
        toy.write("examples/part1_toys/plot_01_toy.py", EXAMPLE.replace("__LENGTH__", length))
        build = toy.build(builder="gettext")
        assert build.returncode == 0, build.output[-4000:]
        found.append(_messages(build.site))
    assert found[0] == found[1]
    assert 'msgid "It takes :measured:`toy: time`."' in found[0]
    assert 'msgid "It has a length."' in found[0], "what depends on a value can be translated, too"
    assert re.search(r"A page says .*part1-01/toy: time", found[0])
    assert not re.search(r"12\.\d|98\.\d|ran for", found[0])


def test_a_translation_shows_the_measured_number_in_its_own_words(toy):
    toy.write("examples/part1_toys/plot_01_toy.py", EXAMPLE.replace("__LENGTH__", "12.345"))
    toy.write("docs/locales/th/LC_MESSAGES/auto_examples.po", CATALOGUE)
    build = toy.build("-D", "language=th", "-D", "locale_dirs=locales")
    assert build.returncode == 0, build.output[-4000:]
    page = toy.page("auto_examples/part1_toys/plot_01_toy")
    assert 'lang="th"' in page
    assert re.search(r"ใช้เวลา <span class=\"measured\">12\.3\u202fµs</span>", page)
    assert "It has a length." in page, "what is not translated yet stays"
