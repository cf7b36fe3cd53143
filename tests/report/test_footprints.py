"""Footprints: what is computed from a launch, beside what the trace estimated itself."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup

from profiling_series import footprints
from profiling_series.report.footprints import MAX_KERNELS

H200 = {"id": 0, "computeMajor": 9, "computeMinor": 0, "warpSize": 32, "numSms": 132}
#: 384 threads × 168 registers: 8 warps × 3 a block, and 65,536 registers hold one such block.
GEMM = {"registers per thread": 168, "shared memory": 213_176, "block": [384, 1, 1], "grid": [2, 66, 1]}
ADD = {"registers per thread": 34, "shared memory": 0, "block": [128, 1, 1], "grid": [4, 1, 1]}
ESTIMATE = "est. achieved occupancy %"


def kernel(name, at, dur, **args):
    return ("kernel", name, 0, 7, at, dur, {"device": 0, "stream": 7, **args})


def row(view, name):
    """Return the cells of a kernel's row, by the head of their column."""
    soup = BeautifulSoup(view._repr_html_(), "html.parser")
    heads = [head.get_text() for head in soup.thead.find_all("th")]
    (found,) = [r for r in soup.tbody.find_all("tr") if name in r.th.get_text()]
    return dict(
        zip(
            heads,
            (cell.get_text().replace("\u202f", " ") for cell in found.find_all(["th", "td"])),
            strict=True,
        )
    )


def test_occupancy_and_its_limit_stand_beside_the_traces_estimate(make_trace):
    events = [kernel("gemm", 0, 9.0, **GEMM, **{ESTIMATE: 0}), kernel("add", 20, 2.0, **ADD, **{ESTIMATE: 3})]
    view = footprints(make_trace(events, deviceProperties=[H200]))
    # One block of 12 warps of the SM's 64; the trace's 0 is a gap.
    assert row(view, "gemm") == {
        "Kernel": "gemm",
        "grid": "2×66",
        "block": "384",
        "regs": "168",
        "shared": "208.2 KiB",
        "occupancy": "18.8 %",
        "limited by": "registers, shared",
        "in the trace": "not measured",
    }
    # 34 registers take 1,280 a warp: 12 warps of a partition's 16,384, 48 of the SM's 64.
    assert row(view, "add")["occupancy"] == "75 %"
    assert row(view, "add")["limited by"] == "registers"
    assert row(view, "add")["in the trace"] == "3 %"


def test_without_the_gpus_limits_the_occupancy_is_unknown_and_says_why(make_trace):
    view = footprints(make_trace([kernel("add", 0, 2.0, **ADD)]))
    assert row(view, "add")["occupancy"] == "unknown"
    assert row(view, "add")["in the trace"] == "none"
    assert "Unknown: " in view.text()


def test_launches_of_another_shape_are_another_footprint_and_the_rest_is_counted(make_trace):
    events = [kernel("add", 10 * n, 2.0, **{**ADD, "grid": [n + 1, 1, 1]}) for n in range(MAX_KERNELS + 3)]
    events += [kernel("add", 1000, 50.0, **{**ADD, "grid": [1, 1, 1]})]
    view = footprints(make_trace(events, deviceProperties=[H200]))
    rows = BeautifulSoup(view._repr_html_(), "html.parser").tbody.find_all("tr")
    assert len(rows) == MAX_KERNELS
    assert rows[0].find_all("td")[0].get_text() == "1"  # the one with most time
    assert "3 further footprints with less time not listed" in re.sub(r"\s+", " ", view.text())


def test_a_trace_without_kernels_says_so(make_trace):
    empty = make_trace([("cpu_op", "aten::mm", 5, 5, 0.0, 10.0, {})])
    assert "holds no kernel" in footprints(empty).text()


def test_text_fits_a_terminal(trace, busy_trace):
    for one in (trace, busy_trace):
        assert max(map(len, footprints(one).text().split("\n"))) <= 100
