"""Views of sweeps, ceilings, several processes, ops, launches and kernel names."""

from __future__ import annotations

from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from profiling_series import (
    MatmulAdd,
    UsageError,
    kernel_names,
    launches,
    ops,
    over_processes,
    roofline,
    step_times,
)
from profiling_series.measures.sweeps import by_series, crossing_of, limit_of, roof_at
from profiling_series.report.ops import op_work
from profiling_series.report.plot import looks
from profiling_series.results import Point, Swept
from profiling_series.trace.stretch import Stretch, after_annotation, measure_steps

TFLOPS, GBS = {"bf16": 800.0, "fp32": 50.0}, 4000.0


def point(size, dtype, gpu_us, cpu_us=50.0):
    step_us = max(cpu_us, gpu_us or 0.0)
    busy = gpu_us / step_us if gpu_us else None
    took = Stretch(15, cpu_us, step_us, 2.0 if gpu_us else None, gpu_us, busy)
    return Swept(Point(MatmulAdd(size, dtype)), size, dtype, took)


def swept(*points):
    return SimpleNamespace(
        points=points, x="size", source_line="recorded on Test GPU; 4 workloads in one process"
    )


CEILINGS = SimpleNamespace(
    tflops=TFLOPS,
    sustained_tflops={"bf16": 700.0},
    gbs=GBS,
    ridge=lambda dtype: TFLOPS[dtype] * 1000 / GBS,
    source_line="recorded on Test GPU",
)
SWEEP = swept(
    *(point(n, "bf16", us) for n, us in ((64, 5.0), (1024, 25.0), (4096, 200.0))), point(1024, "fp32", 100.0)
)
CPU = swept(point(64, "bf16", None), point(128, "bf16", None))


def svg_of(view):
    html = view._repr_html_()
    return html[html.index("<svg") : html.index("</svg>") + 6]


def rows(view):
    """Each line of a view's text, as words."""
    return [line.split() for line in view.text().splitlines()]


def test_a_sweeps_table_holds_each_size_with_its_regime():
    found = rows(step_times(SWEEP))
    assert ["64", "bf16", "50.0", "50.0", "5.00", "10", "%", "0.0106", "0.655", "overhead-bound"] in found
    assert ["1024", "bf16", "50.0", "50.0", "25.0", "50", "%", "43", "168", "mixed"] in found
    assert ["4096", "bf16", "200.0", "50.0", "200.0", "100", "%", "687", "671", "gpu-bound"] in found
    assert step_times(SWEEP).text().endswith("[recorded on Test GPU; 4 workloads in one process]")


def test_a_cpus_sweep_says_nothing_of_a_gpu():
    text = step_times(CPU).text()
    assert "GPU" not in text.replace("Test GPU", "")
    assert "-bound" not in text


def test_where_the_gpus_work_outgrows_the_cpus_is_between_the_neighbours():
    points = by_series(SWEEP)["bf16"]
    # The ratio goes from 1/2 to 4 between 1024 and 4096: it passes 1 after a third of the way, on log axes.
    assert crossing_of(points) == pytest.approx(1024 * 4 ** (1 / 3))
    assert crossing_of(points[:2]) is None
    assert crossing_of(by_series(CPU)["bf16"]) is None


def test_the_roof_is_the_lower_of_two_and_its_name_says_which():
    assert [roof_at(CEILINGS, "bf16", at) for at in (100.0, 300.0)] == [400.0, 800.0]
    # A product of size n does about n/4 operations a byte, and the roofs meet at 200.
    assert [limit_of(MatmulAdd(n, "bf16"), CEILINGS) for n in (64, 4096)] == ["memory", "compute"]
    text = roofline(SWEEP, CEILINGS).text()
    assert "they meet, bf16" in text
    assert "product, bf16, kept up" in text
    assert ["4096", "bf16", "1,024", "800", "85.9", "%", "85.9", "%", "compute"] in rows(
        roofline(SWEEP, CEILINGS)
    )
    assert "[recorded on Test GPU; 4 workloads in one process; ceilings recorded on Test GPU]" in text


@pytest.mark.parametrize(
    "view", [step_times(SWEEP), step_times(CPU), roofline(SWEEP, CEILINGS), roofline(CPU, CEILINGS)]
)
def test_a_plot_is_a_picture_with_units_that_follows_the_page_and_names_its_source(view):
    html, svg = view._repr_html_(), svg_of(view)
    ElementTree.fromstring(svg)
    assert "currentColor" in svg
    assert "#010203" not in svg
    assert "aria-label" in svg
    text = "".join(ElementTree.fromstring(svg).itertext())
    assert "µs" in text or "TFLOP/s" in text
    assert "<details>" in html
    assert "Test GPU" in html[html.index("ps-provenance") :]
    assert view.figure().axes


