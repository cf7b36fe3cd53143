from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup

from profiling_series import timeline
from profiling_series.errors import UsageError
from profiling_series.report.palette import INK
from profiling_series.report.timeline.build import scene_of
from profiling_series.report.timeline.view import HTML_BYTES

SVG = "{http://www.w3.org/2000/svg}"
LEAVES = {"svg", "g", "rect", "path", "text", "title"}


def svg_of(view):
    html = view._repr_html_()
    return ElementTree.fromstring(re.search(r"<svg.*?</svg>", html, re.S)[0])


def rects_of(svg, kind):
    return [
        rect
        for group in svg.iter(f"{SVG}g")
        if group.get("class") == f"ps-{kind}"
        for rect in group.iter(f"{SVG}rect")
    ]


def titles(svg, kind):
    return [rect.find(f"{SVG}title").text for rect in rects_of(svg, kind)]


def test_every_event_is_drawn_once(trace):
    svg = svg_of(timeline(trace))
    drawn = Counter(
        title.split("\n")[0] for kind in ("step", "annotation", "op", "call") for title in titles(svg, kind)
    )
    assert drawn == {
        "ProfilerStep#2": 1, "ProfilerStep#3": 1, "matmul_add": 2, "aten::matmul": 2, "aten::mm": 2,
        "aten::add": 2, "cuLaunchKernelEx": 2, "cudaLaunchKernel": 2,
    }  # fmt: skip
    assert len(titles(svg, "kernel")) == len(trace.gpu_rows) == 4
    assert len(titles(svg, "span")) == 2
    assert len(titles(svg, "overhead")) == 1
    # The sync after the steps lies outside the default window.
    assert not titles(svg, "sync")


def test_a_title_tells_name_duration_start_and_arguments(trace):
    title = titles(svg_of(timeline(trace)), "kernel")[0].replace("\u202f", " ")
    assert title.split("\n") == [
        "nvjet_sm90_tst_64x8_64x16_1x4_h_bz_NNT",
        "1.92 µs, from 115.0 µs",
        "grid: 4 × 2 × 1",
        "block: 384 × 1 × 1",
        "registers per thread: 168",
        "shared memory: 160.5 KiB",
        "estimated occupancy: 0 %",
        "launched by cuLaunchKernelEx, which began 15.0 µs before it",
    ]
    ops = [title.split("\n") for title in titles(svg_of(timeline(trace)), "op")]
    assert all(("input shapes: [[64, 64], [64, 64]]" in lines) == (lines[0] == "aten::mm") for lines in ops)


def test_bars_lie_where_their_times_say(trace):
    svg = svg_of(timeline(trace))
    rects = {rect.find(f"{SVG}title").text.split("\n")[0]: rect for rect in rects_of(svg, "step")}
    first, second = (rects[f"ProfilerStep#{n}"] for n in (2, 3))
    assert float(first.get("width")) == pytest.approx(2 * float(second.get("width")), rel=0.01)
    # The axis spans 400 µs from edge to edge.
    assert float(first.get("x")) == pytest.approx(10)
    assert float(second.get("x")) == pytest.approx(10 + 880 * 300 / 400, abs=0.1)
    assert first.get("y") == second.get("y")


def test_the_smallest_kernel_is_still_seen(trace):
    svg = svg_of(timeline(trace))
    assert min(float(rect.get("width")) for rect in rects_of(svg, "kernel")) >= 2.5


def test_each_launch_is_tied_to_its_kernel(trace):
    scene = scene_of(trace)
    assert len(scene.links) == trace.launches["matched_gpu_events"] == 4
    assert {(link.call_row, link.gpu_row) for link in scene.links} == {
        (int(trace.launch_of[row]), int(row)) for row in trace.gpu_rows
    }
    group = next(g for g in svg_of(timeline(trace)).iter(f"{SVG}g") if g.get("class") == "ps-link")
    assert len(group) == 4


