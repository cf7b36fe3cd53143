from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup

from profiling_series import dispatch_chain
from profiling_series.errors import UsageError
from profiling_series.report.chain import MAX_NODES

CHAIN = """\
Dispatch chain of ProfilerStep#3
ProfilerStep#3                                            100.0 µs  self 15.0 µs
└─ matmul_add                                              85.0 µs  self 20.0 µs
   ├─ aten::matmul                                         45.0 µs  self 5.00 µs
   │  └─ aten::mm                                          40.0 µs  self 30.0 µs
   │     └─ cuLaunchKernelEx                               10.0 µs
   │        └─ GPU: nvjet_sm90_tst_64x8_…1x4_h_bz_NNT      1.92 µs  began 15.0 µs after its call
   └─ aten::add                                            20.0 µs  self 14.0 µs
      └─ cudaLaunchKernel                                  6.00 µs
         └─ GPU: vectorized_elementwise_kernel<8, CU…      0.86 µs  began 9.00 µs after its call"""


def test_the_chain_leads_from_the_last_step_to_its_kernels(trace):
    assert dispatch_chain(trace).to_text() == CHAIN


def test_another_step(trace):
    assert re.search(r"^ProfilerStep#2 +200\.0 µs", dispatch_chain(trace, step=0).text(), re.M)


def test_an_annotation_can_be_the_root(trace):
    lines = dispatch_chain(trace, annotation="matmul_add").text().split("\n")
    assert lines[1].startswith("matmul_add ")


def test_html_is_the_same_tree(trace):
    soup = BeautifulSoup(dispatch_chain(trace)._repr_html_(), "html.parser")

    def path(item):
        return [
            parent.find("code").get_text() for parent in reversed(list(item.parents)) if parent.name == "li"
        ]

    kernel = next(item for item in soup.find_all("li") if item.find("code").get_text().startswith("nvjet"))
    assert path(kernel) == ["ProfilerStep#3", "matmul_add", "aten::matmul", "aten::mm", "cuLaunchKernelEx"]
    assert kernel.find(class_="ps-time").get_text() == "1.92\u202fµs"
    assert len(soup.find_all("li")) == 9


def test_what_is_not_there_is_refused_with_what_is(trace):
    with pytest.raises(UsageError, match=r"no annotation 'forward' in ProfilerStep#3; it has matmul_add"):
        dispatch_chain(trace, annotation="forward")
    with pytest.raises(UsageError, match="the trace holds 2"):
        dispatch_chain(trace, step=2)


def test_a_large_step_keeps_its_longest_events_and_counts_the_others(busy_trace):
    view = dispatch_chain(busy_trace)
    told = len(re.findall(r"aten::op|cudaLaunchKernel", view.text()))
    assert told <= MAX_NODES
    assert "further events" in view.text()
    assert len(view._repr_html_()) < 150_000


def test_work_of_the_step_on_other_threads_is_told(busy_trace):
    rows = {int(row) for row in busy_trace.host_rows if busy_trace.lanes[busy_trace.lane_id[row]].tid == 6}
    assert rows
    assert len(re.findall(r"^aten::op", dispatch_chain(busy_trace).text(), re.M)) > 1


def test_a_graph_launch_tells_some_of_its_kernels_and_counts_the_others(make_trace):
    events = [
        ("user_annotation", "ProfilerStep#1", 5, 5, 0.0, 50.0, {}),
        ("cuda_runtime", "cudaGraphLaunch", 5, 5, 5.0, 10.0, {"correlation": 3}),
        *(
            ("kernel", f"k{n}", 0, 7, 20.0 + 10 * n, 8.0, {"device": 0, "stream": 7, "correlation": 3})
            for n in range(40)
        ),
    ]
    text = dispatch_chain(make_trace(events)).text()
    assert text.count("GPU: k") == 6
    assert "34 further GPU events of the same call" in text


def test_a_trace_without_steps_has_a_chain_too(make_trace):
    events = [("cpu_op", "aten::mm", 5, 5, 0.0, 50.0, {}), ("cpu_op", "aten::add", 5, 6, 60.0, 5.0, {})]
    text = dispatch_chain(make_trace(events)).text()
    assert text.startswith("Dispatch chain of the trace\naten::mm ")
    assert "\naten::add " in text
