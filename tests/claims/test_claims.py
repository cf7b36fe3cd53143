from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from profiling_series.claims import all_claims, check, claim, claims_table
from profiling_series.claims.model import Published, Source, parse
from profiling_series.claims.outcome import outcome, word
from profiling_series.errors import UsageError
from profiling_series.measures import Measured, answer

OURS = Source("ours")


class TestData:
    def test_ids_are_unique_and_measures_can_be_asked(self, capture):
        ids = [one.id for one in all_claims()]
        assert len(ids) == len(set(ids)) > 20
        for one in all_claims():
            answer(capture, one.measure)

    def test_every_figure_has_a_machine_and_a_source(self):
        for one in all_claims():
            assert one.question.endswith("?")
            assert one.published
            for published in one.published:
                assert published.machine.startswith("NVIDIA ")
                # What others measured has an address; what we did has the versions.
                expected = (
                    ("A100", "https://huggingface.co/blog/torch-") if published.source.url else ("H200", "")
                )
                assert expected[0] in published.machine
                assert (published.source.url or "").startswith(expected[1])

    def test_words_have_no_unit_and_figures_have_one(self):
        for one in all_claims():
            assert {isinstance(p.value, str) for p in one.published} == {not one.unit}

    def test_a_claim_that_says_nothing_is_refused(self):
        entry = {"id": "x", "question": "?", "measure": "regime", "unit": "", "capture": "c", "tolerance": 0}
        data = {
            "source": {"s": {"title": "t"}},
            "claim": [{**entry, "published": [{"machine": "m", "source": "s"}]}],
        }
        with pytest.raises(ValueError, match="claim x"):
            parse(data)

    @pytest.mark.parametrize(
        ("asked", "hint"), [("launches-per-stp", "launches-per-step"), ("q", "there are launches-per-step")]
    )
    def test_an_unknown_id_is_answered_with_near_ones(self, asked, hint):
        with pytest.raises(UsageError, match=hint):
            claim(asked)


class TestWord:
    @pytest.mark.parametrize(
        ("value", "each", "other", "tolerance", "expected"),
        [
            (2.0, (), 2, 0, "holds"),
            (3.0, (), 2, 0, "differs"),
            (3.0, (2.0, 3.0, 3.0), 2, 0, "within noise"),
            (3.0, (3.0, 3.0), 2, 0, "differs"),
            (104.9, (), 100, 0.05, "holds"),
            (105.1, (), 100, 0.05, "differs"),
            (105.1, (98.0, 105.1, 120.0), 100, 0.05, "within noise"),
            (-95.1, (), -100, 0.05, "holds"),
            (0.1 + 0.2, (), 0.3, 0, "holds"),
            (None, (), 2, 0, "not told"),
            ("overhead-bound", (), "Overhead-bound", 0, "holds"),
            ("overhead-bound", (), "gpu-bound", 0, "differs"),
            ("overhead-bound", (), 2, 0, "differs"),
            (2.0, (), "overhead-bound", 0, "differs"),
        ],
    )
    def test_words(self, value, each, other, tolerance, expected):
        assert word(Measured(value, each=each), other, tolerance) == expected

    @pytest.mark.parametrize(
        ("value", "each", "expected"),
        [
            (17.1, (), "holds"), (27.5, (), "holds"), (17.0, (), "differs"),
            (28.0, (24.0, 30.0), "within noise"), (28.0, (26.0, 30.0), "differs"),
        ],
    )  # fmt: skip
    def test_a_range_holds_from_end_to_end(self, value, each, expected):
        published = Published("m", OURS, low=19.0, high=25.0)
        assert word(Measured(value, each=each), published, 0.1) == expected


class TestCheck:
    def test_guess_published_and_this_build_side_by_side(self, capture):
        soup = BeautifulSoup(check("launches-per-step", capture, guess=3)._repr_html_(), "html.parser")
        rows = [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in soup.tbody.find_all("tr")]
        assert rows == [
            ["The guess", "3 launches", "differs"],
            ["NVIDIA A100-SXM4-80GB, Profiling in PyTorch, part 1", "2 launches", "holds"],
            ["NVIDIA H200, this project, torch 2.11.0, CUDA 13.0", "2 launches", "holds"],
            ["This build", "2 launches", ""],
        ]
        assert soup.a["href"] == "https://huggingface.co/blog/torch-profiler"
        assert soup.figcaption.get_text() == capture.source_line

    def test_the_answer_is_folded(self, capture):
        soup = BeautifulSoup(check("launches-per-step", capture, guess=2)._repr_html_(), "html.parser")
        assert not soup.details.has_attr("open")
        assert soup.tbody.find_parent("details")
        assert "the guess: 2 launches; open to check" in soup.summary.get_text()
        assert "holds" not in soup.summary.get_text()

    def test_without_a_guess_it_asks_for_one(self, capture):
        soup = BeautifulSoup(check("launches-per-step", capture)._repr_html_(), "html.parser")
        assert "make a guess, then open" in soup.summary.get_text()
        assert "The guess" not in soup.tbody.get_text()

    def test_a_mismatch_is_shown_and_is_no_error(self, capture):
        text = check("dead-window-first", capture).text()
        assert "227.8 µs  differs" in text
        assert "Differs: outside both the tolerance" in text
        assert "Tolerance: ±10 %." in text

    def test_a_word_can_be_guessed(self, capture):
        assert "gpu-bound  differs" in check("regime", capture, guess="gpu-bound").text()

    def test_a_guess_is_escaped(self, capture):
        html = check("regime", capture, guess="<b>\x1b")._repr_html_()
        assert "<b>" not in html
        assert "&lt;b&gt;\\x1b" in html

    def test_a_capture_of_something_else_is_named(self, capture):
        capture.key = "01_matmul_add/128_bf16_cold_eager"
        text = " ".join(check("launches-per-step", capture).text().split())
        published, this = "01_matmul_add/64_bf16_cold_eager", "01_matmul_add/128_bf16_cold_eager"
        assert f"Published for {published}; this capture is {this}." in text

    def test_a_capture_that_cannot_tell_says_so(self, capture):
        text = check("self-cpu-total", capture.trace).text()
        assert "cannot be told" in text
        assert "not told" in text


class TestTable:
    def test_all_claims_of_a_capture(self, capture):
        text = claims_table([capture]).text()
        assert max(map(len, text.split("\n"))) <= 100
        line = next(line for line in text.split("\n") if line.startswith("  launches-per-step "))
        assert line.split() == [
            "launches-per-step",
            "2",
            "launches:",
            "holds",
            "2",
            "launches:",
            "holds",
            "2",
            "launches",
        ]
        assert (
            text.count("This build holds no such capture.") == len({one.capture for one in all_claims()}) - 1
        )

    def test_a_table_a_capture_with_its_sources_linked(self, capture):
        soup = BeautifulSoup(claims_table([capture])._repr_html_(), "html.parser")
        assert len(soup.find_all("table")) == len({one.capture for one in all_claims()})
        assert sum(len(table.tbody.find_all("tr")) for table in soup.find_all("table")) == len(all_claims())
        assert {link["href"] for link in soup.find_all("a")} == {"https://huggingface.co/blog/torch-profiler"}
        assert [cell.get_text() for cell in soup.table.thead.find_all("th")] == [
            "Claim",
            "A100",
            "H200",
            "this build",
        ]

    def test_without_any_capture(self):
        assert "[this build: no capture]" in claims_table([]).text()

    def test_an_outcome_has_a_word_for_each_published_figure(self, capture):
        for one in all_claims():
            assert len(outcome(one, capture).words) == len(one.published)
