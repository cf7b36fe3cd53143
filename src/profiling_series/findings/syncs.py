"""Rules about a CPU that waits for the GPU inside the steps, and what the GPU then lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.findings import facts
from profiling_series.findings.model import Says, rule
from profiling_series.findings.waits import BLOCKING, EXPLICIT, HIDDEN, PAGEABLE, Wait, stake_us, waits
from profiling_series.format import amount, count, ns, short, us
from profiling_series.trace.intervals import intersect, measure, subtract, union

if TYPE_CHECKING:
    from profiling_series.trace import Trace

# Of the window: a wait at the end of a gpu-bound step costs next to nothing, and is left alone. Hidden ones
# are named whatever they cost, since nobody wrote them.
STAKE_SHARE = 0.01


def _worth_it(trace: Trace, stake: float) -> bool:
    return stake > 0 and stake >= STAKE_SHARE * facts.length_ns(trace) / 1000


def _of_kind(trace: Trace, kind: str) -> list[Wait]:
    """Return the waits of one kind, the longest first."""
    return sorted((wait for wait in waits(trace) if wait.kind == kind), key=lambda wait: -wait.waited)


def _told(trace: Trace, found: list[Wait], noun: str, plural: str) -> str:
    """Return words for how many waits there are, in which ops, and how long the CPU is in them."""
    names = facts.common_names(trace, np.array([wait.owner for wait in found]))
    ops = ", ".join(f"{many:,} × {short(name)}" for name, many in names)
    each = f" ({amount(facts.per_step(trace, len(found)))} a step)" if facts.steps(trace) else ""
    spent, waited = sum(wait.cost for wait in found), sum(wait.waited for wait in found)
    waiting = f", {ns(waited)} of it waiting" if waited < spent else ""
    return f"{count(len(found), noun, plural)}{each}, {ops}: they take {ns(spent)} of the CPU's time{waiting}"


def _proof(found: list[Wait]) -> list[int]:
    return [row for wait in found[:2] for row in (wait.call, wait.owner)]


@rule(
    "hidden-sync",
    "An op waits for the GPU inside the steps",
    section="cpu lane",
    sees="cudaStreamSynchronize under aten::item, aten::nonzero or another op that nobody wrote as a wait",
    means="the CPU needs a value that the GPU has still to compute; until it has it, nothing more is "
    "launched, and the GPU runs dry",
    do="keep the value on the GPU, and read it rarely or after the loop: log every n-th step, stack the "
    "values and read them once; avoid data-dependent shapes",
    holds_for="CUDA and ROCm; ops whose value the CPU must know: item, is_nonzero, nonzero, masked indexing",
    fault=True,
)
def hidden_sync(trace: Trace) -> Iterator[Says]:
    """At stake: see `profiling_series.findings.waits.stake_us`."""
    found = _of_kind(trace, HIDDEN)
    stake = stake_us(trace, HIDDEN)
    if not found or not (stake or not len(trace.gpu_rows)):
        return
    idle_told = f"; the GPU is idle {us(stake)} that it would not be without them" if stake else ""
    yield Says(
        f"{_told(trace, found, 'hidden synchronization', 'hidden synchronizations')}{idle_told}.",
        rows=_proof(found),
        at_stake_us=stake or None,
    )


@rule(
    "explicit-sync",
    "The code waits for the GPU inside the steps",
    section="cpu lane",
    sees="cudaDeviceSynchronize, cudaStreamSynchronize or cudaEventSynchronize directly under a step or an "
    "annotation",
    means="torch.cuda.synchronize(), event.synchronize() or a timer that calls them: the CPU gives up its "
    "lead",
    do="remove it from the loop; time with CUDA events and read them at the end",
    holds_for="CUDA and ROCm; where it costs at least 1 % of the window",
    fault=True,
)
def explicit_sync(trace: Trace) -> Iterator[Says]:
    """At stake: see `profiling_series.findings.waits.stake_us`."""
    found, stake = _of_kind(trace, EXPLICIT), stake_us(trace, EXPLICIT)
    if found and _worth_it(trace, stake):
        yield Says(
            f"{_told(trace, found, 'synchronization', 'synchronizations')}; the GPU is idle {us(stake)} that "
            "it would not be without them.",
            rows=_proof(found),
            at_stake_us=stake,
        )


def _exposed_us(trace: Trace, copies: np.ndarray) -> float:
    """Return the time in the window in which nothing but the given copies runs on the GPUs, µs."""
    rows = trace.gpu_rows
    rest = rows[~np.isin(rows, copies)]
    alone = subtract(union(trace.ts[copies], trace.end[copies]), union(trace.ts[rest], trace.end[rest]))
    return measure(intersect(alone, facts.whole_window(trace))) / 1000


@rule(
    "pageable-copy",
    "A copy from pageable memory",
    section="gpu lane",
    sees="Memcpy HtoD (Pageable -> Device), often with a cudaStreamSynchronize after it",
    means="the driver moves the data in pieces through a buffer of its own, at a fraction of the bus's "
    "speed, and the CPU waits meanwhile",
    do="pin the memory (pin_memory=True in the DataLoader, tensor.pin_memory()) and copy with "
    "non_blocking=True, early enough, or on a stream of its own",
    holds_for="CUDA; where it costs at least 1 % of the window. The stake is the most that could go away: a "
    "pinned copy takes some of that time, too",
    fault=True,
)
def pageable_copy(trace: Trace) -> Iterator[Says]:
    """At stake, at most: time in which the GPU only copies, and idle time that the waits explain."""
    copies = facts.pageable_uploads(trace)
    if not len(copies):
        return
    stake = _exposed_us(trace, copies) + stake_us(trace, PAGEABLE)
    if not _worth_it(trace, stake):
        return
    spent = int(trace.dur[copies].sum())
    size = facts.copied_bytes(trace, copies)
    moved = f" for {size / 1e6:,.1f} MB ({size / max(spent, 1):,.1f} GB/s)" if size else ""
    found = _of_kind(trace, PAGEABLE)
    waited = f"; the CPU waits {ns(sum(wait.waited for wait in found))} for them" if found else ""
    each = f" ({amount(facts.per_step(trace, len(copies)))} a step)" if facts.steps(trace) else ""
    yield Says(
        f"Copies to the GPU from pageable memory: {len(copies):,}{each}, {ns(spent)}{moved}{waited}. At most "
        f"{us(stake)} of the window would go away.",
        rows=[*facts.longest(trace, copies)[:3], *_proof(found)[:2]],
        at_stake_us=stake,
    )


@rule(
    "blocking-copy",
    "A copy that the CPU waits for",
    section="cpu lane",
    sees="a synchronization under aten::copy_ or aten::to, or a copy call that returns after its copy has "
    "ended",
    means=".cpu(), .to('cpu'), .numpy() or a .to(device) without non_blocking: the CPU stands still until "
    "all that was launched before is done",
    do="copy with non_blocking=True to and from pinned memory, and look at the result a step later",
    holds_for="CUDA and ROCm; copies of pinned memory and copies to the host, where they cost at least 1 % "
    "of the window",
    fault=True,
)
def blocking_copy(trace: Trace) -> Iterator[Says]:
    """At stake: see `profiling_series.findings.waits.stake_us`."""
    found, stake = _of_kind(trace, BLOCKING), stake_us(trace, BLOCKING)
    if found and _worth_it(trace, stake):
        yield Says(
            f"{_told(trace, found, 'blocking copy', 'blocking copies')}; the GPU is idle {us(stake)} that it "
            "would not be otherwise.",
            rows=_proof(found),
            at_stake_us=stake,
        )
