"""What every test may rely on: no GPU test without a GPU, and no setting of the caller's decides a source."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings

from profiling_series.trace import read
from profiling_series.workloads import MatmulAdd

DATA = Path(__file__).parent / "data" / "report"

# How long an example takes says something about the machine, not about the code.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")

for name in [name for name in os.environ if name.startswith("PROFILING_SERIES_")]:
    del os.environ[name]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests that need a CUDA device where there is none, and say so."""
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if not marked or _cuda():
        return
    for item in marked:
        item.add_marker(pytest.mark.skip(reason="needs a CUDA device"))


def _cuda() -> bool:
    import torch

    return torch.cuda.is_available()


@pytest.fixture
def capture():
    """Two steps, 200 and 100 µs; a product of 1.92 µs and an addition of 0.864 µs in each."""
    return SimpleNamespace(
        trace=read(DATA / "two_steps.json"),
        table=(DATA / "two_steps.txt").read_text(),
        source_line="recorded on Test GPU, torch 2.99.0, 2026-11-29",
        key="01_matmul_add/64_bf16_cold_eager",
        workload=MatmulAdd(size=64),
        warnings=(),
    )
