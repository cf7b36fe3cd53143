"""Rules about the gaps between kernels: gaps that occur once, queues, and kernels too small to launch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.findings import facts, idle, queue, rhythm
from profiling_series.findings.model import Says, rule
from profiling_series.format import count, ns, share, short, times, us
from profiling_series.trace import categories as c

if TYPE_CHECKING:
    from profiling_series.trace import Trace

# A launch costs the CPU some 5 µs without a profiler: a kernel shorter than that cannot hide the next launch.
TINY_NS = 5_000
# Fewer than a hundred such kernels take well under a millisecond to launch; the verdict says enough.
MANY_TINY = 100
# Of the window: what the launches of tiny kernels must cost to be worth a finding. A healthy backward pass on
# an MI210 has 330 of them, and waits 6 % of its time before them.
TINY_STAKE_SHARE = 0.10
# Of the window: what waiting for a loader must cost.
LOADER_STAKE_SHARE = 0.05
# Of the window: below it the GPU had enough to do meanwhile.
STALLED_STAKE_SHARE = 0.01
# Between the kernels of healthy runs lie gaps of about 1 µs; 2 to 3 % of the window on an H200.
QUEUED_SHARE = 0.10


@rule(
    "many-tiny-kernels",
    "Hundreds of kernels too short to launch",
    section="gpu lane",
    sees="a picket fence on the GPU lane: kernels of 1 to 5 µs with gaps between them",
    means="element-wise code in a Python loop, an optimizer that walks over the parameters, unfused "
    "pointwise ops: each kernel ends before the CPU has launched the next",
    do="use the foreach or fused form (torch._foreach_*, optimizers with fused=True), batch, torch.compile, "
    "or a CUDA graph",
    holds_for="any GPU; the faster it is, the sooner",
    lesson="part1-10",
    fault=True,
)
def many_tiny_kernels(trace: Trace) -> Iterator[Says]:
    """At stake: the host idle time that ends with such a kernel, where it is at least 10 % of the window."""
    rows = facts.gpu_rows(trace)
    tiny = rows[facts.gpu_ns(trace, rows) <= TINY_NS]
    number = facts.per_step(trace, len(tiny))
    stake = idle.before_us(trace, tiny)
    length = facts.length_ns(trace) / 1000
    if number < MANY_TINY or stake < TINY_STAKE_SHARE * length:
        return
    spent = int(facts.gpu_ns(trace, tiny).sum())
    ops = facts.launching_ops(trace, tiny)
    names = ", ".join(f"{n:,} × {short(name)}" for name, n in facts.common_names(trace, ops[ops >= 0]))
    yield Says(
        f"{facts.each(trace, len(tiny), 'GPU event')} of {ns(TINY_NS)} or less: {ns(spent)} of work, and "
        f"{us(stake)} of waiting for the CPU before them ({share(stake / length)} of the window). From "
        f"{names or 'ops that were not recorded'}.",
        rows=_waited_for(trace, tiny),
        at_stake_us=stake,
    )


def _waited_for(trace: Trace, rows: np.ndarray) -> list[int]:
    """Return those of the given events that ended the longest waits for the host, and their calls."""
    found: list[tuple[int, int]] = []
    for gaps in idle.by_device(trace).values():
        mine = np.isin(gaps.ender, rows)
        found += zip(gaps.host_ns()[mine].tolist(), gaps.ender[mine].tolist(), strict=True)
    enders = [row for _, row in sorted(found, reverse=True)[:2]]
    return [row for ender in enders for row in (ender, int(trace.launch_of[ender]))]


@rule(
    "idle-while-queued",
    "The GPU idles although work was launched",
    section="gpu lane",
    sees="a gap on the GPU lane while the launch calls of what comes next have long returned",
    means="kernels wait for another stream, a collective or a copy; or the time between kernels itself adds "
    "up",
    do="look at what the kernel after the gap depends on; with very short kernels, fuse or use a CUDA graph",
    holds_for="any GPU; launches that the trace can join to their kernels",
    lesson="part1-04",
)
def idle_while_queued(trace: Trace) -> Iterator[Says]:
    """At stake: the idle time of the window during which work had been launched, from 10 % of the window."""
    waited, length = idle.queued_us(trace), facts.length_ns(trace) / 1000
    if not length or waited < QUEUED_SHARE * length:
        return
    pairs = [
        (int(ns_), int(row))
        for gaps in idle.by_device(trace).values()
        for ns_, row in zip((gaps.end - gaps.ready).tolist(), gaps.ender.tolist(), strict=True)
        if row >= 0 and trace.launch_of[row] >= 0
    ]
    pairs.sort(reverse=True)
    yield Says(
        f"During {us(waited)} of the window ({share(waited / length)}) the GPU was idle although the call "
        f"that launched the next event had returned; the longest such gap is {ns(pairs[0][0])}, before "
        f"{facts.name_of(trace, pairs[0][1])}.",
        rows=[row for _, ender in pairs[:2] for row in (ender, int(trace.launch_of[ender]))],
        at_stake_us=waited,
    )


@rule(
    "one-off-gap",
    "A gap that occurs once",
    section="gpu lane",
    sees="a gap between two kernels of one step, and none between the same two in the others",
    means="most often the profiler (a buffer request); else the operating system, or Python's garbage "
    "collector",
    do="record more steps (active=20) and read the median; do not tune for it",
    holds_for="any GPU; needs at least four alike steps",
    lesson="part1-04",
    artefact=True,
)
def one_off_gap(trace: Trace) -> Iterator[Says]:
    """Nothing at stake: it does not come again. Sure where a profiler overhead lies in the gap."""
    found = rhythm.odd_gap(trace)
    if found is None:
        return
    over = trace.overhead_rows
    inside = over[(trace.ts[over] < found.end) & (trace.end[over] > found.start)]
    why = (
        f" {facts.name_of(trace, inside[0])} of {ns(trace.dur[inside[0]])} lies in it." if len(inside) else ""
    )
    step = trace.steps[found.step].name
    yield Says(
        f"In {step} {ns(found.end - found.start)} pass between {facts.name_of(trace, found.before)} and "
        f"{facts.name_of(trace, found.after)}; in the other {found.others} steps {ns(found.usual)} "
        f"(median).{why}",
        rows=[found.before, found.after, *inside[:1].tolist()],
        confidence="sure" if len(inside) else "likely",
    )


@rule(
    "launch-queue-full",
    "The launch queue is full",
    section="cpu lane",
    sees="launch calls that suddenly take as long as kernels, while the GPU lane has no gap",
    means="the CPU is about a thousand launches ahead, and the driver makes it wait: back-pressure, not "
    "overhead",
    do="nothing: the GPU is saturated; do not count the time in these calls as launch cost",
    holds_for="NVIDIA drivers, which let about 1,024 launches wait",
    lesson="part1-04",
)
def launch_queue_full(trace: Trace) -> Iterator[Says]:
    """Nothing at stake: the GPU has work all the while."""
    calls = queue.long_calls(trace)
    pending = queue.pending(trace, calls)
    mine = pending >= queue.FULL
    if not mine.any():
        return
    calls, pending = calls[mine], pending[mine]
    usual = queue.usual_ns(trace)
    yield Says(
        f"{count(len(calls), 'launch call')} took {ns(trace.dur[calls].sum())} in all, with "
        f"{int(pending.min()):,} or more launches waiting for the GPU; the usual call takes {ns(usual)}.",
        rows=facts.longest(trace, calls)[:3],
        confidence="likely",
    )


@rule(
    "stalled-launch-call",
    "A launch call stands still",
    section="cpu lane",
    sees="one cudaLaunchKernel that takes milliseconds where the others take microseconds",
    means="not the launch itself: a kernel loaded at its first use, memory mapped, a lock, or the driver "
    "cleaning up",
    do="warm up every kernel that a step may use; record more steps to see whether it comes again",
    holds_for="any GPU; calls made while the launch queue was not full",
    lesson="part1-06",
)
def stalled_launch_call(trace: Trace) -> Iterator[Says]:
    """At stake: the host idle time during those calls."""
    calls = facts.in_window(trace, queue.long_calls(trace))
    calls = calls[trace.dur[calls] >= queue.STALLED_NS]
    calls = calls[queue.pending(trace, calls) < queue.FULL]
    calls = calls[~queue.under_overhead(trace, calls)]
    if not len(calls):
        return
    usual = queue.usual_ns(trace)
    stake = idle.during_us(trace, facts.spans(trace, calls))
    if stake < STALLED_STAKE_SHARE * facts.length_ns(trace) / 1000:
        return
    worst = facts.longest(trace, calls)
    yield Says(
        f"{count(len(calls), 'launch call')}, {ns(trace.dur[calls].sum())} in all, the longest "
        f"{ns(trace.dur[worst[0]])}, {times(trace.dur[worst[0]] / max(usual, 1))} the usual {ns(usual)}, "
        f"while the launch queue was not full; the GPU idled {us(stake)} meanwhile.",
        rows=[row for call in worst[:2] for row in (int(call), *trace.gpu_of(int(call))[:1].tolist())],
        at_stake_us=stake,
        confidence="likely",
    )


@rule(
    "input-starved",
    "The GPU waits while a data loader is awaited",
    section="cpu lane",
    sees="a DataLoader's __next__ on the CPU lane, gaps on the GPU lane",
    means="the next batch is not ready when the step begins",
    do="more workers, prefetch_factor, pin_memory; decode and augment earlier, or on the GPU",
    holds_for="loaders that record themselves: torch's DataLoader, or an annotation with dataloader in its "
    "name",
    fault=True,
)
def input_starved(trace: Trace) -> Iterator[Says]:
    """At stake: host idle time while a loader is awaited, where it is at least 5 % of the window."""
    rows = np.flatnonzero(trace.named(c.DATA_LOADER.search) & np.isin(trace.kind, (c.OP, c.ANNOTATION)))
    rows = facts.in_window(trace, rows)
    length = facts.length_ns(trace) / 1000
    if not len(rows) or not length:
        return
    loading = facts.covered_us(trace, rows)
    told = f"{count(len(rows), 'call')} of {facts.name_of(trace, rows[0])} take {us(loading)}"
    proof = facts.longest(trace, rows)[:3]
    if facts.busy_share(trace) is None:
        if loading >= LOADER_STAKE_SHARE * length:
            says = f"{told}, {share(loading / length)} of the window; whether a GPU waited, this trace "
            "cannot tell."
            yield Says(says, rows=proof, confidence="unknown")
        return
    stake = idle.during_us(trace, facts.spans(trace, rows))
    if stake >= LOADER_STAKE_SHARE * length:
        says = f"{told}; the GPU is idle during {us(stake)} of that, {share(stake / length)} of the window."
        yield Says(says, rows=proof, at_stake_us=stake)
