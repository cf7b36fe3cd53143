from __future__ import annotations

import json

import pytest

from profiling_series.errors import CaptureError
from profiling_series.profiler.exported import read_back

# The two layouts of Kineto: torch 2.13 gives every key a line, torch 2.11 puts the first ones on one line.
NEW = """{{
    "ph": "X",
    "cat": "{cat}",
    "name": "{name}",
    "pid": 7,
    "tid": {tid},
    "ts": 1.5
  }}"""
OLD = """{{
    "ph": "X", "cat": "{cat}", "name": "{name}", "pid": 7, "tid": {tid},
    "ts": 1.5
  }}"""
META = '{"name": "process_name", "ph": "M", "ts": 0.0, "pid": "Spans", "tid": 0, "args": {"name": "python"}}'


@pytest.fixture(params=[NEW, OLD], ids=["torch 2.13", "torch 2.11"])
def back(request, tmp_path):
    def of(*events, shown=None, tail='"traceName": "/tmp/x/trace.json"\n}', title="key.json", head=""):
        written = [request.param.format(cat=cat, name=name, tid=tid) for cat, name, tid in events]
        path = tmp_path / "trace.json"
        text = (
            "{" + head + '"schemaVersion": 1, "traceEvents": [' + ",\n".join([META, *written]) + "],\n" + tail
        )
        path.write_text(text, encoding="utf-8")
        return read_back(path, shown=shown or {}, title=title)

    return of


def names(trace):
    return [event["name"] for event in json.loads(trace.data)["traceEvents"] if event["ph"] == "X"]


def test_counts(back):
    trace = back(
        ("cpu_op", "aten::mm", 7),
        ("cpu_op", "aten::add", 7),
        ("kernel", "k", 3),
        ("gpu_memset", "m", 3),
        ("cuda_runtime", "cudaLaunchKernel", 7),
    )
    assert (trace.events, trace.cpu_ops, trace.gpu_events) == (5, 2, 2)
    assert (trace.unknown_regions, trace.silent_threads) == (0, 0)
    assert trace.warnings(gpu_expected=True) == []


def test_the_temporary_path_gives_way_to_the_title(back):
    trace = back(("cpu_op", "aten::mm", 7), title='a "b"\\c.json')
    assert json.loads(trace.data)["traceName"] == 'a "b"\\c.json'


def test_real_names_come_back(back):
    trace = back(
        ("user_annotation", "%C3%A9tape%22", 7),
        ("gpu_user_annotation", "%C3%A9tape%22", 0),
        ("cpu_op", "aten::%C3%A9tape%22", 7),
        shown={"%C3%A9tape%22": 'étape"'},
    )
    assert names(trace) == ['étape"', 'étape"', "aten::%C3%A9tape%22"]


def test_quotes_in_the_callers_own_region_names_are_repaired(back):
    trace = back(
        ("user_annotation", 'say "hello", "pid" and "name": "x"', 7),
        ("user_annotation", 'ends in "', 7),
        ("cpu_op", "aten::mm", 7),
    )
    assert names(trace) == ['say "hello", "pid" and "name": "x"', 'ends in "', "aten::mm"]


def test_what_cannot_be_repaired_is_refused_in_one_line(back):
    with pytest.raises(CaptureError) as caught:
        back(("cpu_op", "aten::mm", 7), head='"note": "he said "x"",')
    assert "not JSON" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nan_is_not_json(back):
    with pytest.raises(CaptureError, match="not JSON"):
        back(("cpu_op", "aten::mm", 7), head='"bandwidth": NaN,')


def test_an_export_that_wrote_nothing_is_noticed(tmp_path):
    with pytest.raises(CaptureError, match="torch wrote no trace"):
        read_back(tmp_path / "missing.json", shown={}, title="")


def test_a_gpu_side_that_is_empty_is_told_only_where_one_was_expected(back):
    trace = back(("cpu_op", "aten::mm", 7), ("cuda_runtime", "cudaLaunchKernel", 7))
    assert trace.warnings(gpu_expected=False) == []
    (line,) = trace.warnings(gpu_expected=True)
    assert "no GPU events" in line
    assert "CUPTI" in line


def test_regions_that_torch_could_not_name_are_counted(back):
    trace = back(
        ("user_annotation", "unknown", 7), ("user_annotation", "unknown", 7), ("cpu_op", "unknown", 7)
    )
    assert trace.unknown_regions == 2
    assert "2 regions are called 'unknown'" in trace.warnings(gpu_expected=False)[0]


def test_threads_that_launch_without_an_op_are_counted(back):
    trace = back(
        ("cpu_op", "aten::mm", 7),
        ("cuda_runtime", "cudaLaunchKernel", 7),
        ("cuda_runtime", "cudaLaunchKernel", 8),
        ("cuda_driver", "cuLaunchKernelEx", 9),
        ("cuda_runtime", "cudaEventQuery", 10),
    )
    assert trace.silent_threads == 2
    assert "2 threads launched GPU work" in trace.warnings(gpu_expected=False)[0]
