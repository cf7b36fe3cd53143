"""What a build refuses, and what it runs again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

RUNS = '''"""
Does it run?
============

The value is :measured:`toy: time`.

.. when:: toy: time

   There is a length.

.. when:: toy:
   not time

   There is none.
"""

with open({log!r}, "a") as log:
    log.write("example\\n")
from types import SimpleNamespace

toy = SimpleNamespace(median_us=12.345)
'''
NOTEBOOK = """---
file_format: mystnb
kernelspec:
  name: python3
---
# Start

{{measured}}`part1-01/toy: time` it is.

```{{code-cell}} ipython3
with open({log!r}, "a") as log:
    log.write("notebook\\n")
stored = 7
```

The notebook stored {{measured}}`stored`.
"""
RAISES = '"""\nDoes it fail?\n=============\n\nIt does.\n"""\nraise RuntimeError("planted")\n'
PRINTS = RAISES.replace('raise RuntimeError("planted")', "print(1)")
RAISING_CELL = (
    "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n# Start\n\n"
    '```{code-cell} ipython3\nraise RuntimeError("planted")\n```\n'
)


def _runs(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


def test_values_are_filled_into_gallery_notebook_and_download(toy, tmp_path):
    log = tmp_path / "runs.log"
    toy.write("examples/part1_toys/plot_01_toy.py", RUNS.format(log=str(log)))
    toy.write("docs/start.md", NOTEBOOK.format(log=str(log)))
    build = toy.build()
    assert build.returncode == 0, build.output[-4000:]
    for page in (toy.page("auto_examples/part1_toys/plot_01_toy"), toy.page("start")):
        assert '<span class="measured">12.3\u202fµs</span>' in page
    assert 'The notebook stored <span class="measured">7</span>' in toy.page("start")
    lesson = toy.page("auto_examples/part1_toys/plot_01_toy")
    assert "There is a length." in lesson
    assert "There is none." not in lesson
    downloads = list((build.site / "_downloads").rglob("plot_01_toy.ipynb"))
    assert len(downloads) == 1
    text = downloads[0].read_text(encoding="utf-8")
    assert "12.3\u202fµs" in text
    assert "There is a length." in text
    assert ":measured:" not in text
    assert ".. when::" not in text
    assert "There is none." not in text


def test_a_failing_example_fails_the_build(toy):
    toy.write("examples/part1_toys/plot_01_toy.py", RAISES)
    build = toy.build()
    assert build.returncode != 0
    assert "planted" in build.output


def test_a_view_that_cannot_be_drawn_fails_the_build(toy):
    view = 'class View:\n    def _repr_html_(self):\n        raise RuntimeError("planted")\n\n\nView()\n'
    toy.write("examples/part1_toys/plot_01_toy.py", RAISES.replace('raise RuntimeError("planted")', view))
    build = toy.build()
    assert build.returncode != 0
    assert "planted" in build.output


def test_a_failing_cell_fails_the_build(toy):
    toy.write("examples/part1_toys/plot_01_toy.py", PRINTS)
    toy.write("docs/start.md", RAISING_CELL)
    build = toy.build()
    assert build.returncode != 0
    assert "planted" in build.output


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("gone: time", "there is no variable 'gone'"),
        ("n: tme", "there is no variable 'tme'"),
        ("n +", "no expression"),
        ("part1-07/n", "no example of this build was asked"),
    ],
)
def test_an_expression_that_cannot_be_answered_fails_the_build_with_page_and_line(toy, expression, message):
    cell = "```{code-cell} ipython3\nn = 1\n```\n"
    head = NOTEBOOK.partition("# Start")[0]
    toy.write("docs/start.md", f"{head}# Start\n\n{cell}\nIt is {{measured}}`{expression}`.\n")
    toy.write("examples/part1_toys/plot_01_toy.py", PRINTS)
    build = toy.build()
    assert build.returncode != 0
    assert message in build.output
    assert re.search(rf"start\.md:\d+: WARNING: .*{re.escape(message)}", build.output)


def test_nothing_runs_again_until_something_it_depends_on_changes(toy, tmp_path):
    log = tmp_path / "runs.log"
    toy.write("examples/part1_toys/plot_01_toy.py", RUNS.format(log=str(log)))
    toy.write("docs/start.md", NOTEBOOK.format(log=str(log)))

    def ran(**environment: str) -> list[str]:
        before = len(_runs(log))
        build = toy.build(**environment)
        assert build.returncode == 0, build.output[-4000:]
        return sorted(_runs(log)[before:])

    everything, nothing = ["example", "notebook"], []
    assert ran() == everything
    assert ran() == nothing
    assert "0 added, 0 changed" in toy.build().output, "not even a page is read again"
    toy.write("docs/index.md", (toy.root / "docs/index.md").read_text() + "\nProse.\n")
    assert ran() == nothing, "prose measures nothing"
    toy.write("src/touched.py", "VALUE = 2\n")
    assert ran() == everything, "the package changed"
    toy.write("src/profiling_series/recordings/new.json.gz", "not read here")
    assert ran() == everything, "a recording was added"
    toy.write("examples/part1_toys/plot_02_toy.py", PRINTS)
    assert ran() == everything, "an example was added, and the gallery is measured in one go"
    assert ran(PROFILING_SERIES_SOURCE="recorded") == everything, "the mode changed"
    assert ran(PROFILING_SERIES_SOURCE="recorded") == nothing


def test_a_build_that_broke_off_measures_again(toy, tmp_path):
    log = tmp_path / "runs.log"
    toy.write("examples/part1_toys/plot_01_toy.py", RUNS.format(log=str(log)))
    bad = toy.write("examples/part1_toys/plot_02_toy.py", RAISES)
    assert toy.build().returncode != 0
    bad.unlink()
    assert toy.build().returncode == 0
    assert _runs(log) == ["example", "example"]


def test_each_example_starts_with_torch_as_new(toy):
    head = '"""\n{title}?\n=====\n\nToy.\n"""\nimport torch\n'
    toy.write(
        "examples/part1_toys/plot_01_toy.py",
        head.format(title="Left") + "torch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\n",
    )
    toy.write(
        "examples/part1_toys/plot_02_toy.py",
        head.format(title="Then")
        + "assert torch.ones(1).dtype == torch.float32\nassert torch.is_grad_enabled()\n"
        + "assert torch.initial_seed() == 0\n",
    )
    build = toy.build()
    assert build.returncode == 0, build.output[-4000:]
