"""What readers and programs find their way by: learning path, glossary, `llms.txt`, sources in prose."""

from __future__ import annotations

import re
from pathlib import Path

from profiling_series.findings import RULES

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide"
LESSONS = sorted(path for path in (ROOT / "examples").glob("part*/plot_*.py"))
PATH = (GUIDE / "path.md").read_text(encoding="utf-8")


def test_the_path_leads_through_every_lesson_in_order():
    rows = PATH.split("## I see this")[0]
    listed = re.findall(r"\{doc}`[^`]*</auto_examples/(part\w+/plot_\w+)>`", rows)
    assert [name for name in listed if "howto" not in name] == [
        f"{path.parent.name}/{path.stem}" for path in LESSONS
    ]


def test_the_map_names_findings_and_the_lesson_that_each_finding_names_itself():
    rows = re.findall(
        r"\|[^|\n]*\|[^|\n]*\| \{doc}`(\d+) <[^`]*>` \| \{finding}`([a-z-]+)` \|", PATH, re.MULTILINE
    )
    assert len(rows) > 15
    for number, finding in rows:
        assert RULES[finding].lesson == f"part1-{int(number):02}", finding


def test_the_glossary_has_the_words_of_every_lesson():
    text = (GUIDE / "words.md").read_text(encoding="utf-8")
    known = {line.lower() for line in text.splitlines() if re.match(r"^[A-Za-z][\w -]*$", line)}
    for lesson in LESSONS:
        words = re.findall(
            r":term:`(?:[^`<]*<)?([^`>]+)>?`", lesson.read_text(encoding="utf-8").split("# Words\n")[1]
        )
        assert words, lesson
        assert not [word for word in words if word.lower() not in known], lesson


TOY = """# Start

Numbers come first. *({source-of}`%s`)*
"""


def test_llms_txt_lists_every_page_with_its_first_sentence(toy):
    toy.write("docs/start.md", "# Start\n\nAfterwards you can\n\n- tell one from two;\n- rest.\n")
    build = toy.build()
    assert build.returncode == 0, build.output[-4000:]
    text = (build.site / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# Profiling Series\n\n> ")
    assert "- [Start](start.html): Afterwards you can tell one from two." in text
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert (build.site / link).exists()
    assert "with torch" in text, "how it was measured"


def test_a_source_that_nothing_measured_fails_the_build(toy):
    toy.write("docs/start.md", TOY % "01_matmul_add/none")
    build = toy.build()
    assert build.returncode != 0
    assert "no page of this build measured 01_matmul_add/none" in build.output
