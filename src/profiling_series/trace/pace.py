"""What a step costs in a run: the steady steps, their pace, and whether they have settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import categories as c
from .gpu import sound_end
from .memo import per_trace

if TYPE_CHECKING:
    from .model import Trace

SETTLED_CHANGE = 0.10  # the last steps may differ by this much from those before


@per_trace
def steady(trace: Trace) -> list[int]:
    """Indices of the complete steps less the first of each unbroken run; a lone step stays.

    Steps that hold a compilation are left out where others remain: compiling is not what a step costs.
    """
    whole = [i for i, s in enumerate(trace.steps) if s.complete]
    first: dict[int, int] = {}
    for i, step in enumerate(trace.steps):
        if not step.empty:
            first.setdefault(step.run, i)
    later = [i for i in whole if i != first[trace.steps[i].run]]
    compiling = set(steps_with_compilation(trace))
    calm = [i for i in (later or whole) if i not in compiling]
    if calm:
        return calm
    # With two steps of which the second compiles, the first is all that there is to measure.
    return [i for i in whole if i not in compiling] or later or whole


def steps_with_compilation(trace: Trace) -> list[int]:
    """Indices of the steps in which torch.compile compiled something."""
    host = trace.host_rows
    compiling = trace.named(
        lambda n: (
            "_compile.compile_inner" in n
            or "OutputGraph.call_user_compiler" in n
            or n.startswith("CachingAutotuner.benchmark_all_configs")
        ),
        host,
    )
    found = trace.step_index[host[compiling & (trace.kind[host] != c.CALL)]]
    return sorted({int(i) for i in found if i >= 0})


def pace(trace: Trace, chosen: list[int] | None = None) -> float | None:
    """Cost of a step in a run, µs: the larger median of start-to-start and of GPU end-to-end times.

    Both are taken over the steady steps, or over those `chosen` by index; None where no two steps follow
    each other.
    """
    chosen = steady(trace) if chosen is None else chosen
    periods = [p for i in chosen if (p := trace.steps[i].period_us) is not None]
    ends, before = _gpu_ends(trace), _steps_before(trace)
    pairs = [(before[i], i) for i in chosen if before[i] in ends and i in ends]
    # The time from one end to the next holds some of what either step costs, so both should be steady.
    steady_too = set(chosen)
    among = [(a, b) for a, b in pairs if a in steady_too]
    between = [ends[b] - ends[a] for a, b in (among if among or periods else pairs)]
    candidates = [float(np.median(periods))] if periods else []
    if between:
        candidates.append(float(np.median(between)) / 1000)
    return max(candidates) if candidates else None


def _steps_before(trace: Trace) -> list[int]:
    """Index of the step before each in its run, -1 for the first."""
    found, last = [], dict[int, int]()
    for i, step in enumerate(trace.steps):
        found.append(last.get(step.run, -1))
        last[step.run] = i
    return found


def _gpu_ends(trace: Trace) -> dict[int, int]:
    """End of the last GPU event launched in each step that has one, nanoseconds."""
    rows = trace.gpu_rows
    step = trace.step_index[rows]
    last = np.full(len(trace.steps), np.iinfo(np.int64).min)
    np.maximum.at(last, step[step >= 0], sound_end(trace)[rows][step >= 0])
    return {i: int(t) for i, t in enumerate(last) if t > np.iinfo(np.int64).min}


def settled(trace: Trace) -> bool | None:
    """Whether the last steps differ little from those before them; None with fewer than two steady steps.

    The median duration of the last (up to three) steady steps against that of as many before them.
    """
    durations = [trace.steps[i].dur_us for i in steady(trace)]
    k = min(3, len(durations) // 2)
    if not k:
        return None
    last, before = np.median(durations[-k:]), np.median(durations[-2 * k : -k])
    return bool(abs(last - before) <= SETTLED_CHANGE * before)
