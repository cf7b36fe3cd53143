"""Rules about collectives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.findings import facts
from profiling_series.findings.model import Says, rule
from profiling_series.format import count, share, us
from profiling_series.trace import categories as c
from profiling_series.trace.gpu import busy, device_rows
from profiling_series.trace.intervals import intersect, measure, subtract

if TYPE_CHECKING:
    from profiling_series.trace import Trace

# Of the window: less does not pay for the work of overlapping it.
EXPOSED_SHARE = 0.05


@rule(
    "comm-exposed",
    "Communication that nothing overlaps",
    section="gpu lane",
    sees="a collective on the GPU lane with no kernel of another stream beside it",
    means="ranks exchange data, or wait for the slowest rank, while no computation runs",
    do="overlap it (bucket sizes, prefetch, async ops), send less, or find the slow rank",
    holds_for="NCCL, RCCL and DeepEP kernels by name; one rank's trace cannot tell sending from waiting",
)
def comm_exposed(trace: Trace) -> Iterator[Says]:
    """At stake: the time in the window in which only communication runs, where it is at least 5 % of it."""
    alone, found = 0, []
    for rows in device_rows(trace).values():
        mine = trace.named(c.COMMUNICATION.search, rows)
        if mine.any():
            only = subtract(busy(trace, rows[mine]), busy(trace, rows[~mine]))
            alone += measure(intersect(only, facts.whole_window(trace)))
            found.append(rows[mine])
    length = facts.length_ns(trace) * max(len(device_rows(trace)), 1)
    if not found or not length or alone < EXPOSED_SHARE * length:
        return
    rows = np.concatenate(found)
    worst = facts.longest(trace, rows)
    yield Says(
        f"{count(len(rows), 'collective')} ({facts.name_of(trace, worst[0])} the longest): during "
        f"{us(alone / 1000)}, {share(alone / length)} of the window, nothing else runs.",
        rows=worst[:3],
        at_stake_us=alone / 1000,
    )