def test_a_graph_launch_is_tied_once(make_trace):
    events = [
        ("cpu_op", "step", 5, 5, 0.0, 50.0, {}),
        ("cuda_runtime", "cudaGraphLaunch", 5, 5, 5.0, 10.0, {"correlation": 3}),
        *(
            ("kernel", f"k{n}", 0, 7, 20.0 + 10 * n, 8.0, {"device": 0, "stream": 7, "correlation": 3})
            for n in range(4)
        ),
    ]
    scene = scene_of(make_trace(events))
    assert [link.gpu_us for link in scene.links] == [20.0]
    assert any(note.startswith("3 GPU events launched by the call of an earlier one") for note in scene.notes)


def test_idle_is_drawn_and_told(trace):
    scene = scene_of(trace)
    assert sum(gap.dur_us for gap in scene.gaps) == pytest.approx(400 - 5.568)
    assert scene.busy_share(0) == pytest.approx(5.568 / 400)
    svg = svg_of(timeline(trace))
    words = [text.text.replace("\u202f", " ") for text in svg.iter(f"{SVG}text")]
    assert "idle 195.1 µs" in words
    assert "GPU 0, stream 7 – GPU works 5.57 µs of 400.0 µs (1.4 %)" in words
    assert (
        "GPU 0 idle: 394.4 µs of 400.0 µs (98.6 %), the longest pause 195.1 µs from 169.9"
        in timeline(trace).text()
    )


def test_a_gap_of_one_stream_is_not_idle_while_another_works(make_trace):
    events = [("cpu_op", "x", 5, 5, 0.0, 100.0, {})]
    for stream, start in ((7, 0.0), (8, 40.0)):
        events.append(("kernel", "k", 0, stream, start, 60.0, {"device": 0, "stream": stream}))
    scene = scene_of(make_trace(events))
    assert [lane.label.split(" –")[0] for lane in scene.lanes] == [
        "CPU, thread 5",
        "GPU 0, stream 7",
        "GPU 0, stream 8",
    ]
    assert scene.gaps == ()


def test_nesting_becomes_depth(trace):
    scene = scene_of(trace)
    depth = {bar.name: bar.depth for bar in scene.bars if bar.lane == 0}
    assert depth == {
        "ProfilerStep#2": 0, "ProfilerStep#3": 0, "matmul_add": 1, "aten::matmul": 2, "aten::add": 2,
        "aten::mm": 3, "cudaLaunchKernel": 3, "cuLaunchKernelEx": 4,
    }  # fmt: skip


def test_steps_are_marked(trace):
    assert [(mark.us, mark.name) for mark in scene_of(trace).marks] == [
        (0.0, "ProfilerStep#2"), (300.0, "ProfilerStep#3"), (400.0, "end of ProfilerStep#3"),
    ]  # fmt: skip


@pytest.mark.parametrize("choice", [1, -1, [1], slice(1, None)])
def test_steps_can_be_chosen(trace, choice):
    scene = scene_of(trace, steps=choice)
    assert scene.window.origin_name == "ProfilerStep#3"
    assert scene.window.length_us == 100
    assert len(scene.links) == 2


def test_a_window_keeps_the_axis_of_the_steps(trace):
    scene = scene_of(trace, start_us=300, end_us=450)
    assert (scene.window.start_us, scene.window.end_us) == (300, 450)
    assert "cudaDeviceSynchronize" in {bar.name for bar in scene.bars}
    assert {bar.start_us for bar in scene.bars if bar.name == "ProfilerStep#3"} == {300.0}


def test_the_window_reaches_to_the_last_kernel_that_a_step_launched(make_trace):
    events = [
        ("user_annotation", "ProfilerStep#1", 5, 5, 0.0, 50.0, {}),
        ("cuda_runtime", "cudaLaunchKernel", 5, 5, 5.0, 10.0, {"correlation": 3}),
        ("kernel", "k", 0, 7, 40.0, 200.0, {"device": 0, "stream": 7, "correlation": 3}),
    ]
    assert scene_of(make_trace(events)).window.end_us == 240


