"""A claim asked of several processes: the median answers, and their range says what is noise."""

from __future__ import annotations

from types import SimpleNamespace

from profiling_series.claims import check
from profiling_series.claims.model import Claim, Published, Source
from profiling_series.claims.outcome import outcome
from profiling_series.measures import Measured

CLAIM = Claim(
    id="x",
    question="How long?",
    measure="time",
    unit="µs",
    capture="a/b",
    tolerance=0.1,
    published=(
        Published("A", Source("s"), 100.0),
        Published("B", Source("s"), 80.0),
        Published("C", Source("s"), 10.0),
    ),
)


def captures(*values):
    return [SimpleNamespace(median_us=value, key="a/b", source_line="live on T") for value in values]


def test_the_median_of_the_processes_answers_and_their_range_is_the_noise():
    found = outcome(CLAIM, captures(70.0, 105.0, 120.0))
    assert found.measured == Measured(105.0, "µs", (70.0, 105.0, 120.0), "process")
    assert found.words == ("holds", "within noise", "differs")


def test_no_process_tells_nothing():
    assert outcome(CLAIM, []).words == ("not told",) * 3


def test_the_view_says_over_how_many_processes(monkeypatch):
    from profiling_series.claims import views

    monkeypatch.setattr(views, "claim", lambda _: CLAIM)
    text = check("x", captures(70.0, 105.0, 120.0), guess=100).text()
    assert "This build, over 3 processes: 70.0 µs to 120.0 µs." in text
    assert text.endswith("[live on T, 3 processes]")
