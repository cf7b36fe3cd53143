"""Captures on a real GPU (`nox -s tests-gpu`)."""

from __future__ import annotations

import pytest

from profiling_series import MatmulAdd, UsageError, capture, record_callable
from profiling_series.workloads import memory

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def captured():
    return capture(MatmulAdd(64), warm=False)


def test_auto_is_the_gpu_and_names_it(captured):
    import torch

    facts = captured.provenance.machine
    assert captured.source_line.startswith(f"live on {torch.cuda.get_device_name()}, torch ")
    assert (facts.device, facts.cuda) == ("cuda", torch.version.cuda)
    assert facts.driver
    assert facts.driver[0].isdigit()
    assert captured.warnings == ()


def test_each_step_has_its_gpu_events(captured):
    steps = captured.trace.steps
    assert [step.name for step in steps] == ["ProfilerStep#2", "ProfilerStep#3", "ProfilerStep#4"]
    assert all(step.gpu_events >= 2 for step in steps)
    assert len({step.gpu_events for step in steps}) == 1


def test_the_table_is_sorted_by_device_time(captured):
    lines = captured.table.splitlines()
    head = [column.strip() for column in lines[1].split("  ") if column.strip()]
    assert "Self CUDA" in head
    # The annotation's row on the GPU, which spans its kernels, comes first.
    assert lines[3].split()[0] == "matmul_add"


def test_a_size_that_cannot_fit_is_refused_before_allocation():
    size = int((memory.free_bytes("cuda") / 4) ** 0.5)  # 5 · size² · 4 bytes: a quarter more than there is
    with pytest.raises(UsageError, match=r"on cuda, where .* are free; choose a smaller size"):
        capture(MatmulAdd(size, "fp32"), source="cuda")


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_compiled(mode):
    compiled = capture(MatmulAdd(64), compile=mode)
    assert compiled.warnings == ()
    assert all(step.gpu_events for step in compiled.trace.steps)


def test_a_function_of_ones_own(tmp_path):
    import torch

    x = torch.randn(64, 64, device="cuda")
    mine = record_callable(lambda: x @ x, "mine", out=tmp_path)
    assert mine.provenance.machine.device == "cuda"
    assert mine.warnings == ()
    assert all(step.gpu_events >= 1 for step in mine.trace.steps)


def test_the_last_kernels_of_a_second_gpu_are_waited_for(tmp_path):
    import torch

    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    x = torch.randn(8192, 8192, device="cuda:1")

    def work():
        return x @ x @ x

    other = record_callable(work, "second", out=tmp_path)
    assert all(step.gpu_events >= 2 for step in other.trace.steps)
