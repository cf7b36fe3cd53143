"""The examples as sources: what sphinx-gallery, and people who copy them, rely on."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
LESSONS = [path for path in EXAMPLES if path.parent.name.startswith("part")]


def _named(path: Path) -> str:
    return path.stem


def test_there_are_lessons():
    assert LESSONS


def test_every_example_runs_in_the_build():
    for path in EXAMPLES:
        assert re.fullmatch(r"plot_\d\d_[a-z0-9_]+\.py", path.name), (
            f"{path.name} would be shown and never run"
        )


def test_no_two_examples_share_a_name():
    stems = [path.stem for path in EXAMPLES]
    assert len(stems) == len(set(stems)), "captures are kept by the example's name"


@pytest.mark.parametrize("path", LESSONS, ids=_named)
def test_a_lesson_has_the_form_of_one(path):
    text = path.read_text(encoding="utf-8")
    title = ast.get_docstring(ast.parse(text)).splitlines()[0]
    assert title.endswith("?"), "the title is a question"
    sections = [m[1] for m in re.finditer(r"^# (.+)\n# -+$", text, re.MULTILINE)]
    assert sections[0] == "Guess"
    assert sections[-2:] == ["Try", "Words"]
    assert "Check" in sections
    assert "sphinx_gallery_start_ignore" not in text, "a figure in prose says where it comes from"
    # A condition is not read; what stands under it is.
    read = re.sub(r"^# \.\. when::.*\n(?:# .*\n)*#\n", "", text, flags=re.MULTILINE)
    told, links = read.split("# Words\n# -----\n")
    assert len(told.splitlines()) <= 165, "about 150 lines; split the question"
    assert ":term:" in links
    assert ":finding:" in links


@pytest.mark.parametrize("path", EXAMPLES, ids=_named)
def test_an_example_is_a_program_of_its_own(path):
    """A copied script finds nothing of ours but the package."""
    text = path.read_text(encoding="utf-8")
    assert "__file__" not in text
    assert "get_ipython" not in text
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module.split(".")[0] in {
                "pathlib",
                "torch",
                "profiling_series",
                "matplotlib",
                "numpy",
            }


@pytest.mark.parametrize("part", sorted({path.parent for path in LESSONS}), ids=lambda part: part.name)
def test_the_map_of_questions_leads_to_every_lesson_of_its_part(part):
    listed = re.findall(
        rf":doc:`/auto_examples/{part.name}/(\w+)`", (part / "GALLERY_HEADER.rst").read_text()
    )
    assert listed == sorted(path.stem for path in LESSONS if path.parent == part)


HOWTOS = [path for path in EXAMPLES if path.parent.name == "howto"]


@pytest.mark.parametrize("path", HOWTOS, ids=_named)
def test_a_recipe_is_short(path):
    text = path.read_text(encoding="utf-8")
    shown = re.sub(
        r"# sphinx_gallery_start_ignore.*?# sphinx_gallery_end_ignore\n", "", text, flags=re.DOTALL
    )
    assert len(shown.splitlines()) <= 82, "about 80 lines; a recipe does one job"


def test_the_map_of_recipes_leads_to_every_one():
    header = (ROOT / "examples" / "howto" / "GALLERY_HEADER.rst").read_text(encoding="utf-8")
    listed = re.findall(r":doc:`/auto_examples/howto/(\w+)`", header)
    assert listed == [path.stem for path in HOWTOS]
