"""Rules about the first steps of a recording, and whether later ones have settled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.findings import facts
from profiling_series.findings.model import Says, rule
from profiling_series.format import count, ns, share, short, times, us
from profiling_series.trace import categories as c
from profiling_series.trace.host import dead_windows, self_times
from profiling_series.trace.pace import SETTLED_CHANGE, steady, steps_with_compilation

if TYPE_CHECKING:
    from profiling_series.trace import Trace

# On an H200 the profiler's own first step took two to three times the third after the code was warm (five
# processes); a cold process took 3.1 and 3.2 times, and on an A100 over six.
PROFILER_RATIO = 1.5
COLD_RATIO = 3.0
# Shorter than a few launches, a difference is noise.
LEAST_NS = 50_000
# A usual dead window is 5 to 10 µs, two Python calls; the cold one 31 µs on an H200 and 228 µs on an A100.
DEAD_NS = 20_000
DEAD_RATIO = 3.0
# What takes less of the first step does not explain it; an op with less is not worth its name.
LARGE_SHARE = 0.25
SMALL_SHARE = 0.05
MOST_OPS = 3


@dataclass(frozen=True)
class _First:
    """The first step of a recording against the steady ones; times in ns, profiler overheads taken out."""

    row: int
    name: str
    took: int
    overhead: int
    usual: float
    steady: int
    signs: np.ndarray

    @property
    def ratio(self) -> float:
        return self.took / max(self.usual, 1)


def _first_step(trace: Trace) -> _First | None:
    """Return the first complete step and what is known of its start; None without steady steps to compare."""
    whole = [i for i, step in enumerate(trace.steps) if not step.empty]
    if not whole or whole[0] in steps_with_compilation(trace):
        return None
    others = [i for i in steady(trace) if i != whole[0]]
    if not others:
        return None
    step = trace.steps[whole[0]]
    # An overhead that covers the others as well is not what sets the first step apart.
    overhead = round(
        1000 * max(step.overhead_us - float(np.median([trace.steps[i].overhead_us for i in others])), 0)
    )
    usual = float(np.median([1000 * trace.steps[i].dur_us for i in others]))
    took = int(trace.dur[step.row]) - overhead
    return _First(step.row, step.name, took, overhead, usual, len(others), _signs(trace, step.row))


def _signs(trace: Trace, step: int) -> np.ndarray:
    """Return what in a step shows that something ran for the first time: modules loaded, memory mapped."""
    rows = trace.of_kind(c.OVERHEAD, c.CALL)
    rows = rows[(trace.ts[rows] >= trace.ts[step]) & (trace.ts[rows] < trace.end[step])]
    return rows[trace.named(_first_time, rows)]


def _first_time(name: str) -> bool:
    words = (
        "Module Loading",
        "Lazy Function Loading",
        "ModuleLoad",
        "LibraryLoad",
        "cudaMalloc",
        "hipMalloc",
    )
    return any(word in name for word in words) and "Async" not in name


@rule(
    "cold-first-step",
    "The first recorded step is far slower",
    section="cpu lane",
    sees="the first ProfilerStep is much wider than the others",
    means="a cold start: workspaces, library heuristics, kernels loaded at their first use; and the "
    "profiler's own first step on top",
    do="call the code a few times before the profiler, keep wait and warmup at 1 or more, and leave the "
    "first step out of every figure. To look into the first step itself, record it in a fresh process with "
    "`Schedule(wait=0, warmup=0)`, and draw it: `timeline(trace, steps=0)`",
    holds_for="any GPU; A100 and H200 alike. A trace alone seldom tells the code's start from the "
    "profiler's: capture it again, warm",
    lesson="part1-03",
)
def cold_first_step(trace: Trace) -> Iterator[Says]:
    """Nothing at stake: the first step lies outside the window."""
    first = _first_step(trace)
    if first is None or first.took < first.usual + LEAST_NS:
        return
    if first.ratio < COLD_RATIO and not (len(first.signs) and first.ratio >= PROFILER_RATIO):
        return
    yield Says(
        f"{_told(first)}{_with_signs(trace, first)}{_where_it_went(trace, first)}",
        rows=[first.row, *facts.longest(trace, first.signs)[:3]],
        confidence="sure" if len(first.signs) else "likely",
    )


@rule(
    "profiler-first-step",
    "The profiler's own first step",
    section="cpu lane",
    sees="the first recorded step takes one and a half to three times the others, though the code is warm",
    means="the profiler starts up as well: its first events of each kind cost more; warming up the code does "
    "not change that",
    do="leave the first recorded step out; a longer warmup in the schedule shortens it",
    holds_for="torch 2.11 on an H200: after three warm calls the first of three steps took 154–198 µs, the "
    "third 56–78 µs, in five processes",
    lesson="part1-03",
    artefact=True,
)
def profiler_first_step(trace: Trace) -> Iterator[Says]:
    """Nothing at stake: the first step lies outside the window."""
    first = _first_step(trace)
    if first is None or len(first.signs) or first.took < first.usual + LEAST_NS:
        return
    if PROFILER_RATIO <= first.ratio < COLD_RATIO:
        yield Says(
            f"{_told(first)} Nothing in it was loaded or allocated for the first time.",
            rows=[first.row],
            confidence="likely",
        )


def _told(first: _First) -> str:
    without = f", without {ns(first.overhead)} of profiler overhead in it" if first.overhead else ""
    return (
        f"{first.name} takes {ns(first.took)}{without}: {times(first.ratio)} the {ns(first.usual)} of the "
        f"{count(first.steady, 'steady step')} (median)."
    )


def _where_it_went(trace: Trace, first: _First) -> str:
    """Say what passed before the first op, and which ops took most of the first step by themselves."""
    rows = trace.host_rows
    inside = (trace.kind[rows] == c.OP) & (trace.ts[rows] >= trace.ts[first.row])
    inside &= trace.ts[rows] < trace.end[first.row]
    if not inside.any():
        return " No op was recorded in it: the time is Python's, or the profiler's."
    told = ""
    before = int(trace.ts[rows[inside]].min() - trace.ts[first.row])
    if before >= LARGE_SHARE * first.took:
        told += f" {ns(before)} of it pass before its first op."
    own, name = self_times(trace)[inside], trace.name_id[rows[inside]]
    ids, place = np.unique(name, return_inverse=True)
    spent = np.bincount(place, weights=own).astype(np.int64)
    most = [k for k in np.argsort(-spent, kind="stable")[:MOST_OPS] if spent[k] >= SMALL_SHARE * first.took]
    if most:
        parts = ", ".join(f"{ns(int(spent[k]))} in {short(trace.names[ids[k]])}" for k in most)
        told += f" By self time, its ops: {parts}."
    return told


def _with_signs(trace: Trace, first: _First) -> str:
    if not len(first.signs):
        return " The trace does not tell the code's cold start from the profiler's own."
    spent = int(trace.dur[first.signs].sum())
    name = facts.name_of(trace, facts.longest(trace, first.signs)[0])
    return (
        f" In it {count(len(first.signs), 'event')} of a first use, {ns(spent)} in all ({name} the longest)."
    )


@rule(
    "dead-window",
    "A dead window before the first op",
    section="cpu lane",
    sees="a gap between the start of an annotation and its first aten:: op, wide the first time and narrow "
    "later",
    means="Python and the profiler at their first pass through the code: a cold start, zoomed in",
    do="nothing for the model; leave the first step out of figures",
    holds_for="any GPU; 228 µs against 5 µs on an A100, 31 µs against 8 µs on an H200",
    lesson="part1-03",
)
def dead_window(trace: Trace) -> Iterator[Says]:
    """Nothing at stake: the first occurrence lies outside the window."""
    rows = trace.annotation_rows
    rows = rows[~np.isin(rows, trace.step_table.rows)]
    dead = dead_windows(trace)
    widest: tuple[int, list[int], int] | None = None
    for name in np.unique(trace.name_id[rows]):
        mine = [row for row in rows[trace.name_id[rows] == name].tolist() if row in dead]
        later = [dead[row][1] for row in mine[1:]]
        if not later:
            continue
        first = dead[mine[0]][1]
        if first < DEAD_NS or first < DEAD_RATIO * float(np.median(later)):
            continue
        if widest is None or first > widest[0]:
            widest = (first, later, mine[0])
    if widest is None:
        return
    first, later, row = widest
    op = dead[row][0]
    yield Says(
        f"The first {facts.name_of(trace, row)} reaches its first op, {facts.name_of(trace, op)}, after "
        f"{ns(first)}; the {count(len(later), 'later one')} after {ns(float(np.median(later)))} (median).",
        rows=[row, op],
        confidence="likely",
    )


@rule(
    "steps-not-settled",
    "The steps have not settled",
    section="recording",
    sees="the last recorded steps still differ from those before them",
    means="the figures of this capture show what happens, not what a step costs",
    do="record 20 steps and read the median of the later ones; for a claim, in several processes",
    holds_for="any GPU; 18 of 27 three-step captures on an H200 had not settled",
    lesson="part1-03",
)
def steps_not_settled(trace: Trace) -> Iterator[Says]:
    """Nothing at stake."""
    if trace.as_dict()["settled"] is not False:
        return
    chosen = steady(trace)
    part = min(3, len(chosen) // 2)
    durations = [trace.steps[i].dur_us for i in chosen]
    last, before = float(np.median(durations[-part:])), float(np.median(durations[-2 * part : -part]))
    yield Says(
        f"Cannot tell what a step costs: {us(last)} for the last {count(part, 'steady step')}, {us(before)} "
        f"for as many before (medians), a change of {share(abs(last - before) / before)} (settled: at most "
        f"{share(SETTLED_CHANGE)}).",
        rows=[trace.steps[i].row for i in chosen[-2 * part :]],
        confidence="unknown",
    )
