from __future__ import annotations

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from profiling_series import distribution
from profiling_series.errors import UsageError
from profiling_series.measures.spread import spread
from profiling_series.report.palette import INK, PAINTS
from profiling_series.report.pictures import page_svg
from profiling_series.trace import read

CASES = Path(__file__).parents[1] / "data" / "cases"
TIMES = (174.0, 168.0, 167.0, 168.0, 168.0, 169.0, 168.0, 167.0, 169.0, 268.0)


@pytest.fixture
def ten_runs(make_trace):
    """Ten steps with a long kernel of those times, and a short one after it."""
    events = []
    for number, time in enumerate(TIMES, start=2):
        start = number * 1000.0
        events.append(("user_annotation", f"ProfilerStep#{number}", 5, 5, start, 80.0, {}))
        for at, (name, dur) in enumerate((("long_gemm", time), ("short_add", 3.0))):
            tie = 2 * number + at
            events.append(
                ("cuda_runtime", "cudaLaunchKernel", 5, 5, start + 10 * at, 8.0, {"correlation": tie})
            )
            where = {"device": 0, "stream": 7, "correlation": tie}
            events.append(("kernel", name, 0, 7, start + 20 + 400 * at, dur, where))
    return make_trace(events)


def test_the_figures_by_hand(ten_runs):
    found = spread(ten_runs)
    assert (found.name, found.kernel) == ("long_gemm", True)
    assert found.each_us.tolist() == list(TIMES)
    assert found.step.tolist() == list(range(2, 12))
    assert found.mean_us == pytest.approx(sum(TIMES) / 10)
    assert found.percentile_us(50) == 168
    # Sorted: 167 167 168 168 168 168 169 169 174 268; the 90th percentile is a tenth beyond the ninth.
    assert found.percentile_us(10) == 167
    assert found.percentile_us(90) == pytest.approx(174 + 0.1 * (268 - 174))


def test_a_part_of_the_name_chooses(ten_runs):
    assert spread(ten_runs, "add").name == "short_add"
    assert set(spread(ten_runs, "short_add").each_us.tolist()) == {3.0}


@pytest.mark.parametrize(
    ("name", "told"), [("gone", "'gone' fits 0 names"), ("_", "'_' fits 2 names"), ("", "fits 2 names")]
)
def test_a_name_that_fits_none_or_several_is_refused(ten_runs, name, told):
    with pytest.raises(UsageError, match=told) as caught:
        distribution(ten_runs, name)
    assert "long_gemm, short_add" in str(caught.value)


def test_a_trace_of_the_cpu_is_told_by_an_op_and_its_self_time():
    found = spread(read(CASES / "72-cpu-only.json"))
    assert not found.kernel
    assert found.name.startswith("aten::")
    assert "self time of an op" in distribution(read(CASES / "72-cpu-only.json")).text()


def test_a_trace_without_steps_is_refused():
    with pytest.raises(UsageError, match="no kernel and no op"):
        distribution(read(CASES / "56-no-profiler-step.json"))


def test_text_gives_the_figures_and_every_run_once(ten_runs):
    text = distribution(ten_runs).text()
    for told in (
        "Median       168.0 µs",
        "Mean         178.6 µs",
        "167.0 µs, 268.0 µs",
        "10, in steps 2 to 11",
    ):
        assert told in text
    counts = [int(found) for found in re.findall(r"–\s+[\d.]+\s+(\d+)", text)]
    assert sum(counts) == len(TIMES)
    assert max(map(len, text.splitlines())) <= 100


def test_equal_runs_need_no_histogram(ten_runs):
    assert "every run took 3.00 µs" in distribution(ten_runs, "add").text()


def test_the_picture_has_each_run_the_levels_and_the_shares(ten_runs):
    figure = distribution(ten_runs).figure()
    runs, shares = figure.axes
    assert runs.collections[0].get_offsets()[:, 1].tolist() == list(TIMES)
    levels = {line.get_label(): line.get_ydata()[0] for line in runs.lines}
    assert levels == {"median": 168, "mean": pytest.approx(178.6)}
    stair = next(line for line in shares.lines if line.get_color() == PAINTS["kernel"].fill)
    assert stair.get_xdata().tolist() == [10.0 * at for at in range(11)]
    assert stair.get_ydata().tolist() == [167.0, *sorted(TIMES)]


def test_the_page_holds_the_picture_in_its_own_ink(ten_runs):
    soup = BeautifulSoup(distribution(ten_runs)._repr_html_(), "html.parser")
    svg = soup.svg
    assert "Median: 168.0 µs" in svg["aria-label"]
    text = str(svg)
    assert INK not in text
    assert "#000000" not in text
    assert "currentColor" in text
    assert "DejaVu Sans', sans-serif\"" not in text.split(">", 1)[1]
    assert soup.find(class_="ps-scroll")["tabindex"] == "0"
    referred = set(re.findall(r"#([\w-]+)[\")]", text))
    assert {element["id"] for element in svg.find_all(id=True)} <= referred


def test_two_pictures_share_no_id(ten_runs):
    ids = [
        set(re.findall(r'\sid="([^"]+)"', page_svg(distribution(ten_runs, name).figure(), name, 500)))
        for name in ("gemm", "add")
    ]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_hostile_names_stay_text(hostile):
    _, trace = hostile
    view = distribution(trace)
    assert "<script>alert" not in view._repr_html_()
    assert "\x1b" not in view.text() + view._repr_html_()
