"""Measures of single kernels: the matrix product's, which is the longest of a step, and the addition's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..report.launches import kernel_footprint
from ..report.source import trace_of
from ..trace import categories as c
from ..trace.kernel_names import decode
from .registry import UNTOLD, Measured, measure, median_of

if TYPE_CHECKING:
    from ..trace import Trace


def _gemm_rows(trace: Trace) -> np.ndarray:
    """Return the rows of the kernel that takes most time in the steps: in these workloads, the product."""
    rows = trace.of_kind(c.KERNEL)
    rows = rows[trace.step_index[rows] >= 0]
    if not len(rows):
        return rows
    times = np.bincount(trace.name_id[rows], weights=trace.dur[rows])
    return rows[trace.name_id[rows] == int(np.argmax(times))]


def _path(trace: Trace, row: int) -> list[str]:
    """Return the names that lead to a GPU event, the step left out: annotation, ops, and last the call."""
    call = int(trace.launch_of[row])
    if call < 0:
        return []
    names = [trace.name(at) for at in [*trace.ancestors(call), call]]
    return [name for name in names if not c.STEP.match(name)]


def _last(trace: Trace) -> list[str]:
    """Return the path to the last of the product's kernels."""
    rows = _gemm_rows(trace)
    return _path(trace, int(rows[-1])) if len(rows) else []


@measure
def _gemm_us(x: Any) -> Measured:
    """Return how long the product's kernel runs, µs."""
    trace = trace_of(x)
    return median_of([float(value) / 1000 for value in trace.dur[_gemm_rows(trace)]])


@measure
def _gemm_tflops(x: Any) -> Measured:
    """Return the rate of the product's kernel, TFLOP/s: the workload's FLOPs over its median time."""
    time = _gemm_us(x).value
    flops = getattr(getattr(x, "workload", None), "flops", lambda: None)()
    if not isinstance(time, float) or not flops or not time:
        return UNTOLD
    return Measured(flops / time / 1e6)


@measure
def _gemm_chain(x: Any) -> Measured:
    """Return what leads from the annotation to the launch of the product, the call itself left out."""
    path = _last(trace_of(x))
    return Measured(" → ".join(path[:-1])) if len(path) > 1 else UNTOLD


@measure
def _gemm_op(x: Any) -> Measured:
    """Return the op that launches the product."""
    path = _last(trace_of(x))
    return Measured(path[-2]) if len(path) > 1 else UNTOLD


@measure
def _gemm_call(x: Any) -> Measured:
    """Return the runtime or driver call that launches the product."""
    path = _last(trace_of(x))
    return Measured(path[-1]) if path else UNTOLD


def _arg(trace: Trace, rows: np.ndarray, key: str) -> Measured:
    """Return a number among the arguments of the last of some events."""
    value = trace.args(int(rows[-1])).get(key) if len(rows) else None
    return Measured(float(value)) if isinstance(value, int | float) else UNTOLD


def _add_rows(trace: Trace) -> np.ndarray:
    """Return the kernels that an addition launched."""
    rows = trace.of_kind(c.KERNEL)
    return rows[[_path(trace, int(row))[-2:-1] == ["aten::add"] for row in rows]] if len(rows) else rows


@measure
def _gemm_registers(x: Any) -> Measured:
    """Return the registers of a thread of the product's kernel."""
    return _arg(trace_of(x), _gemm_rows(trace_of(x)), "registers per thread")


@measure
def _gemm_shared_memory_bytes(x: Any) -> Measured:
    """Return the shared memory of a block of the product's kernel, bytes."""
    return _arg(trace_of(x), _gemm_rows(trace_of(x)), "shared memory")


@measure
def _gemm_occupancy_percent(x: Any) -> Measured:
    """Return the warps of the product's kernel that fit on an SM, % of those that it can hold."""
    trace = trace_of(x)
    rows = _gemm_rows(trace)
    return Measured(kernel_footprint(trace, int(rows[-1])).occupancy_percent) if len(rows) else UNTOLD


@measure
def _gemm_tensor_cores(x: Any) -> Measured:
    """Return ``"yes"`` or ``"no"``: whether the product's kernel uses tensor cores, as its name says."""
    trace = trace_of(x)
    rows = _gemm_rows(trace)
    uses = decode(trace.name(int(rows[-1]))).tensor_cores if len(rows) else None
    return UNTOLD if uses is None else Measured("yes" if uses else "no")


@measure
def _add_registers(x: Any) -> Measured:
    """Return the registers of a thread of the addition's kernel."""
    return _arg(trace_of(x), _add_rows(trace_of(x)), "registers per thread")


@measure
def _add_shared_memory_bytes(x: Any) -> Measured:
    """Return the shared memory of a block of the addition's kernel, bytes."""
    return _arg(trace_of(x), _add_rows(trace_of(x)), "shared memory")
