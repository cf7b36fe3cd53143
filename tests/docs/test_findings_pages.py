"""The cheat sheet, a page for each finding, planted faults, and kernel names, as a build writes them."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from _ext import findings, kernel_pieces, proof
from _ext.recorded import survey
from bs4 import BeautifulSoup
from sphinx import addnodes

from profiling_series.findings import RULES
from profiling_series.report.palette import contrast
from profiling_series.trace.kernel_names import decode

ROOT = Path(__file__).parents[2]
LESSONS = {rule.lesson for rule in RULES.values() if rule.lesson}
STRAIGHT = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})
INDEX = """# Toy

```{{toctree}}
auto_examples/index
start
reference/this-build
guide/cheat-sheet
guide/kernel-names
guide/planted-faults
```

See {{finding}}`{}`.
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A toy with the pages of this module, built; its index refers to a finding."""
    from .conftest import Toy

    toy = Toy(tmp_path_factory.mktemp("findings"))
    toy.write("docs/index.md", INDEX.format("hidden-sync"))
    for name in ("cheat-sheet", "kernel-names", "planted-faults"):
        toy.write(f"docs/guide/{name}.md", f"# {name}\n\n```{{{name}}}\n```\n")
    toy.first = toy.build()
    assert toy.first.returncode == 0, toy.first.output[-4000:]
    return toy


def soup(toy, name):
    return BeautifulSoup(toy.page(name), "html.parser")


def test_every_rule_has_a_row_and_a_page_with_all_its_words(pages):
    links = {link["href"].split("#")[0] for link in soup(pages, "guide/cheat-sheet").select("table a")}
    assert links >= {f"../findings/{rule_id}.html" for rule_id in RULES}
    rows = soup(pages, "guide/cheat-sheet").select("table.ps-cheat tbody tr")
    assert len(rows) == len(RULES)
    for rule in RULES.values():
        text = " ".join(soup(pages, f"findings/{rule.id}").article.get_text().split()).translate(STRAIGHT)
        assert text.startswith(rule.title)
        for words in (rule.sees, rule.means, rule.do, rule.holds_for):
            assert words[1:].replace("`", "") in text, rule.id  # code is set as code


def test_a_finding_is_proved_on_a_recording_or_said_to_be_shown_by_none(pages):
    fired = {finding.id for one in survey() for finding in one.findings}
    assert len(fired) > len(RULES) / 2
    for rule_id in RULES:
        section = soup(pages, f"findings/{rule_id}").find(id="proof")
        none = section.find(class_="ps-none")
        assert bool(none) is (rule_id not in fired), rule_id
        if none is None:
            assert section.select("figure.ps-proof table tbody tr"), rule_id
            assert section.find("figcaption").get_text().startswith("recorded on "), rule_id


def test_the_planted_fault_is_the_proof_of_its_finding(pages):
    assert "fault_item_sync/faulty" in soup(pages, "findings/hidden-sync").find(id="proof").get_text()


def test_the_role_links_and_the_search_knows_the_id(pages):
    (link,) = [a for a in soup(pages, "index").article.find_all("a") if a.get_text() == "hidden-sync"]
    page, anchor = link["href"].split("#")
    assert soup(pages, page.removesuffix(".html")).find(id=anchor)
    index = (pages.first.site / "searchindex.js").read_text(encoding="utf-8")
    assert all(f'"{rule_id}"' in index for rule_id in RULES)


def test_planted_faults_are_all_named_and_no_twin_is_accused(pages):
    article = soup(pages, "guide/planted-faults").article
    rows = [
        [cell.get_text() for cell in row.find_all(["th", "td"])] for row in article.table.tbody.find_all("tr")
    ]
    assert len(rows) == 7
    assert all(float(row[5]) >= 1.1 and row[6] == "yes" and row[8] == "none" for row in rows)
    assert "H200" in article.figcaption.get_text()
    assert len(article.select("section section")) == 7


def test_every_recorded_name_stands_on_the_page_piece_by_piece(pages):
    names = {name.name for one in survey() for name in one.names}
    figures = soup(pages, "guide/kernel-names").select("figure.ps-kernel-name")
    assert {figure.find("code").get_text() for figure in figures} == {
        decode(name).demangled for name in names
    }
    for figure in figures:
        pieces = figure.select("p.ps-name span.ps-piece")
        rows = figure.select("tbody tr")
        assert [piece["data-n"] for piece in pieces] == [row.td.get_text() for row in rows]
        assert [piece["title"] for piece in pieces] == [
            row.find_all("td")[2].get_text().replace("\u202f", " ") for row in rows
        ]
        for piece, row in zip(pieces, rows, strict=True):
            unknown = "ps-piece-not-known" in piece["class"]
            assert unknown is (row.find_all("td")[2].get_text() == "not known")
    families = soup(pages, "guide/kernel-names").article.table.tbody.find_all("tr")
    assert families[-1].th.get_text() == "not recognised"


def test_an_unknown_finding_fails_the_build_and_pages_are_not_read_again(pages):
    pages.write("docs/index.md", INDEX.format("no-such-finding"))
    build = pages.build()
    assert build.returncode != 0
    assert "no-such-finding" in build.output
    plain = re.sub(r"\x1b\[[0-9;]*m", "", build.output)  # nox has Sphinx write in colours
    assert "reading sources... [100%] index" in plain


def test_pages_are_written_once_and_those_of_rules_that_are_gone_removed(tmp_path):
    app = SimpleNamespace(srcdir=str(tmp_path))
    findings.write_pages(app)
    assert not (tmp_path / "findings").exists()  # nothing leads to them
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide" / "cheat-sheet.md").write_text("# Cheat sheet\n")
    findings.write_pages(app)
    written = {path.stem: path.stat().st_mtime_ns for path in (tmp_path / "findings").glob("*.md")}
    assert set(written) == set(RULES)
    (tmp_path / "findings" / "gone.md").write_text("# Gone\n")
    (tmp_path / "findings" / "hotspot.md").write_text("# Another\n")
    findings.write_pages(app)
    again = {path.stem: path.stat().st_mtime_ns for path in (tmp_path / "findings").glob("*.md")}
    assert {name for name in written if again[name] != written[name]} == {"hotspot"}
    assert set(again) == set(RULES)


@pytest.mark.parametrize("key", sorted(LESSONS))
def test_a_lesson_of_a_rule_is_linked_where_there_is_one(key):
    part, number = key.split("-")
    files = list((ROOT / "examples").glob(f"{part}_*/plot_{number}_*.py"))
    docs = {f"auto_examples/{path.parent.name}/{path.stem}" for path in files}
    (link,) = findings.lesson_link(SimpleNamespace(found_docs=docs), key)
    if docs:
        assert isinstance(link, addnodes.pending_xref)
        assert link["reftarget"] == f"/{docs.pop()}"
    else:
        assert link.astext() == f"Part {part[4:]}, lesson {int(number)}; not on this site yet"
    assert part != "part1" or files


@pytest.mark.parametrize(
    ("text", "shown", "code"),
    [
        ("a row of aten::item or so", "A row of aten::item or so.", ["aten::item"]),
        ("sgemm in the name", "sgemm in the name.", ["sgemm"]),
        ("python_function rows", "python_function rows.", []),
        ("wait=1 moves it; use .item()", "wait=1 moves it; use .item().", ["wait=1", ".item()"]),
        ("torch 2.x", "torch 2.x.", []),
        ("Any GPU.", "Any GPU.", []),
    ],
)
def test_words_become_a_sentence_with_its_code_as_code(text, shown, code):
    found = findings.sentence(text)
    assert "".join(node.astext() for node in found) == shown
    assert [node.astext() for node in found if node.tagname == "literal"] == code


def test_the_picture_holds_the_evidence_near_the_first_event_and_not_what_encloses_it():
    evidence = [
        SimpleNamespace(ts_us=1000.0, dur_us=50.0),
        SimpleNamespace(ts_us=960.0, dur_us=10.0),
        SimpleNamespace(ts_us=0.0, dur_us=100_000.0),
        SimpleNamespace(ts_us=9000.0, dur_us=1.0),
    ]
    trace = next(one for one in survey() if one.key.endswith("64_bf16_warm_eager")).capture().trace
    origin = proof._origin_us(trace)
    start, end = proof._window(trace, SimpleNamespace(id="hidden-sync", evidence=evidence))
    assert (start + origin, end + origin) == pytest.approx((960 - 13.5, 1050 + 13.5), abs=0.01)
    assert proof._window(trace, SimpleNamespace(id="no-steps", evidence=evidence)) is None


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pieces_stand_out_from_the_page(theme):
    site = (ROOT / "docs" / "_static" / "site.css").read_text(encoding="utf-8")
    own = (ROOT / "docs" / "_static" / "findings.css").read_text(encoding="utf-8")
    pattern = rf'html\[data-theme="{theme}"\] {{(.*?)}}'
    page = dict(re.findall(r"(--[\w-]+): (#\w{6});", re.search(pattern, site, re.S)[1]))
    colours = dict(re.findall(r"(--ps-piece-\w+): (#\w{6});", re.search(pattern, own, re.S)[1]))
    colours["family"] = page["--pst-color-text-base"]
    assert len(colours) == len(kernel_pieces.KINDS)
    colours["unknown"] = page["--pst-color-text-muted"]
    for name, colour in colours.items():
        assert contrast(colour, page["--pst-color-background"]) >= 4.5, name
    for kind in kernel_pieces.KINDS:
        assert f".ps-piece-{kind.replace(' ', '-')} {{" in own
