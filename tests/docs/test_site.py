"""The site as `nox -s docs` builds it on this machine, read as a browser and as a reader would."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from _ext import captures
from bs4 import BeautifulSoup

from profiling_series.profiler import cuda_available
from profiling_series.recordings.making import asked_by_pages
from profiling_series.results import Capture

LESSON = "auto_examples/part1_matmul_add/plot_01_what_does_the_profiler_give_back.html"
MODE = "live on" if cuda_available() else "recorded on"
# What a browser fetches by itself, by element and attribute; a link that a person clicks is none of it.
LOADED = {"link": "href", "object": "data", "image": "href", "use": "href"} | dict.fromkeys(
    ("audio", "embed", "iframe", "img", "input", "script", "source", "track", "video"), "src"
)
NOT_FETCHED = {"canonical", "index", "search", "next", "prev", "author", "copyright", "top", "up", "license"}


@cache
def _soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@pytest.fixture(scope="session")
def site(built) -> Path:
    return built.site


@pytest.fixture(scope="session")
def pages(site) -> list[Path]:
    found = sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)
    assert len(found) >= 8
    return found


def _text(path: Path) -> str:
    return _soup(path).get_text(" ", strip=True)


def test_the_command_says_where_the_site_is_and_how_it_was_measured(built):
    assert (built.site / "index.html").as_uri() in built.output
    assert ("Measured live on" if cuda_available() else "Replayed from recordings") in built.output
    assert re.search(r"built in \d+ s", built.output)


def test_every_page_says_how_it_was_measured(pages):
    for page in pages:
        if page.name not in ("search.html", "genindex.html"):
            assert _soup(page).select_one(".ps-measured-on"), page


def test_the_lesson_says_where_each_picture_comes_from(site):
    lines = [node.get_text() for node in _soup(site / LESSON).select("figcaption.ps-provenance")]
    assert len(lines) >= 4, "table, timeline, chain, check"
    assert all(MODE in line for line in lines), lines


def test_the_lesson_shows_pictures_and_tables_not_text(site):
    lesson = _soup(site / LESSON)
    for kind in ("table", "timeline", "chain"):
        assert lesson.select(f"figure.ps-{kind}"), kind
    assert lesson.select("figure.ps-timeline svg title"), "hover text, and what search finds"


def test_the_guess_is_checked_and_folded_until_opened(site):
    check = _soup(site / LESSON).select_one("figure.ps-check details")
    assert check is not None
    assert not check.has_attr("open")


def test_plain_torch_comes_first_and_says_what_it_profiled(site):
    text = _text(site / LESSON)
    assert text.index("prof.step()") < text.index("capture(")
    assert "Self CPU time total" in text
    on_cpu = "has no GPU" in text
    assert on_cpu is not cuda_available()


def test_start_here_was_executed(site):
    start = _soup(site / "start.html")
    assert start.select("figure.ps-timeline svg")
    assert start.select("figure.ps-summary")
    assert MODE in start.get_text()


def test_no_page_shows_an_error(pages):
    for page in pages:
        text = _text(page)
        assert "Traceback (most recent call last)" not in text, page
        assert "System Message" not in text, page
        assert not _soup(page).select(".problematic"), page


def test_no_page_shows_raw_markup(pages):
    for page in pages:
        soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
        for code in soup.select("pre, code, script"):
            code.decompose()
        left = re.search(r":[a-z]+:`|\{[a-z-]+\}`|\.\. [a-z-]+::", soup.get_text())
        assert not left, f"{page}: {left and left[0]}"


def test_no_page_fetches_anything_from_elsewhere(pages):
    for page in pages:
        for element in _soup(page).find_all(list(LOADED)):
            if element.name == "link" and NOT_FETCHED & set(element.get("rel", [])):
                continue
            urls = [element.get(LOADED[element.name]) or "", element.get("xlink:href") or ""]
            urls += [part.split()[0] for part in (element.get("srcset") or "").split(",") if part.split()]
            for url in urls:
                assert urlsplit(url).scheme in ("", "data"), f"{page}: <{element.name}> fetches {url}"
                assert not url.startswith("//"), f"{page}: <{element.name}> fetches {url}"


def test_no_style_and_no_script_of_ours_fetches_from_elsewhere(site):
    for path in site.rglob("*.css"):
        style = path.read_text(encoding="utf-8", errors="replace")
        for url in re.findall(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", style):
            address = next(filter(None, url))
            assert urlsplit(address).scheme in ("", "data"), f"{path}: {address}"
    for page in site.rglob("*.html"):
        for script in _soup(page).find_all("script", src=False):
            assert not re.search(r"(?:fetch|import|src\s*=)\W{0,3}https?:", script.get_text()), page


def test_internal_links_lead_somewhere(pages, site):
    ids = {page: {tag["id"] for tag in _soup(page).find_all(id=True)} for page in pages}
    broken = []
    for page in pages:
        for link in _soup(page).find_all("a", href=True):
            address, anchor = urldefrag(link["href"])
            if urlsplit(address).scheme or link["href"] in ("", "#"):
                continue
            target = (page.parent / unquote(urlsplit(address).path)).resolve() if address else page
            target = target / "index.html" if target.is_dir() else target
            known = ids.get(target)
            if not target.exists() or (anchor and known is not None and unquote(anchor) not in known):
                broken.append(f"{page.relative_to(site)}: {link['href']}")
    assert not broken


def test_each_example_can_be_downloaded_as_program_and_notebook(built):
    for example in sorted((built.root / "examples").rglob("plot_*.py")):
        program = list((built.site / "_downloads").rglob(example.name))
        assert [path.read_text("utf-8") for path in program] == [example.read_text("utf-8")]
        notebooks = list((built.site / "_downloads").rglob(f"{example.stem}.ipynb"))
        assert len(notebooks) == 1
        cells = json.loads(notebooks[0].read_text("utf-8"))["cells"]
        prose = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        assert not re.search(r":[a-z]+:`|^\.\. ", prose, re.MULTILINE)


def test_this_build_lists_every_capture_with_what_it_was_computed_from(site):
    page = site / "reference" / "this-build.html"
    rows = _soup(page).select("table.ps-build tbody tr")
    keys = [row.select_one("code").get_text() for row in rows]
    assert "01_matmul_add/64_bf16_cold_eager" in keys
    for row in rows:
        links = {link.get_text(): page.parent / unquote(link["href"]) for link in row.select("a.ps-download")}
        assert set(links) == {"trace", "table", "provenance"}
        capture = Capture.load(links["trace"].resolve())
        assert capture.key == row.select_one("code").get_text()
        assert len(capture.trace) > 0
        assert capture.source_line in row.get_text()
    elsewhere = ("CPU", "Read a colleague")  # measured here on purpose; somebody else's on purpose
    assert not [row for row in rows if not any(word in row.get_text() for word in (MODE, *elsewhere))]


def test_pages_are_light(pages):
    heavy = {page.name: page.stat().st_size for page in pages if page.stat().st_size > 1_500_000}
    assert not heavy


def test_a_lessons_card_shows_its_own_timeline(built):
    stem = Path(LESSON).stem
    gallery = built.root / "docs" / "auto_examples" / "part1_matmul_add" / "images"
    thumbnail = (gallery / "thumb" / f"sphx_glr_{stem}_thumb.svg").read_text("utf-8")
    assert "ps-kernel" in thumbnail or not cuda_available()
    assert "prefers-color-scheme" in thumbnail
    cards = _soup(built.site / "auto_examples" / "index.html").select(".sphx-glr-thumbcontainer img")
    assert any(stem in image["src"] for image in cards)


def test_search_finds_a_kernels_name(site):
    index = (site / "searchindex.js").read_text("utf-8")
    assert "nvjet" in index or cuda_available()


def test_pages_name_no_folder_of_the_machine_that_built_them(pages, built):
    for page in pages:
        text = page.read_text("utf-8")
        assert str(built.root) not in text, page
        assert not re.search(r"/tmp/|/root/|/home/", text), page


def test_a_build_on_a_cpu_says_so_and_tells_nothing_of_a_gpu(built_on_cpu):
    """Every sentence about a GPU hangs on an event that such a trace lacks."""
    text = _text(built_on_cpu.site / LESSON)
    assert "Measured live on this CPU" in text
    assert "live on CPU" in text
    assert "recorded on NVIDIA" not in text
    (example,) = (built_on_cpu.root / "examples").rglob(f"{Path(LESSON).stem}.py")
    source = " ".join(line.lstrip("# ") for line in example.read_text("utf-8").splitlines())
    for sentence in (
        "shows a recording",
        "One row is no work at all",
        "nearly all gap",
        "From the start of a launch call to the start of its kernel",
    ):
        assert sentence in source, "else this test sees nothing"
        assert sentence not in text
    assert not _soup(built_on_cpu.site / LESSON).select("svg .ps-kernel")
    assert "cannot be told" in text
    assert "The gaps are waiting" not in _text(built_on_cpu.site / "index.html")


def test_every_recording_is_asked_for_by_a_page_or_is_a_planted_faults(built):
    asked = {one.load().provenance.digest for one in captures.kept(built.root / "docs")}
    lost = [request.key for request in asked_by_pages() if request.digest not in asked]
    assert not lost, "nothing asks for them any longer: delete their files"