@pytest.mark.parametrize("choice", [5, [0, 9], slice(7, 9), "first"])
def test_steps_that_are_not_there_are_refused(trace, choice):
    with pytest.raises(UsageError, match="the trace holds 2, counted from 0"):
        timeline(trace, steps=choice)


def test_an_empty_window_is_refused(trace):
    with pytest.raises(
        UsageError, match=r"from 50\.0 µs to 20\.0 µs is empty; this trace reaches from 0 to 400\.0 µs"
    ):
        timeline(trace, start_us=50, end_us=20)


def test_a_trace_without_events_is_refused(make_trace):
    with pytest.raises(UsageError, match="holds no event"):
        timeline(make_trace([]))


def test_a_cpu_trace_has_no_gpu_lane(make_trace):
    view = timeline(make_trace([("cpu_op", "aten::mm", 5, 5, 0.0, 10.0, {})]))
    assert "no GPU event" in view._repr_html_()
    assert "GPU 0" not in view.text()


def test_the_svg_is_small_strict_and_needs_nothing_from_outside(trace):
    html = timeline(trace)._repr_html_()
    svg = svg_of(timeline(trace))
    assert {element.tag.removeprefix(SVG) for element in svg.iter()} <= LEAVES
    assert not any(key in ("id", "style") for element in list(svg.iter())[1:] for key in element.attrib)
    for outside in ("http:", "https:", "url(", "src=", "<style", "@import"):
        assert outside not in html.replace("http://www.w3.org/2000/svg", "")
    assert INK not in html
    assert "currentColor" in html
    assert len(html.encode()) < 25_000


def test_two_figures_on_a_page_share_no_id(trace):
    page = timeline(trace)._repr_html_() + timeline(trace)._repr_html_()
    assert not re.search(r"\sid=", page)


