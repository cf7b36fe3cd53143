"""A capture whose answers are known: the same hand-made trace and table as the report's tests."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from profiling_series.trace import read
from profiling_series.workloads import MatmulAdd

DATA = Path(__file__).parents[1] / "data" / "report"


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