def test_each_process_is_a_mark_between_the_ends_of_its_row():
    rows = {
        "cold": {"first": [30.0, 20.0, 25.0], "later": [2.0, 3.0, 1.0]},
        "warm $x_$ <b>": {"first": [4.0, None]},
    }
    view = over_processes("Steps", rows, [])
    axes = view.figure().axes[0]
    marks = [sorted(line.get_xdata()) for line in axes.lines if line.get_marker() != "None"]
    assert marks == [[20.0, 25.0, 30.0], [4.0], [1.0, 2.0, 3.0], []]
    assert axes.get_xscale() == "log", "thirty times as long"
    assert [label.get_text() for label in axes.get_yticklabels()] == ["cold", "warm $x_$ <b>"]
    html = view._repr_html_()
    assert "<b>" not in html
    assert "<svg" in html
    assert "each process a mark" in html


def test_figures_over_processes_are_medians_with_ranges():
    view = over_processes(
        "Steps",
        {"cold": {"first": [262.0, 198.5, 204.0], "second": [90.0, 90.0, 90.0]}, "timed": {"first": [10.5]}},
        [SimpleNamespace(source_line="live on A"), SimpleNamespace(source_line="live on A")],
    )
    assert rows(view)[2] == ["cold", "3", "204", "(198.5–262)", "90"]
    assert rows(view)[3] == ["timed", "1", "10.5"]
    assert view.provenance == "live on A"
    with pytest.raises(UsageError, match="at least one row"):
        over_processes("Steps", {}, [])
    with pytest.raises(UsageError, match="'cold' has no values"):
        over_processes("Steps", {"cold": {"first": []}}, [])


def test_a_process_that_cannot_tell_leaves_the_figure_unknown():
    view = over_processes("Steps", {"cold": {"first": [1.0, None]}}, [])
    assert rows(view)[2] == ["cold", "2", "unknown"]


def test_an_op_that_launches_nothing_itself_says_so(trace):
    found = {op.name: op for op in op_work(trace)}
    assert (found["aten::mm"].launches, found["aten::matmul"].launches) == (2, 0)
    assert found["aten::matmul"].total_us > found["aten::mm"].total_us
    products = next(kernel for kernel in trace.kernels if kernel["count"] == 2)
    assert found["aten::mm"].gpu_us == products["total_us"]
    line = next(line for line in rows(ops(trace)) if line[:1] == ["aten::matmul"])
    assert line[-1] == "nothing"


def test_ops_of_a_cpus_trace_have_no_gpu_columns(make_trace):
    cpu = make_trace([("cpu_op", "aten::mm", 1, 1, 0.0, 5.0, {})])
    assert "GPU µs" not in ops(cpu).text()
    assert "holds no GPU work" in ops(cpu).text()
    assert "holds no GPU work" in launches(cpu).text()
    assert "no kernel" in kernel_names(cpu).text()


H200 = {"id": 0, "computeMajor": 9, "computeMinor": 0, "warpSize": 32, "numSms": 132}
LAUNCH = {"registers per thread": 255, "shared memory": 49152, "block": [128, 1, 1], "grid": [8, 8, 16]}


@pytest.fixture
def launched(make_trace):
    """A step with an occupancy query and a launch, and the footprint of flash attention's kernel."""
    gpu = {"device": 0, "stream": 7, "correlation": 42, "est. achieved occupancy %": 13, **LAUNCH}
    return make_trace(
        [
            ("user_annotation", "ProfilerStep#1", 5, 5, 0.0, 100.0, {}),
            ("cpu_op", "aten::mm", 5, 5, 10.0, 50.0, {}),
            ("cuda_runtime", "cudaOccupancyMaxActiveBlocksPerMultiprocessor", 5, 5, 15.0, 2.0, {}),
            ("cuda_runtime", "cudaLaunchKernel", 5, 5, 20.0, 8.0, {"correlation": 42}),
            ("kernel", "ampere_bf16_gemm<7>", 0, 7, 35.0, 40.0, gpu),
        ],
        deviceProperties=[H200],
    )


def test_a_launch_is_told_from_its_call_to_its_footprint(launched):
    text = launches(launched).text()
    assert ["cudaOccupancyMaxActiveBlocksPerMultiprocessor", "1", "2.00", "asks"] in rows(launches(launched))
    assert ["cudaLaunchKernel", "1", "8.00", "puts", "work", "on", "the", "GPU"] in rows(launches(launched))
    assert "42, in the call's arguments and in these" in text
    assert "15.0 µs after the call did, and ran for 40.0 µs" in text
    assert "8×8×16 blocks of 128×1×1 threads" in text
    assert "12.5 %: 2 blocks fit on an SM, 8 of its 64 warps; limited by registers" in text
    assert "est. achieved occupancy: 13 %" in text