def test_the_same_trace_gives_the_same_bytes_in_every_process(busy_trace):
    code = "import sys, profiling_series as ps; print(ps.timeline(ps.read(sys.argv[1])).to_html())"
    pages = {
        subprocess.run(
            [sys.executable, "-c", code, busy_trace.file],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(pages) == 1


def test_words_on_a_bar_keep_their_own_ink(trace):
    label = next(text for text in svg_of(timeline(trace)).iter(f"{SVG}text") if "ProfilerStep#2" in text.text)
    assert label.get("fill") == "#000000"


def test_it_can_be_read_without_seeing_it(trace):
    soup = BeautifulSoup(timeline(trace)._repr_html_(), "html.parser")
    assert soup.svg["role"] == "img"
    assert "GPU 0 works 1.4 % of the time" in soup.svg["aria-label"]
    assert soup.svg.parent["tabindex"] == "0"
    reading = soup.details.pre.get_text()
    for name in ("aten::mm", "nvjet_sm90_tst_64x8_64x16_1x4_h_bz_NNT", "Activity Buffer Request"):
        assert name in reading
    assert soup.details.pre.parent["tabindex"] == "0"
    legend = [item.get_text() for item in soup.find(class_="ps-legend").find_all("li")]
    assert "kernel" in legend
    assert "waiting for the GPU" not in legend


def test_text_tells_every_event_with_start_and_duration(trace):
    text = timeline(trace).text()
    assert re.search(r"^ +44\.0 +80\.00 +aten::mm$", text, re.M)
    assert re.search(r"^ +100\.0 +20\.00 +cuLaunchKernelEx  → GPU at 115\.0$", text, re.M)
    assert re.search(r"^ +169\.0 +0\.86 +vectorized_elementwise_kernel<8", text, re.M)
    assert text.count("span of the annotation, not work") == 2


def test_a_title_of_ones_own(trace):
    assert timeline(trace, title="Cold <start>").text().startswith("Cold <start>\n")
    assert "Cold &lt;start&gt;." in timeline(trace, title="Cold <start>")._repr_html_()


def test_the_picture_can_be_saved_and_brings_its_own_ink(trace, tmp_path):
    timeline(trace).save(tmp_path / "timeline.svg")
    svg = ElementTree.parse(tmp_path / "timeline.svg").getroot()
    assert "prefers-color-scheme:dark" in svg.find(f"{SVG}style").text
    assert len(rects_of(svg, "kernel")) == 4
    with pytest.raises(UsageError, match=r"not as timeline\.png"):
        timeline(trace).save(tmp_path / "timeline.png")


class TestMoreThanAPictureHolds:
    def test_no_event_is_lost_without_a_word(self, busy_trace):
        scene = scene_of(busy_trace)
        assert sum(bar.count for bar in scene.bars) == len(busy_trace)
        merged = {
            where: sum(
                bar.count
                for bar in scene.bars
                if bar.count > 1 and (bar.kind == "kernel") == (where == "GPU")
            )
            for where in ("CPU", "GPU")
        }
        for where, count in merged.items():
            assert any(note.startswith(f"{count:,} {where} events of at most ") for note in scene.notes)

    def test_merging_keeps_the_work(self, busy_trace):
        gpu = busy_trace.gpu_rows
        bars = [bar for bar in scene_of(busy_trace).bars if bar.kind == "kernel"]
        assert sum(bar.work_us for bar in bars) == pytest.approx(busy_trace.dur[gpu].sum() / 1000)

    def test_merged_bars_do_not_run_across_others(self, busy_trace):
        scene = scene_of(busy_trace)
        rows = {}
        for bar in scene.bars:
            rows.setdefault((bar.lane, bar.depth), []).append(bar)
        for bars in rows.values():
            for one, other in pairwise(bars):
                assert one.end_us <= other.start_us + 1e-6

    def test_it_stays_light(self, busy_trace):
        html = timeline(busy_trace)._repr_html_()
        data = re.search(r'<script type="application/json".*?</script>', html)[0]
        assert len(html.encode()) - len(data.encode()) <= HTML_BYTES
        assert len(data.encode()) <= HTML_BYTES / 2
        assert "paler bar" in html

    def test_many_threads_and_streams_are_counted(self, make_trace):
        events = []
        for n in range(12):
            events.append(("cpu_op", "x", 5, 100 + n, 0.0, 10.0 + n, {}))
            events.append(("kernel", "k", 0, n, 0.0, 5.0, {"device": 0, "stream": n}))
        notes = scene_of(make_trace(events)).notes
        assert "8 further threads with 8 events not drawn" in notes
        assert "4 further streams with 4 GPU events not drawn" in notes

    def test_deep_nesting_is_counted(self, make_trace):
        events = [("cpu_op", f"f{n}", 5, 5, float(n), 100.0 - 2 * n, {}) for n in range(20)]
        assert "8 events nested deeper than 12 levels not drawn" in scene_of(make_trace(events)).notes

    def test_python_frames_are_counted(self, make_trace):
        events = [("cpu_op", "x", 5, 5, 0.0, 10.0, {}), ("python_function", "f", 5, 5, 1.0, 5.0, {})]
        assert "1 Python frame not drawn" in scene_of(make_trace(events)).notes


def test_an_impossible_duration_does_not_cover_its_stream(make_trace):
    events = [("cpu_op", "x", 5, 5, 0.0, 100.0, {})]
    events += [("kernel", f"k{n}", 0, 7, 10.0 + 10 * n, 5.0, {"device": 0, "stream": 7}) for n in range(5)]
    events.append(("kernel", "broken", 0, 7, 5.0, 1e9, {"device": 0, "stream": 7}))
    scene = scene_of(make_trace(events))
    broken = next(bar for bar in scene.bars if bar.name == "broken")
    assert (broken.dur_us, broken.work_us) == (5.0, 1e9)
    assert scene.window.length_us == 100


def test_a_terminal_gets_the_longest_events_and_is_told_how_to_have_the_rest(trace):
    whole, short = timeline(trace, lines=None).text(), timeline(trace, lines=3).text()
    assert len(short.splitlines()) < len(whole.splitlines())
    assert "not listed" in short
    assert "not listed" not in whole
    assert 'save("timeline.svg")' in short
    for wrong in (0, -1, "all", 2.5, True):
        with pytest.raises(UsageError, match="lines must be"):
            timeline(trace, lines=wrong)
