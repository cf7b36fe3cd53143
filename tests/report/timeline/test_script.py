from __future__ import annotations

import json
import re
from xml.etree import ElementTree

from profiling_series import timeline
from profiling_series.report.timeline.build import scene_of
from profiling_series.report.timeline.script import scene_json
from profiling_series.report.timeline.svg import inline_svg

SVG = "{http://www.w3.org/2000/svg}"


def test_the_scripts_bars_are_the_pictures_rectangles_in_order(busy_trace):
    scene = scene_of(busy_trace)
    given = json.loads(scene_json(scene))
    rects = list(ElementTree.fromstring(inline_svg(scene, "label")).iter(f"{SVG}rect"))
    assert len(rects) == len(given["bars"]) == len(scene.bars)
    for rect, (_, name, *_, count) in zip(rects, given["bars"], strict=True):
        told = rect.find(f"{SVG}title").text.split("\n")[0]
        assert told.startswith(f"{count:,} events: ") if count > 1 else told == given["names"][name]


def test_the_script_gets_times_lanes_links_idle_and_steps(trace):
    scene = scene_of(trace)
    given = json.loads(scene_json(scene))
    start, end, origin = (given["window"][key] for key in ("start_ns", "end_ns", "origin_ns"))
    assert ((start - origin) / 1000, (end - origin) / 1000) == (0, 400)
    assert [lane["kind"] for lane in given["lanes"]] == ["cpu", "overhead", "gpu"]
    kernel = given["kinds"].index("kernel")
    kernels = [bar for bar in given["bars"] if bar[0] == kernel]
    assert [bar[4:] for bar in kernels] == [
        [bar.start_us, bar.dur_us, 1] for bar in scene.bars if bar.kind == "kernel"
    ]
    assert len(given["links"]) == 4
    assert sum(duration for _, _, duration in given["gaps"]) == sum(gap.dur_us for gap in scene.gaps)
    assert [at for at, _ in given["marks"]] == [0, 300, 400]


def test_a_name_cannot_end_the_data(make_trace):
    html = timeline(make_trace([("cpu_op", "</script><b>", 5, 5, 0.0, 10.0, {})]))._repr_html_()
    data = re.findall(r'<script type="application/json" class="ps-scene">(.*?)</script>', html, re.S)
    assert [json.loads(one)["names"] for one in data] == [["</script><b>"]]
    assert "<b>" not in html
