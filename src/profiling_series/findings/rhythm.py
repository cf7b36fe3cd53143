"""Steps laid over one another: the same GPU events in each, and what one of them does differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.trace.gpu import device_rows, sound_end
from profiling_series.trace.memo import per_trace

if TYPE_CHECKING:
    from profiling_series.trace import Trace

# Three steps cannot say "once": two alike ones are needed on each side of chance.
FEWEST_STEPS = 4
# A gap that occurs once must be worth a look, and stand out by far of the usual one and every other step's.
ODD_NS = 50_000
ODD_TO_USUAL = 10
ODD_TO_SECOND = 4


@dataclass(frozen=True)
class OddGap:
    """A gap between two neighbours of a step that the other steps do not have; times in ns."""

    step: int
    before: int
    after: int
    start: int
    end: int
    usual: float
    others: int


@per_trace
def aligned(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Return (indices of the alike steps, rows of their GPU events as an array of steps × events).

    Alike are the complete steps that launch the same names in the same order on one device; the largest such
    group. Empty arrays where there are fewer than two.
    """
    rows = trace.gpu_rows
    rows = rows[trace.step_index[rows] >= 0]
    if not len(rows) or len(device_rows(trace)) > 1:
        return np.empty(0, np.int64), np.empty((0, 0), np.int64)
    groups: dict[bytes, list[tuple[int, np.ndarray]]] = {}
    index = trace.step_index[rows]
    for number, step in enumerate(trace.steps):
        if step.complete:
            mine = rows[index == number]
            groups.setdefault(trace.name_id[mine].tobytes(), []).append((number, mine))
    best = max(groups.values(), key=len, default=[])
    if len(best) < 2 or not len(best[0][1]):
        return np.empty(0, np.int64), np.empty((0, 0), np.int64)
    return np.array([number for number, _ in best]), np.stack([mine for _, mine in best])


def odd_gap(trace: Trace) -> OddGap | None:
    """Return the longest gap that one step has between two events where the other alike steps have none."""
    numbers, table = aligned(trace)
    if len(numbers) < FEWEST_STEPS or table.shape[1] < 2:
        return None
    until = np.maximum.accumulate(sound_end(trace)[table], axis=1)[:, :-1]
    gaps = np.maximum(trace.ts[table[:, 1:]] - until, 0)
    order = np.sort(gaps, axis=0)
    most, second, usual = order[-1], order[-2], np.median(order[:-1], axis=0)
    odd = (most >= ODD_NS) & (most >= ODD_TO_USUAL * np.maximum(usual, 1)) & (most >= ODD_TO_SECOND * second)
    if not odd.any():
        return None
    place = int(np.argmax(np.where(odd, most, -1)))
    step = int(np.argmax(gaps[:, place]))
    return OddGap(
        step=int(numbers[step]),
        before=int(table[step, place]),
        after=int(table[step, place + 1]),
        start=int(until[step, place]),
        end=int(trace.ts[table[step, place + 1]]),
        usual=float(usual[place]),
        others=len(numbers) - 1,
    )
