"""What several rules need to know of a trace: its window, its ops, who launched what."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.format import rate, short
from profiling_series.measures.climb import nearest, outermost
from profiling_series.trace import categories as c
from profiling_series.trace.gpu import sound_end
from profiling_series.trace.intervals import Intervals, clip, measure, union
from profiling_series.trace.memo import per_trace
from profiling_series.trace.verdict import Window
from profiling_series.trace.verdict import window as verdict_window

if TYPE_CHECKING:
    from profiling_series.trace import Trace


def window(trace: Trace) -> Window | None:
    """Return the window of the verdict, over which everything at stake is counted."""
    return verdict_window(trace)


def steps(trace: Trace) -> tuple[int, ...]:
    """Return the indices of the steps in the window; none where the trace has no steps."""
    over = window(trace)
    return over.steps if over else ()


def in_window(trace: Trace, rows: np.ndarray) -> np.ndarray:
    """Return those rows that belong to the window's steps; without steps all of them."""
    chosen = steps(trace)
    return rows[np.isin(trace.step_index[rows], chosen)] if chosen else rows


def per_step(trace: Trace, total: float) -> float:
    """Return a total of the window divided by its steps."""
    return total / max(len(steps(trace)), 1)


def each(trace: Trace, total: int, noun: str, plural: str | None = None) -> str:
    """Return how many of something there are: ``"2 kernels a step"``, or ``"6 kernels in all"``."""
    return f"{rate(per_step(trace, total), noun, plural)} {'a step' if steps(trace) else 'in all'}"


def length_ns(trace: Trace) -> int:
    """Return the length of the window, ns; 0 where there is none."""
    over = window(trace)
    return over.high - over.low if over else 0


def gpu_rows(trace: Trace) -> np.ndarray:
    """Return the GPU events of the window: launched by its steps; without steps all."""
    return in_window(trace, trace.gpu_rows)


def gpu_ns(trace: Trace, rows: np.ndarray) -> np.ndarray:
    """Return the durations of GPU events, impossible ones clipped, ns."""
    return sound_end(trace)[rows] - trace.ts[rows]


def busy_share(trace: Trace) -> float | None:
    """Return the verdict's ``gpu_busy_share``."""
    share: float | None = trace.verdict["gpu_busy_share"]
    return share


def regime(trace: Trace) -> str:
    """Return the verdict's regime."""
    return str(trace.verdict["regime"])


def name_of(trace: Trace, row: int) -> str:
    """Return an event's name as it fits into a sentence."""
    return short(trace.name(int(row)))


def op_mask(trace: Trace, test: Callable[[str], bool]) -> np.ndarray:
    """Return which events are CPU ops whose name passes the test: bool[n]."""
    return trace.named(test) & (trace.kind == c.OP)


@per_trace
def aten(trace: Trace) -> np.ndarray:
    """Return which events are ops of a library (``aten::mm``, ``nccl:…``), not profiler rows: bool[n]."""
    return op_mask(trace, lambda name: "::" in name and not name.startswith("autograd::"))


def launchers(trace: Trace, gpu: np.ndarray) -> np.ndarray:
    """Return the call that launched each GPU event; -1 where it is not known."""
    return trace.launch_of[gpu].astype(np.int64)


def launching_ops(trace: Trace, gpu: np.ndarray) -> np.ndarray:
    """Return the library op nearest above the launch of each GPU event; -1 for none."""
    return nearest(trace, launchers(trace, gpu), aten(trace))


def outer_ops(trace: Trace, gpu: np.ndarray) -> np.ndarray:
    """Return the outermost library op above the launch of each GPU event; -1 for none."""
    return outermost(trace, launchers(trace, gpu), aten(trace))


def spans(trace: Trace, rows: np.ndarray) -> Intervals:
    """Return the times that the given events cover, clipped to the window."""
    covered = union(trace.ts[rows], sound_end(trace)[rows])
    over = window(trace)
    return clip(covered, over.low, over.high) if over else covered


def covered_us(trace: Trace, rows: np.ndarray) -> float:
    """Return the time in the window that the given events cover, µs."""
    return measure(spans(trace, rows)) / 1000


def longest(trace: Trace, rows: np.ndarray) -> np.ndarray:
    """Return the rows, the longest first."""
    order = np.argsort(-trace.dur[rows], kind="stable")
    ordered: np.ndarray = rows[order]
    return ordered


def common_names(trace: Trace, rows: np.ndarray, most: int = 3) -> list[tuple[str, int]]:
    """Return the names of the given events with their number, the most frequent first."""
    ids, number = np.unique(trace.name_id[rows], return_counts=True)
    order = np.argsort(-number, kind="stable")[:most]
    return [(trace.names[ids[i]], int(number[i])) for i in order]


def whole_window(trace: Trace) -> Intervals:
    """Return the window as intervals; empty where there is none."""
    over = window(trace)
    edges = [(over.low, over.high)] if over else []
    return np.array([e[0] for e in edges], np.int64), np.array([e[1] for e in edges], np.int64)


def copy_rows(trace: Trace) -> np.ndarray:
    """Return the copies of the window, memsets left out."""
    rows = gpu_rows(trace)
    return rows[trace.kind[rows] == c.MEMCPY]


@per_trace
def pageable_uploads(trace: Trace) -> np.ndarray:
    """Return the window's copies from pageable host memory to a device."""
    rows = copy_rows(trace)
    return rows[trace.named(lambda name: "HtoD" in name and "Pageable" in name)[rows]]


def pageable_calls(trace: Trace) -> np.ndarray:
    """Return the calls that launched `pageable_uploads`."""
    calls = launchers(trace, pageable_uploads(trace))
    return calls[calls >= 0]


def copied_bytes(trace: Trace, rows: np.ndarray) -> int | None:
    """Return the bytes that the given copies move in all; None where one of them does not say."""
    size = dict(zip(trace.copy_rows.tolist(), trace.copy_bytes.tolist(), strict=True))
    found = [size.get(int(row)) for row in rows]
    known = [each for each in found if each is not None]
    return sum(known) if len(known) == len(found) else None
