"""Rules about the way from a Python call to its kernels, and what the table says of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.findings import facts, idle
from profiling_series.findings.model import Says, rule
from profiling_series.format import count, rate, share, short, us
from profiling_series.measures.climb import nearest
from profiling_series.trace import categories as c
from profiling_series.trace.kernel_names import decode, family

if TYPE_CHECKING:
    from profiling_series.trace import Trace

# A hundred launches of one op are about a millisecond of CPU time: worth batching, whatever they do.
MANY_CALLS = 100
# The largest op must hold this much of the ops' time to be the one to open, and little of it of its own.
CHILDREN_SHARE = 0.25
OWN_SHARE = 0.10

_ENTRIES = frozenset({"aten::matmul", "aten::linear", "aten::einsum"})
_BACKENDS = frozenset(
    f"aten::{name}"
    for name in ("mm", "bmm", "addmm", "baddbmm", "mv", "dot", "_scaled_mm", "_addmm_activation")
)
_ADDMM = frozenset({"aten::addmm", "aten::_addmm_activation"})


@rule(
    "many-calls",
    "One op launches very often",
    section="table",
    sees="a huge # of Calls in the table",
    means="a Python loop over small pieces, or one op for each parameter",
    do="batch the pieces into one call (bmm, foreach), or fuse",
    holds_for="runs in which the GPU waits for the CPU; in a gpu-bound run the calls are hidden",
    lesson="part1-10",
)
def many_calls(trace: Trace) -> Iterator[Says]:
    """At stake: the host idle time that the op's launches end."""
    if facts.regime(trace) in ("gpu-bound", "undetermined"):
        return
    rows = facts.gpu_rows(trace)
    ops = facts.launching_ops(trace, rows)
    rows, ops = rows[ops >= 0], ops[ops >= 0]
    if not len(rows):
        return
    name, number = max(facts.common_names(trace, np.unique(ops), most=1), key=lambda pair: pair[1])
    if facts.per_step(trace, number) < MANY_CALLS:
        return
    mine = trace.named(name.__eq__, ops)
    stake = idle.before_us(trace, rows[mine])
    yield Says(
        f"{short(name)} launches something in {facts.each(trace, number, 'call')}; the GPU waits {us(stake)} "
        "of the window for that.",
        rows=facts.longest(trace, np.unique(ops[mine]))[:3],
        at_stake_us=stake,
    )


@rule(
    "children-dominate",
    "The time lies in the children",
    section="table",
    sees="CPU total far above Self CPU in a row of the table",
    means="the op only passes the work on; what costs time stands below it",
    do="look at its children in the trace or in the dispatch chain",
    holds_for="any GPU",
    lesson="part1-05",
)
def children_dominate(trace: Trace) -> Iterator[Says]:
    """Nothing at stake. Quiet in gpu-bound runs, where CPU time is hidden."""
    ops = [op for op in trace.ops if "::" in op["name"] and not op["name"].startswith("autograd::")]
    if not ops or facts.regime(trace) == "gpu-bound":
        return
    # Self times add up to the whole; totals count each child again.
    whole = sum(op["self_us"] for op in trace.ops)
    most = max(ops, key=lambda op: op["total_us"])
    if most["total_us"] <= CHILDREN_SHARE * whole or most["self_us"] > OWN_SHARE * most["total_us"]:
        return
    rows = trace.op_rows[trace.named(most["name"].__eq__, trace.op_rows)]
    worst = int(facts.longest(trace, rows)[0])
    children = facts.longest(trace, trace.children(worst))
    inside = ""
    if len(children):
        first, took = facts.name_of(trace, children[0]), us(trace.dur[children[0]] / 1000)
        inside = f"; in the longest call {first} below it takes {took} of {us(trace.dur[worst] / 1000)}"
    yield Says(
        f"{short(most['name'])}: {us(most['total_us'])} in {count(most['count'], 'call')}, of which only "
        f"{us(most['self_us'])} ({share(most['self_us'] / most['total_us'])}) are its own{inside}.",
        rows=[worst, *children[:2]],
    )


