"""The box that decodes names of kernels, in the page: as the package does, with nothing sent anywhere."""

from __future__ import annotations

import csv
from importlib.resources import files
from pathlib import Path

import pytest

from .conftest import DESKTOP, PHONE
from .test_everyone import OVERFLOW

PAGE = "guide/kernel-names.html"
TABLE = Path(__file__).parents[2] / "data" / "kernel_names.tsv"
NVJET = "nvjet_sm90_tst_256x128_64x4_1x2_h_badd_coopA_NNT"
HOSTILE = "<img src=x onerror=window.hurt=1>"

# The browser's own answers, by the scripts that the page has loaded.
DECODE_ALL = """(names) => {
  const { decode } = profilingSeriesKernelNames(profilingSeriesKernelRules.rules);
  return names.map(decode).map((kernel) => [kernel.family, kernel.parts.map((part) => part.text).join("")]);
}"""


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture
def decoder(page, built):
    """Return the page, opened from a file, as the least that a reader has."""
    page.goto((built.site / PAGE).as_uri())
    return page


def test_a_pasted_name_is_taken_apart(decoder):
    decoder.get_by_label("Names of kernels").fill(NVJET)
    answer = decoder.locator(".ps-decoded .ps-answer")
    answer.wait_for()
    assert answer.inner_text().startswith("cuBLAS GEMM (nvjet): matrix multiply")
    assert "seen, not documented" in answer.inner_text()
    cells = decoder.locator(".ps-decoded tr", has=decoder.get_by_text("badd", exact=True)).locator("td")
    assert "added in the epilogue" in cells.nth(2).inner_text()
    assert decoder.locator(".ps-decoded .ps-piece-not-known").count() >= 4
    assert decoder.get_by_role("status").inner_text() == "Decoded: 1 name."


def test_several_names_one_a_line_and_what_is_unknown_is_counted(decoder):
    decoder.get_by_label("Names of kernels").fill(f"{NVJET}\n\n  my_kernel\n{NVJET}\n")
    decoder.locator(".ps-decoded figure").nth(1).wait_for()
    assert decoder.locator(".ps-decoded figure").count() == 2
    said = decoder.get_by_role("status").inner_text()
    assert said == "Decoded: 2 names, 1 of them in no family that is known here."
    decoder.get_by_label("Names of kernels").fill("")
    decoder.wait_for_function("!document.querySelector('.ps-decoded figure')")


def test_a_name_is_text_whatever_it_holds(decoder):
    decoder.get_by_label("Names of kernels").fill(HOSTILE)
    decoder.locator(".ps-decoded figure").wait_for()
    assert decoder.locator(".ps-decoded .ps-name").inner_text() == HOSTILE
    assert decoder.locator(".ps-decoded img").count() == 0
    assert decoder.evaluate("window.hurt") is None


def test_a_link_decodes_and_an_example_fills_the_box(page, served):
    page.goto(f"{served}/{PAGE}?name={NVJET}")
    assert page.get_by_label("Names of kernels").input_value() == NVJET
    assert page.locator(".ps-decoded figure").count() == 1
    example = page.locator("form.ps-decoder button").nth(1)
    name = example.inner_text()
    example.click()
    assert page.locator(".ps-decoded .ps-name").inner_text() == name
    assert page.url.endswith(f"?name={name}")


def test_the_search_hands_a_kernels_name_over(page, served):
    page.goto(f"{served}/search.html?q={NVJET}")
    page.locator(".ps-decode-offer a").click()
    page.locator(".ps-decoded figure").wait_for()
    assert page.get_by_label("Names of kernels").input_value() == NVJET
    page.goto(f"{served}/search.html?q=warm up properly")
    assert page.locator(".ps-decode-offer").count() == 0


def test_the_browser_finds_the_families_of_the_table(decoder):
    names = [row["name"] for row in rows() if not row["name"].startswith("_Z")]
    answers = decoder.evaluate(DECODE_ALL, names)
    assert [family for family, _ in answers] == [
        row["family"] for row in rows() if not row["name"].startswith("_Z")
    ]
    assert [text for _, text in answers] == names


@pytest.mark.parametrize("guise", [("light", DESKTOP), ("dark", PHONE)], ids=["light", "dark"])
def test_axe_finds_nothing_in_what_was_decoded(page, served, guise):
    theme, size = guise
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=theme)
    page.goto(f"{served}/{PAGE}?name={NVJET}")
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run('form.ps-decoder, .ps-decoded', {resultTypes: ['violations']})")
    assert [one["id"] for one in found["violations"]] == []
    assert len(found["passes"]) > 5, "it looked at something"
    assert page.evaluate(OVERFLOW) <= 0


def test_other_pages_do_not_load_the_rules(built):
    loading = [
        path.relative_to(built.site).as_posix()
        for path in built.site.rglob("*.html")
        if "kernel_rules.js" in path.read_text(encoding="utf-8")
    ]
    assert [page for page in loading if not page.startswith("_modules/")] == [PAGE]
