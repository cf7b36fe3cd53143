"""What one step holds, as figures that can be set beside those of another trace: never a total."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import UsageError
from . import categories as c
from .gpu import sound_end
from .host import self_times
from .losses import launch_calls
from .memo import per_trace
from .pace import pace, steady

if TYPE_CHECKING:
    from .model import Trace


@dataclass(frozen=True)
class Figure:
    """One figure of the steady steps: their median, and the least and greatest of them."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Work:
    """One name's part of a step: how often it came, and the time of all of them in a step, µs."""

    count: Figure
    time_us: Figure


@dataclass(frozen=True)
class PerStep:
    """The steady steps of a trace (see `profiling_series.trace.pace.steady`); times in µs.

    Attributes
    ----------
    steps : int
        How many steps the figures are of.
    cpu_us : Figure
        A step's duration, which is the CPU's side only.
    pace_us : float or None
        What a step costs in a run.
    gpu_events, kernels, copies, memsets : Figure or None
        Pieces of GPU work that a step launches; None where the trace holds none.
    gpu_sum_us, gpu_busy_us : Figure or None
        Their time, added up and as a union.
    calls : dict of str to Figure
        How often a step makes each launch call, by its name.
    gpu_work : dict of str to Work
        Each kernel, copy and memset by name, in the order in which a step launches them.
    host : dict of str to Work
        Each op and annotation by name, in order of appearance; its time is self time.
    """

    steps: int
    cpu_us: Figure
    pace_us: float | None
    gpu_events: Figure | None
    kernels: Figure | None
    copies: Figure | None
    memsets: Figure | None
    gpu_sum_us: Figure | None
    gpu_busy_us: Figure | None
    calls: dict[str, Figure]
    gpu_work: dict[str, Work]
    host: dict[str, Work]


@per_trace
def per_step(trace: Trace) -> PerStep:
    """Return what a steady step of a trace holds.

    GPU work is that which a step launched, whenever it ran. A graph's kernels are counted one by one, its
    launch once.

    Parameters
    ----------
    trace : Trace
        A trace with steps.

    Raises
    ------
    UsageError
        It has no complete step.
    """
    chosen = steady(trace)
    if not chosen:
        raise UsageError(
            f"{trace.file} holds no complete step: call prof.step() once an iteration, or compare the traces "
            "by eye with timeline(trace)"
        )
    steps = [trace.steps[at] for at in chosen]
    known = all(step.gpu_events is not None for step in steps)
    return PerStep(
        steps=len(steps),
        cpu_us=_figure(np.array([step.dur_us for step in steps])),
        pace_us=pace(trace),
        gpu_events=_kind(trace, chosen, *c.GPU_KINDS) if known else None,
        kernels=_kind(trace, chosen, c.KERNEL) if known else None,
        copies=_kind(trace, chosen, c.MEMCPY) if known else None,
        memsets=_kind(trace, chosen, c.MEMSET) if known else None,
        gpu_sum_us=_figure(np.array([step.gpu_sum_us for step in steps])) if known else None,
        gpu_busy_us=_figure(np.array([step.gpu_busy_us for step in steps])) if known else None,
        calls={name: work.count for name, work in _by_name(trace, chosen, launch_calls(trace)).items()},
        gpu_work=_gpu_work(trace, chosen) if known else {},
        host=_host(trace, chosen),
    )


def _figure(values: np.ndarray) -> Figure:
    return Figure(float(np.median(values)), float(values.min()), float(values.max()))


def _kind(trace: Trace, chosen: list[int], *kinds: int) -> Figure:
    """Return how many GPU events of some kinds a step launches."""
    count, _ = _in_steps(trace, chosen, trace.of_kind(*kinds))
    return _figure(count)


def _gpu_work(trace: Trace, chosen: list[int]) -> dict[str, Work]:
    rows = trace.gpu_rows
    rows = rows[trace.launch_of[rows] >= 0]
    launched = rows[np.lexsort((trace.ts[rows], trace.ts[trace.launch_of[rows]]))]
    return _by_name(trace, chosen, launched, lambda rows: sound_end(trace)[rows] - trace.ts[rows])


def _host(trace: Trace, chosen: list[int]) -> dict[str, Work]:
    rows = trace.host_rows
    own = np.zeros(len(trace), np.int64)
    own[rows] = self_times(trace)
    named = rows[(trace.kind[rows] != c.CALL) & ~np.isin(rows, trace.step_table.rows)]
    return _by_name(trace, chosen, named, lambda rows: own[rows])


def _by_name(
    trace: Trace,
    chosen: list[int],
    rows: np.ndarray,
    time: Callable[[np.ndarray], np.ndarray] | None = None,
) -> dict[str, Work]:
    """Return count and time of each name in a step, in the order of the rows; steps without it count 0."""
    rows = rows[np.isin(trace.step_index[rows], chosen)]
    ids = trace.name_id[rows]
    found = {}
    for name_id in dict.fromkeys(ids.tolist()):
        mine = rows[ids == name_id]
        count, spent = _in_steps(trace, chosen, mine, time)
        found[trace.names[name_id]] = Work(_figure(count), _figure(spent / 1000))
    return found


def _in_steps(
    trace: Trace,
    chosen: list[int],
    rows: np.ndarray,
    time: Callable[[np.ndarray], np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return how many of the rows belong to each chosen step, and how long they take, ns."""
    inside = rows[trace.step_index[rows] >= 0]
    step, size = trace.step_index[inside], len(trace.steps)
    spent = np.bincount(step, weights=time(inside) if time else None, minlength=size)
    return np.bincount(step, minlength=size)[chosen], spent[chosen]