@rule(
    "matmul-backend",
    "Where a matmul goes",
    section="dispatch",
    sees="aten::matmul, and below it aten::mm (2-D), aten::bmm (3-D) or aten::addmm",
    means="the dispatcher picks the op by the shapes, the library the kernel by shapes, types and GPU",
    do="read the kernel's name: the same name means the same GPU work, another one another branch",
    holds_for="any GPU; kernels: ampere_… or cutlass_80_… on an A100, nvjet_sm90_… on an H200, Cijk_… on AMD",
    lesson="part1-05",
)
def matmul_backend(trace: Trace) -> Iterator[Says]:
    """Nothing at stake."""
    rows = facts.gpu_rows(trace)
    rows = rows[trace.kind[rows] == c.KERNEL]
    calls = facts.launchers(trace, rows)
    entry = nearest(trace, calls, facts.op_mask(trace, _ENTRIES.__contains__))
    backend = nearest(trace, calls, facts.op_mask(trace, _BACKENDS.__contains__))
    mine = (entry >= 0) & (backend >= 0)
    pairs: dict[tuple[str, str, str], list[int]] = {}
    for row, high, low in zip(rows[mine].tolist(), entry[mine].tolist(), backend[mine].tolist(), strict=True):
        key = (trace.name(high), trace.name(low), family(trace.name(row)))
        pairs.setdefault(key, [row, low, high]).append(row)
    if not pairs:
        return
    often = sorted(pairs.items(), key=lambda item: -len(item[1]))[:3]
    told = "; ".join(
        f"{entry} → {op} → {kind} ({facts.each(trace, len(found) - 3, 'kernel')})"
        for (entry, op, kind), found in often
    )
    yield Says(f"{told}.", rows=often[0][1][:3])


@rule(
    "addmm-fused-in-dispatcher",
    "A product and a sum in one addmm",
    section="dispatch",
    sees="one aten::addmm where the code has a matrix product and an addition",
    means="fused in the dispatcher; whether the kernel is fused, too, its name tells (bias in the epilogue) "
    "or a copy before it denies",
    do="look at what the addmm launches: one kernel with bias in its name is fused, a copy and a GEMM are "
    "not",
    holds_for="A100 and H200; nvjet names say bias (epilogue) or badd (addition of C)",
    lesson="part1-08",
)
def addmm_fused_in_dispatcher(trace: Trace) -> Iterator[Says]:
    """Nothing at stake."""
    rows = facts.gpu_rows(trace)
    ops = facts.launching_ops(trace, rows)
    mine = np.array([trace.name(op) in _ADDMM if op >= 0 else False for op in ops], bool)
    rows, ops = rows[mine], ops[mine]
    if not len(rows):
        return
    calls = len(np.unique(ops))
    copies = rows[trace.kind[rows] == c.MEMCPY]
    kernels = rows[trace.kind[rows] == c.KERNEL]
    names = {trace.name(row): int(row) for row in kernels.tolist()}
    epilogue = [row for name, row in names.items() if decode(name).epilogue]
    copied = len(np.unique(ops[np.isin(rows, copies)]))
    parts = [f"{facts.each(trace, calls, 'addmm')}, {rate(len(kernels) / calls, 'kernel')} for each"]
    if copied:
        parts.append(f"with a copy of the addend before {copied:,} of {calls:,}: nothing is saved on the GPU")
    if epilogue:
        ending = decode(trace.name(epilogue[0])).epilogue
        parts.append(f"the name of {facts.name_of(trace, epilogue[0])} tells of an epilogue ({ending})")
    yield Says(
        f"{'; '.join(parts)}.", rows=[*copies[:1].tolist(), *epilogue[:1], *kernels[:1].tolist(), int(ops[0])]
    )
