"""Kernels that were launched and never recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import categories as c
from .links import captured, inner_calls
from .memo import per_trace

if TYPE_CHECKING:
    from .model import Trace


@per_trace
def launch_calls(trace: Trace) -> np.ndarray:
    """Rows of the launch calls: joined to a GPU event, or with the name of a launch, a copy or a memset.

    A driver call inside the runtime call of the same correlation is no launch of its own.
    """
    calls = trace.call_rows
    joined = np.zeros(len(trace), bool)
    named = trace.named(c.is_launch, calls)
    named[np.searchsorted(calls, inner_calls(trace))] = False
    launched = trace.launch_of[trace.gpu_rows]
    joined[launched[launched >= 0]] = True
    return calls[joined[calls] | named]


@per_trace
def without_gpu_event(trace: Trace) -> np.ndarray:
    """Rows of the launch calls that no GPU event belongs to."""
    calls = launch_calls(trace)
    launched = np.zeros(len(trace), bool)
    owner = trace.launch_of[trace.gpu_rows]
    launched[owner[owner >= 0]] = True
    return calls[~launched[calls]]


@per_trace
def lost_launches(trace: Trace) -> np.ndarray:
    """Rows of the kernel launches without a GPU event, outside stream capture.

    Copies and memsets are left out: their records are missing in healthy traces too. So are calls that carry
    no correlation, and all calls where no GPU event carries one: nothing can be joined there.
    """
    if not np.any(trace.correlation[trace.gpu_rows] >= 0):
        return np.empty(0, np.int64)
    rows = without_gpu_event(trace)
    rows = rows[trace.named(c.launches_kernel, rows) & (trace.correlation[rows] >= 0)]
    rows = rows[~np.isin(rows, captured(trace))]
    if len(rows):
        # A driver call inside a runtime call may have a number of its own: the outer's holds the work then.
        above = trace.parent[rows]
        rows = rows[(above < 0) | ~np.isin(above, trace.launch_of[trace.gpu_rows])]
    return rows
