"""What the Trace object gives to people's own analysis; values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from profiling_series.trace import Event, Lane, Step, Trace
from profiling_series.trace.frame_export import columns

from .build import LAYOUTS, annotation, call, event, kernel, memcpy, op, overhead, read_events, step

EVENTS = [
    step(1, 100, 200),
    op("aten::linear", 110, 60),
    op("aten::mm", 120, 30),
    call(130, 5, 7),
    kernel(150, 40, 7, stream=9),
    call(180, 2, 8, "cudaMemcpyAsync"),
    memcpy(200, 10, 8, bytes=64, device=1, pid=1),
    annotation("loss", 250, 10),
    overhead(260, 3),
    event("cuda_sync", "Stream Sync", 205, 5, pid=0, tid=-1),
]


@pytest.fixture(params=LAYOUTS)
def trace(tmp_path, request) -> Trace:
    return read_events(tmp_path, *EVENTS, layout=request.param, base=1_000_000)


def names(trace: Trace, rows) -> list[str]:
    return [trace.name(row) for row in rows]


def test_columns(trace):
    assert len(trace) == len(trace.ts) == len(EVENTS)
    assert trace.ts.tolist() == sorted(1000 * (e["ts"] - 100) for e in EVENTS)
    assert trace.base_ns == 1_000_100_000
    assert [trace.names[i] for i in trace.name_id.tolist()] == names(trace, range(len(trace)))
    assert trace.cats[trace.cat_id[0]] == "user_annotation"
    assert trace.lanes[trace.lane_id[0]] == Lane(100, 100, "")
    assert np.array_equal(trace.end, trace.ts + trace.dur)
    assert sorted(trace.correlation.tolist()) == [-1] * 6 + [7, 7, 8, 8]


def test_an_event(trace):
    row = trace.gpu_rows[0]
    assert trace.event(row) == Event(int(row), "gemm", "kernel", 0, 9, 1_000_150.0, 40.0)
    assert trace.event(row).end_us == 1_000_190.0
    assert trace.rel_us(row) == 50.0
    assert trace.us(trace.ts[row]) == 1_000_150.0
    assert trace.args(row) == {"device": 0, "stream": 9, "correlation": 7}
    assert (trace.device_of(row), trace.stream_of(row)) == (0, 9)


def test_rows(trace):
    assert names(trace, trace.rows(cat="cpu_op")) == ["aten::linear", "aten::mm"]
    assert names(trace, trace.rows(cat=("kernel", "gpu_memcpy"))) == names(trace, trace.gpu_rows)
    assert names(trace, trace.rows(name="aten::mm")) == ["aten::mm"]
    assert names(trace, trace.rows(prefix="aten::")) == ["aten::linear", "aten::mm"]
    assert names(trace, trace.rows(prefix="aten::", name="aten::mm")) == ["aten::mm"]
    assert names(trace, trace.rows(prefix="aten::", within=(10_000, 20_000))) == ["aten::linear"]
    assert names(trace, trace.rows(within=(20_000, 30_001))) == ["aten::mm", "cudaLaunchKernel"]
    assert trace.rows(name="nothing").tolist() == trace.rows(cat="nothing").tolist() == []


def test_rows_of_each_kind(trace):
    assert names(trace, trace.op_rows) == ["aten::linear", "aten::mm"]
    assert names(trace, trace.call_rows) == ["cudaLaunchKernel", "cudaMemcpyAsync"]
    assert names(trace, trace.annotation_rows) == ["ProfilerStep#1", "loss"]
    assert names(trace, trace.overhead_rows) == ["Activity Buffer Request"]
    assert names(trace, trace.sync_rows) == ["Stream Sync"]


def test_links(trace):
    launch, copy = trace.call_rows
    kernel_row, copy_row = trace.gpu_rows
    assert trace.launch_of[kernel_row] == launch
    assert trace.launch_of[copy_row] == copy
    assert trace.launch_of[launch] == -1
    assert trace.gpu_of(launch).tolist() == [kernel_row]
    assert names(trace, trace.ancestors(launch)) == ["ProfilerStep#1", "aten::linear", "aten::mm"]
    assert trace.parent[kernel_row] == -1
    assert trace.step_index[[launch, kernel_row, copy_row]].tolist() == [0, 0, 0]
    assert isinstance(trace.steps[0], Step)
    assert (trace.steps[0].number, trace.steps[0].row) == (1, 0)


def test_pieces_of_the_reading(trace):
    found = trace.as_dict()
    assert found is trace.as_dict()
    for key in ("verdict", "devices", "launches", "kernels", "copies", "ops", "annotations"):
        assert getattr(trace, key) == found[key]
    assert "10 events, 2 on GPUs, 1 steps" in repr(trace)


def test_columns_of_data_frames(trace):
    """What ``to_pandas`` and ``to_polars`` hold."""
    found = columns(trace)
    at = found["name"].tolist().index("gemm")
    assert {
        key: found[key][at] for key in ("cat", "pid", "tid", "ts_us", "dur_us", "correlation", "step")
    } == {
        "cat": "kernel",
        "pid": 0,
        "tid": 9,
        "ts_us": 50.0,
        "dur_us": 40.0,
        "correlation": 7,
        "step": 0,
    }
    assert found["name"][found["launch"][at]] == "cudaLaunchKernel"
    assert found["name"][found["parent"][found["launch"][at]]] == "aten::mm"
    assert {len(column) for column in found.values()} == {len(trace)}


def test_a_trace_without_events(tmp_path):
    trace = read_events(tmp_path)
    assert len(trace) == 0
    assert trace.rows(name="x").tolist() == trace.gpu_rows.tolist() == []
    assert trace.steps == ()
    assert trace.step_index.tolist() == trace.parent.tolist() == trace.launch_of.tolist() == []
