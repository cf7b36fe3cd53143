"""A claim asked of several processes: the median answers, and their range says what is noise."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from profiling_series.claims import check
from profiling_series.claims.model import Claim, Published, Source
from profiling_series.claims.outcome import outcome
from profiling_series.claims.registry import MEASURES, Measured

CLAIM = Claim(
    id="x",
    question="How long?",
    measure="_of_a_test",
    unit="µs",
    capture="a/b",
    tolerance=0.1,
    published=(
        Published("A", Source("s"), 100.0),
        Published("B", Source("s"), 80.0),
        Published("C", Source("s"), 10.0),
    ),
)


@pytest.fixture(autouse=True)
def measured(monkeypatch):
    monkeypatch.setitem(MEASURES, "_of_a_test", lambda x: Measured(x.value))


def captures(*values):
    return [SimpleNamespace(value=value, key="a/b", source_line="live on T") for value in values]


def test_the_median_of_the_processes_answers_and_their_range_is_the_noise():
    found = outcome(CLAIM, captures(70.0, 105.0, 120.0))
    assert found.measured == Measured(105.0, (70.0, 105.0, 120.0))
    assert found.words == ("holds", "within noise", "differs")


def test_one_that_cannot_tell_leaves_it_untold():
    assert outcome(CLAIM, captures(70.0, None)).words == ("not told",) * 3
    assert outcome(CLAIM, []).measured.value is None


def test_words_are_told_together_where_they_differ():
    assert outcome(CLAIM, captures("mm", "mm")).measured.value == "mm"
    assert outcome(CLAIM, captures("mm", "bmm")).measured.value == "mm or bmm"


def test_the_view_says_over_how_many_processes(monkeypatch):
    from profiling_series.claims import views

    monkeypatch.setattr(views, "claim", lambda _: CLAIM)
    text = check("x", captures(70.0, 105.0, 120.0), guess=100).text()
    assert "This build, over 3 processes: 70.0 µs to 120.0 µs." in text
    assert text.endswith("[live on T, 3 processes]")
