from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiling_series.report.timeline.draw import MOST_TICKS, ticks


@pytest.mark.parametrize(
    ("start", "end", "told"),
    [
        (0, 400, [0, 50, 100, 150, 200, 250, 300, 350, 400]),
        (0, 749.3, [0, 100, 200, 300, 400, 500, 600, 700]),
        (-0.3, 0.62, [-0.2, 0, 0.2, 0.4, 0.6]),
        (300, 450, [300, 320, 340, 360, 380, 400, 420, 440]),
    ],
)
def test_ticks_are_round_and_inside(start, end, told):
    assert ticks(start, end) == pytest.approx(told)


@given(st.floats(-1e7, 1e7), st.floats(1e-3, 1e9))
def test_there_are_some_ticks_and_never_too_many(start, length):
    assert 1 <= len(ticks(start, start + length)) <= MOST_TICKS + 1
