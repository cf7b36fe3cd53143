from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from profiling_series.report.timeline.labels import inside, leaders
from profiling_series.report.timeline.widths import width_px

LABELS = st.lists(st.tuples(st.floats(10, 890), st.text("abcdefg ", min_size=1, max_size=40)), max_size=25)


@given(LABELS)
def test_leaders_never_touch_each_other(wanted):
    placed = leaders(wanted, 10, 890, 3)
    for at, one in enumerate(placed):
        assert one.left_px >= 10
        assert one.right_px <= 890
        for other in placed[at + 1 :]:
            if one.row == other.row:
                assert one.right_px < other.left_px or other.right_px < one.left_px
            else:
                upper, lower = (one, other) if one.row < other.row else (other, one)
                assert not upper.left_px < lower.at_px < upper.right_px


def test_labels_that_do_not_crowd_are_all_placed():
    assert len(leaders([(50.0, "one"), (300.0, "two"), (302.0, "three"), (880.0, "four")], 10, 890, 3)) == 4


@given(st.text(max_size=60), st.floats(0, 1e6), st.floats(0, 400), st.booleans())
def test_what_is_put_inside_fits(name, dur_us, room, middle):
    assert width_px(inside(name, dur_us, room, middle=middle)) <= room


def test_the_longest_form_that_fits_is_taken():
    assert inside("aten::matmul", 128.026, 400) == "aten::matmul  128.0 µs"
    assert inside("aten::matmul", 128.026, width_px("aten::matmul") + 8) == "aten::matmul"
    assert inside("aten::matmul", 128.026, width_px("aten::ma…") + 8) == "aten::ma…"
    assert inside("aten::matmul", 128.026, 20) == ""
    assert (
        inside("nvjet_sm90_tst_64x8_64x16_1x4_h_bz_NNT", 1.92, 150, middle=True) == "nvjet_sm9…_NNT  1.92 µs"
    )
