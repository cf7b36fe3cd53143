from __future__ import annotations

from pathlib import Path

import pytest

from profiling_series.errors import UsageError
from profiling_series.trace import read
from profiling_series.trace.per_step import Figure, per_step

CASES = Path(__file__).parents[1] / "data" / "cases"


def exactly(value):
    return Figure(value, value, value)


def test_a_compiled_step_has_a_launch_less_and_a_copy_more():
    """Case 83: step 70 to 140, GPU ops 2 to 2, a launch less, a cudaMemcpyAsync more, 620 to 616 us."""
    eager, compiled = per_step(read(CASES / "83-eager.json")), per_step(read(CASES / "83-compiled.json"))
    assert (eager.cpu_us, compiled.cpu_us) == (exactly(70), exactly(140))
    assert eager.gpu_events == compiled.gpu_events == exactly(2)
    assert (eager.kernels, eager.copies, eager.memsets) == (exactly(2), exactly(0), exactly(0))
    assert (compiled.kernels, compiled.copies, compiled.memsets) == (exactly(1), exactly(1), exactly(0))
    assert eager.calls == {"cudaLaunchKernel": exactly(2)}
    assert compiled.calls == {"cudaMemcpyAsync": exactly(1), "cudaLaunchKernel": exactly(1)}
    assert (eager.gpu_sum_us, compiled.gpu_sum_us) == (exactly(620), exactly(616))
    assert (eager.gpu_busy_us, compiled.gpu_busy_us) == (exactly(620), exactly(616))
    assert [work.time_us.median for work in compiled.gpu_work.values()] == [33, 583]


def test_host_rows_carry_self_time_in_order_of_appearance():
    compiled = per_step(read(CASES / "83-compiled.json"))
    names = [name.partition(" fc")[0] for name in compiled.host]
    assert names == [
        "TorchDynamo Cache Lookup",
        "Torch-Compiled Region: 0/0",
        "## Call CompiledFxGraph",
        "aten::addmm",
    ]
    # addmm lasts 60 µs, of which two calls take 6 each; the graph's 80 hold it, the region's 100 the graph's.
    assert [work.time_us.median for work in compiled.host.values()] == [20, 20, 20, 48]


def test_traces_of_different_length_are_alike_in_a_step():
    """Case 84: per step equal, 70 us on the CPU, 620 us and 2 ops on the GPU; totals differ 3 to 5."""
    three, five = per_step(read(CASES / "84-three-steps.json")), per_step(read(CASES / "84-five-steps.json"))
    assert (three.steps, five.steps) == (2, 4)
    assert three.cpu_us == five.cpu_us == exactly(70)
    assert three.gpu_sum_us == five.gpu_sum_us == exactly(620)
    assert three.gpu_work == five.gpu_work
    assert three.calls == five.calls
    assert three.host == five.host


def test_a_graph_is_one_launch_and_every_kernel_of_it():
    graph = per_step(read(CASES / "38-cuda-graph-replay.json"))
    assert graph.calls["cudaGraphLaunch"] == exactly(1)
    assert graph.kernels.median > 1


def test_a_trace_of_the_cpu_alone_tells_nothing_of_a_gpu():
    alone = per_step(read(CASES / "72-cpu-only.json"))
    assert alone.cpu_us.median > 0
    assert (alone.gpu_events, alone.kernels, alone.gpu_sum_us, alone.gpu_work) == (None, None, None, {})


def test_a_step_that_lacks_a_row_counts_as_none_of_it(make):
    events = []
    for number in range(4):
        start = number * 100.0
        events.append(("user_annotation", f"ProfilerStep#{number}", 5, 5, start, 80.0, {}))
        events.append(("cpu_op", "aten::mm", 5, 5, start + 10, 20.0, {}))
        if number == 3:
            events.append(("cpu_op", "aten::rare", 5, 5, start + 40, 30.0, {}))
    rare = per_step(make(events)).host["aten::rare"]
    assert (rare.count, rare.time_us) == (Figure(0, 0, 1), Figure(0, 0, 30))


def test_a_trace_without_steps_is_refused_in_one_line():
    with pytest.raises(UsageError, match=r"56-no-profiler-step\.json holds no complete step") as caught:
        per_step(read(CASES / "56-no-profiler-step.json"))
    assert "\n" not in str(caught.value)


@pytest.fixture
def make(tmp_path):
    import json

    def write(events):
        rows = [
            {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}
            for cat, name, pid, tid, ts, dur, args in events
        ]
        path = tmp_path / "made.json"
        path.write_text(json.dumps({"traceEvents": rows}))
        return read(path)

    return write
