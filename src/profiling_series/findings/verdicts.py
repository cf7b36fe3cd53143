"""Rules that say which side a run waits for: the verdict in the cheat sheet's words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from profiling_series.findings import facts, idle
from profiling_series.findings.model import Says, rule
from profiling_series.format import sentence, share, us

if TYPE_CHECKING:
    from profiling_series.trace import Trace

# A hot spot is a row with at least half of the GPU's time: no other row, nor all others, weigh more.
HOTSPOT_SHARE = 0.50
# Below this, the GPU is not what a run waits for, and making a kernel faster gains nothing.
GPU_MATTERS_SHARE = 0.50

_ANYWHERE = (
    "any GPU, any torch; profiled times include the profiler's own cost, which makes small work look slower"
)


def _confidence(trace: Trace) -> str:
    """Return "sure" over steady steps; over a mere span of GPU events, or a single step, "likely"."""
    return "sure" if len(facts.steps(trace)) > 1 else "likely"


@rule(
    "overhead-bound",
    "Overhead-bound: the GPU waits for the CPU",
    section="verdict",
    sees="Self CPU time far above self CUDA time; more gaps than kernels on the GPU lane",
    means="the work of each launch is smaller than what it costs Python, the dispatcher and the driver to "
    "launch it",
    do="give each launch more to do: a larger batch, fused ops (torch.compile), CUDA graphs, fewer and "
    "larger calls; a faster kernel gains nothing here",
    holds_for=_ANYWHERE,
    lesson="part1-02",
)
def overhead_bound(trace: Trace) -> Iterator[Says]:
    """At stake: the idle time of the window that waited for the host."""
    if facts.regime(trace) != "overhead-bound":
        return
    events = facts.each(trace, len(facts.gpu_rows(trace)), "GPU event")
    waited, length = idle.host_us(trace), facts.length_ns(trace) / 1000
    yield Says(
        sentence(
            f"{trace.verdict['because']}: {us(waited)} of {us(length)} waiting for the CPU, with {events}"
        ),
        rows=idle.largest_enders(trace),
        at_stake_us=waited,
        confidence=_confidence(trace),
    )


@rule(
    "gpu-bound",
    "GPU-bound: the GPU is kept busy",
    section="verdict",
    sees="self CPU and self CUDA time of one size, both in ms; no gap on the GPU lane",
    means="the CPU launches faster than the GPU works (often called compute-bound, though memory may "
    "as well be what limits it)",
    do="look at the kernels: the longest rows, their data types, copies among them; CPU time is hidden "
    "behind them",
    holds_for=_ANYWHERE,
    lesson="part1-02",
)
def gpu_bound(trace: Trace) -> Iterator[Says]:
    """Nothing is at stake: there is no idle time to speak of."""
    if facts.regime(trace) != "gpu-bound":
        return
    rows = facts.gpu_rows(trace)
    limit = trace.verdict["gpu_limit"]
    limited = f" What limits the GPU: {limit}." if limit else ""
    yield Says(
        f"{sentence(trace.verdict['because'])}{limited}",
        rows=facts.longest(trace, rows)[:3],
        confidence=_confidence(trace),
    )


@rule(
    "mixed",
    "Neither side waits for long",
    section="verdict",
    sees="kernels and gaps take turns on the GPU lane",
    means="some stretches keep the GPU busy, others leave it waiting",
    do="find the stretches that wait: the findings about idle time name them; then judge by those",
    holds_for=_ANYWHERE,
    lesson="part1-02",
)
def mixed(trace: Trace) -> Iterator[Says]:
    """At stake: the idle time of the window that waited for the host."""
    if facts.regime(trace) != "mixed":
        return
    waited, queued = idle.host_us(trace), idle.queued_us(trace)
    yield Says(
        sentence(
            f"{trace.verdict['because']}; {us(waited)} of its idle time waited for the CPU, during "
            f"{us(queued)} work had been launched"
        ),
        rows=idle.largest_enders(trace),
        at_stake_us=waited,
        confidence=_confidence(trace),
    )


@rule(
    "input-bound",
    "Input-bound: the GPU waits for data",
    section="verdict",
    sees="rows of a DataLoader's __next__ while the GPU lane is empty",
    means="loading and preparing the next batch takes longer than working on it",
    do="more loader workers, prefetching, cheaper or earlier preparation; see input-starved for the calls",
    holds_for="loaders that record themselves: torch's DataLoader, or an annotation with dataloader in its "
    "name",
)
def input_bound(trace: Trace) -> Iterator[Says]:
    """At stake: the idle time of the window that waited for the host."""
    if facts.regime(trace) != "input-bound":
        return
    yield Says(
        sentence(trace.verdict["because"]),
        rows=idle.largest_enders(trace),
        at_stake_us=idle.host_us(trace),
        confidence=_confidence(trace),
    )


@rule(
    "comm-bound",
    "Communication-bound: the GPU works for the others",
    section="verdict",
    sees="collectives fill the GPU lane with no kernel beside them",
    means="ranks exchange data, or wait for the slowest rank, for at least half of the time in which the GPU "
    "is busy",
    do="overlap (bucketing, prefetch), send less, or look for the slow rank: a collective that waits looks "
    "busy",
    holds_for="NCCL, RCCL and DeepEP kernels by name; one rank's trace cannot tell sending from waiting",
)
def comm_bound(trace: Trace) -> Iterator[Says]:
    """Nothing at stake here: comm-exposed counts it."""
    if facts.regime(trace) != "comm-bound":
        return
    yield Says(sentence(trace.verdict["because"]), confidence=_confidence(trace))


@rule(
    "hotspot",
    "One kernel takes most of the GPU's time",
    section="table",
    sees="one row of the table dominates the CUDA total",
    means="the place where a faster kernel, another data type or less work pays",
    do="read its name and shapes; compare what it achieves with what the GPU can",
    holds_for="runs that keep the GPU busy at least half of the time; otherwise the GPU is not what one "
    "waits for",
    lesson="part1-02",
)
def hotspot(trace: Trace) -> Iterator[Says]:
    """Nothing at stake: how much faster it could be, a trace cannot tell."""
    busy = facts.busy_share(trace)
    rows = facts.gpu_rows(trace)
    if busy is None or busy < GPU_MATTERS_SHARE or not len(rows):
        return
    spent = facts.gpu_ns(trace, rows)
    totals: dict[int, int] = {}
    for name, ns in zip(trace.name_id[rows].tolist(), spent.tolist(), strict=True):
        totals[name] = totals.get(name, 0) + ns
    name = max(totals, key=lambda key: totals[key])
    part = totals[name] / max(sum(totals.values()), 1)
    if len(totals) < 2 or part < HOTSPOT_SHARE:
        return
    same = rows[trace.name_id[rows] == name]
    yield Says(
        f"{facts.name_of(trace, same[0])} takes {us(totals[name] / 1000)} in {len(same):,} runs: "
        f"{share(part)} of the GPU's time in the window, of {len(totals):,} different kernels and copies.",
        rows=facts.longest(trace, same)[:3],
    )
