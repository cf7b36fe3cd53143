from __future__ import annotations

import pytest

from profiling_series.report.palette import PAINTS, contrast

PAGES = ("#ffffff", "#14181e")
FILLED = {kind: paint for kind, paint in PAINTS.items() if paint.fill != "none"}


def test_contrast_of_known_pairs():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("kind", FILLED)
def test_bars_stand_out_from_light_and_dark_pages_and_their_words_from_them(kind):
    paint = PAINTS[kind]
    assert min(contrast(paint.fill, page) for page in PAGES) >= 3
    assert contrast(paint.fill, paint.ink) >= 4.5


def test_kinds_of_one_lane_differ_in_colour():
    for lane in (("step", "annotation", "op", "call", "sync"), ("kernel", "copy")):
        assert len({PAINTS[kind].fill for kind in lane}) == len(lane)
