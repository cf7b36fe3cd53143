from __future__ import annotations

from profiling_series.report.timeline.drawing import around


def test_lines_go_around_words():
    assert around((0, 0), (10, 0), []) == [((0, 0), (10, 0))]
    assert around((0, 0), (10, 0), [(4, -1, 6, 1)]) == [((0, 0), (4, 0)), ((6, 0), (10, 0))]
    assert around((0, 0), (10, 0), [(4, 2, 6, 3)]) == [((0, 0), (10, 0))]
    assert around((0, 0), (10, 0), [(-1, -1, 11, 1)]) == []
    assert around((0, 0), (0, 10), [(-1, 2, 1, 5), (-1, 4, 1, 6)]) == [((0, 0), (0, 2)), ((0, 6), (0, 10))]
