"""Runs of one kernel that should take equal times, and the few that do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.findings import facts
from profiling_series.trace import categories as c

if TYPE_CHECKING:
    from profiling_series.trace import Trace

# Fewer runs have no median to speak of.
FEWEST_RUNS = 5
# Equal kernels lie within 4 % on an H200; more than half again is no noise.
SLOW_FACTOR = 1.5
# Most runs must be alike: else one name stands for several shapes, and other times are to be expected.
ALIKE = 0.10
ALIKE_SHARE = 0.80
# Below it a few hundred nanoseconds make the difference.
LEAST_NS = 10_000


@dataclass(frozen=True)
class Slow:
    """A kernel of which few runs are much slower than all others; times in ns."""

    row: int
    typical: int
    outliers: int
    runs: int
    most: int
    usual: float
    mean: float


def slow_runs(trace: Trace) -> Slow | None:
    """Return the kernel that loses most time to unusually slow runs; None where none does.

    One name may stand for several shapes: a slow run counts only where its grid and block are those of a
    usual one, and where slow runs are rarer than steps.
    """
    rows = facts.gpu_rows(trace)
    rows = rows[trace.kind[rows] == c.KERNEL]
    order = np.argsort(trace.name_id[rows], kind="stable")
    rows = rows[order]
    worst: tuple[float, Slow] | None = None
    for group in np.split(rows, np.flatnonzero(np.diff(trace.name_id[rows])) + 1):
        found = _slow_in(trace, group) if len(group) >= FEWEST_RUNS else None
        if found and (worst is None or found[0] > worst[0]):
            worst = found
    return worst[1] if worst else None


def _slow_in(trace: Trace, group: np.ndarray) -> tuple[float, Slow] | None:
    spent = facts.gpu_ns(trace, group)
    usual = float(np.median(spent))
    slow = spent >= SLOW_FACTOR * usual
    alike = np.abs(spent - usual) <= ALIKE * usual
    if usual < LEAST_NS or not slow.any() or alike.mean() < ALIKE_SHARE:
        return None
    steps = len(facts.steps(trace))
    if steps > 1 and slow.sum() >= steps:
        return None  # every step has one: another shape, not another time
    row, typical = int(group[np.argmax(spent)]), int(group[np.argmin(np.abs(spent - usual))])
    one, other = trace.args_of([row, typical])
    if any(one.get(key) != other.get(key) for key in ("grid", "block")):
        return None
    lost = float((spent[slow] - usual).sum())
    return lost, Slow(row, typical, int(slow.sum()), len(group), int(spent.max()), usual, float(spent.mean()))