def test_a_launch_without_properties_of_its_device_has_no_occupancy(make_trace):
    gpu = {"device": 0, "stream": 7, "correlation": 1, **LAUNCH}
    bare = make_trace(
        [
            ("cuda_runtime", "cudaLaunchKernel", 5, 5, 20.0, 8.0, {"correlation": 1}),
            ("kernel", "k", 0, 7, 35.0, 40.0, gpu),
        ]
    )
    assert "unknown: the trace does not describe the device" in launches(bare).text()


def test_a_kernels_name_is_told_piece_by_piece(launched):
    text = kernel_names(launched, "ampere").text()
    assert "ampere" in text
    assert "None to show: no kernel has 'nvjet' in its name." in kernel_names(launched, "nvjet").text()


def test_names_of_anybodys_making_do_no_harm(hostile):
    _, trace = hostile
    for view in (ops(trace), launches(trace), kernel_names(trace)):
        assert "<script" not in view._repr_html_()
        assert "\x1b" not in view.text()
        assert len(view._repr_html_()) < 60_000


def test_steps_behind_an_annotation_are_measured_alone(make_trace):
    events = []
    for at in range(4):
        ts = at * 100.0
        events.append(("user_annotation", f"ProfilerStep#{at}", 5, 5, ts, 90.0, {}))
        events.append(("cpu_op", "aten::mm", 5, 5, ts + 10, 50.0, {}))
        events.append(("cuda_runtime", "cudaLaunchKernel", 5, 5, ts + 20, 8.0, {"correlation": at + 1}))
        where = {"device": 0, "stream": 7, "correlation": at + 1}
        events.append(("kernel", "k", 0, 7, ts + 30, 20.0 if at < 3 else 40.0, where))
    events.append(("user_annotation", "sweep a", 5, 5, 1.0, 5.0, {}))
    trace = make_trace(events)
    assert after_annotation(trace, "sweep a", 2) == [1, 2]
    assert after_annotation(trace, "sweep b", 2) == []
    found = measure_steps(trace, [1, 2])
    assert (found.steps, found.cpu_us, found.step_us) == (2, 90.0, 100.0)
    assert (found.gpu_events, found.gpu_sum_us) == (1.0, 20.0)
    # Busy for 2 · 20 µs from the first step's start to the second one's end, 190 µs.
    assert found.gpu_busy_share == pytest.approx(40 / 190)
    assert found.regime == "overhead-bound"
    assert measure_steps(trace, [3]).gpu_sum_us == 40.0


FOUR = ("bf16", "fp16", "fp32", "fp64")


@pytest.mark.parametrize("count", [4, 9])
def test_every_series_is_drawn_and_looks_like_no_other(count):
    names = [f"series {at}" for at in range(count)]
    points = [Swept(Point(MatmulAdd(64)), 64, name, Stretch(15, 50.0, 50.0, 2.0, 5.0, 0.1)) for name in names]
    view = step_times(swept(*points))
    text = "".join(ElementTree.fromstring(svg_of(view)).itertext())
    assert all(f"{name}: step" in text for name in names)
    lines = [line for line in view.figure().axes[0].lines if str(line.get_label()).endswith(": step")]
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == count


def test_four_dtypes_are_four_lines_and_four_roofs():
    tflops = dict.fromkeys(FOUR, 100.0)
    ceilings = SimpleNamespace(**{**vars(CEILINGS), "tflops": tflops, "ridge": lambda dtype: 25.0})
    view = roofline(swept(*(point(n, dtype, 25.0) for dtype in FOUR for n in (64, 128))), ceilings)
    text = "".join(ElementTree.fromstring(svg_of(view)).itertext())
    for dtype in FOUR:
        assert f"{dtype}: whole step" in text
        assert f"64 {dtype}" in " ".join(view.text().split())


def test_a_series_of_several_dtypes_has_no_roof():
    points = [
        Swept(Point(MatmulAdd(n, dtype)), n, "one", point(n, dtype, 5.0).took)
        for n, dtype in ((64, "bf16"), (128, "fp32"))
    ]
    with pytest.raises(UsageError, match="a roof is that of one dtype, and a series has bf16 and fp32"):
        roofline(swept(*points), CEILINGS).text()


def test_a_point_that_failed_is_told_with_its_reason_and_the_others_are_drawn():
    lost = Swept(Point(MatmulAdd(8192)), 8192, "bf16", failed="out of memory: choose a smaller size")
    sweep = swept(*SWEEP.points, lost)
    for view in (step_times(sweep), roofline(sweep, CEILINGS)):
        assert "Not measured: 8192 bf16 (out of memory: choose a smaller size)." in " ".join(
            view.text().split()
        )
        assert "8192" not in "".join(ElementTree.fromstring(svg_of(view)).itertext())


def test_a_plot_of_too_many_lines_is_refused():
    with pytest.raises(UsageError, match="a plot of 100 lines tells nothing"):
        looks(100)
