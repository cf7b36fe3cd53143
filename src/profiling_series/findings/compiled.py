"""Rules about torch.compile: its rows, its guards, its recompilations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.findings import facts
from profiling_series.findings.model import Says, rule
from profiling_series.format import count, ns, short, us
from profiling_series.measures.climb import outermost
from profiling_series.trace import categories as c
from profiling_series.trace.gpu import busy, device_rows
from profiling_series.trace.intervals import measure, subtract, union

if TYPE_CHECKING:
    from profiling_series.trace import Trace

_REGION = re.compile(r"Torch-Compiled Region: (\d+)/(\d+)")
_GRAPH = re.compile(r"## Call CompiledFxGraph (\w+)")
_COMPILES = (
    "_compile.compile_inner",
    "OutputGraph.call_user_compiler",
    "CachingAutotuner.benchmark_all_configs",
)


def _host(trace: Trace, test: re.Pattern[str] | str) -> np.ndarray:
    """Return the ops and annotations whose name matches, in time order."""
    rows = trace.host_rows
    rows = rows[trace.kind[rows] != c.CALL]
    found = test.search if isinstance(test, re.Pattern) else test.__eq__
    return rows[trace.named(found, rows)]


@rule(
    "compiled-region",
    "Compiled code ran here",
    section="compile",
    sees="Torch-Compiled Region: K/M on the CPU lane, with ## Call CompiledFxGraph <hash> inside",
    means="frame K in its M-th compilation ran; the same hash in each step means that the compiled graph was "
    "reused",
    do="compare kernels and CPU time a step with eager code: a region is no gain by itself",
    holds_for="torch 2.x; the rows vary with the version (Pregraph bytecode since 2.9 or so)",
    lesson="part1-08",
)
def compiled_region(trace: Trace) -> Iterator[Says]:
    """Nothing at stake."""
    rows = facts.in_window(trace, _host(trace, _REGION))
    if not len(rows):
        return
    graphs = facts.in_window(trace, _host(trace, _GRAPH))
    hashes = len(np.unique(trace.name_id[graphs]))
    names = ", ".join(short(name) for name, _ in facts.common_names(trace, rows, most=4))
    yield Says(
        f"{names}: {facts.each(trace, len(rows), 'call')}, {ns(np.median(trace.dur[rows]))} of CPU time each "
        f"(median); {count(hashes, 'compiled graph')} in {count(len(graphs), 'call')}.",
        rows=[int(rows[0]), *graphs[:1].tolist()],
    )


@rule(
    "guard-check-each-call",
    "Guards are checked on every call",
    section="compile",
    sees="TorchDynamo Cache Lookup in every step",
    means="compiled code asks at each call whether its assumptions (shapes, types, globals) still hold",
    do="nothing where it is short; fewer compiled frames mean fewer checks, CUDA graphs do not remove them",
    holds_for="torch 2.x",
    lesson="part1-08",
)
def guard_check_each_call(trace: Trace) -> Iterator[Says]:
    """Nothing at stake: what they cost in a run without the profiler needs a measurement of its own."""
    rows = facts.in_window(trace, _host(trace, "TorchDynamo Cache Lookup"))
    if len(rows):
        yield Says(
            f"{facts.each(trace, len(rows), 'guard check')}, {ns(np.median(trace.dur[rows]))} of CPU time "
            "each (median).",
            rows=rows[:3],
        )


@rule(
    "recompiled-in-window",
    "Something was compiled during the recording",
    section="compile",
    sees="_compile.compile_inner inside a step, and a step that takes seconds; region 0/1 after 0/0",
    means="a guard failed (another shape, type or flag), or the code ran for the first time: Dynamo, AOT and "
    "Inductor work while the GPU waits",
    do="keep shapes equal (pad, bucket), mark what varies (torch._dynamo.mark_dynamic, dynamic=True), warm "
    "up; TORCH_LOGS=recompiles says which guard failed",
    holds_for="torch 2.x",
    lesson="part1-08",
    fault=True,
)
def recompiled_in_window(trace: Trace) -> Iterator[Says]:
    """At stake: the GPU's idle time during compilations in the steps, wherever the window lies."""
    rows = _host(trace, re.compile("|".join(map(re.escape, _COMPILES))))
    rows = rows[~trace.named(lambda name: "_data" in name or name.startswith("backend_compile_data"), rows)]
    rows = rows[trace.step_index[rows] >= 0] if trace.steps else rows
    outer = np.unique(outermost(trace, rows, np.isin(np.arange(len(trace)), rows)))
    if not len(outer):
        return
    spans = union(trace.ts[outer], trace.end[outer])
    idle_ns = sum(measure(subtract(spans, busy(trace, gpu))) for gpu in device_rows(trace).values())
    steps = sorted({int(i) for i in trace.step_index[outer] if i >= 0})
    where = f" in {count(len(steps), 'step')} ({trace.steps[steps[0]].name} the first)" if steps else ""
    gpu_idle = f"; the GPU is idle during {ns(idle_ns)} of it" if len(trace.gpu_rows) else ""
    yield Says(
        f"{count(len(outer), 'compilation')}{where}, {ns(measure(spans))} in all{gpu_idle}.{_again(trace)}",
        rows=[*facts.longest(trace, outer)[:3], *(trace.steps[i].row for i in steps[:2])],
        at_stake_us=idle_ns / 1000 if len(trace.gpu_rows) else None,
    )


def _again(trace: Trace) -> str:
    """Return words on whether a frame was compiled before: its second compilation is M = 1."""
    seen: dict[str, set[str]] = {}
    for name in {trace.name(row) for row in _host(trace, _REGION).tolist()}:
        if match := _REGION.search(name):
            seen.setdefault(match[1], set()).add(match[2])
    again = sorted(frame for frame, made in seen.items() if made != {"0"})
    if not again:
        return ""
    numbers = ", ".join(sorted(seen[again[0]], key=int)[:6])
    return f" Frame {again[0]} runs in its compilations {numbers}: it was compiled again."


@rule(
    "compile-tax",
    "What compiling costs or saves cannot be told from one trace",
    section="compile",
    sees="compile rows around small kernels, and CPU time above the eager trace's",
    means="guards, wrappers and prologues cost the CPU some time on every call; for a tiny op that is more "
    "than fusion saves",
    do="compare a step with an eager capture, in several processes, before naming a factor",
    holds_for="torch 2.x, overhead-bound runs; 2 times was published for an A100, an H200's captures settle "
    "none",
    lesson="part1-08",
)
def compile_tax(trace: Trace) -> Iterator[Says]:
    """Nothing at stake that this trace could tell."""
    regions = facts.in_window(trace, _host(trace, _REGION))
    if not len(regions) or facts.regime(trace) not in ("overhead-bound", "mixed"):
        return
    ops = trace.op_rows
    ops = facts.in_window(trace, ops[trace.named(_is_compile_row, ops)])
    outer = outermost(trace, ops, np.isin(np.arange(len(trace)), ops))
    spent = np.zeros(len(trace), np.int64)
    spent[outer] = trace.dur[outer]
    inner = facts.in_window(trace, trace.op_rows[facts.aten(trace)[trace.op_rows]])
    inside = np.unique(outermost(trace, inner, facts.aten(trace)))
    inside = inside[outermost(trace, inside, np.isin(np.arange(len(trace)), ops)) >= 0]
    tax = facts.per_step(trace, max(int(spent.sum()) - int(trace.dur[inside].sum()), 0)) / 1000
    yield Says(
        f"Cannot tell what compilation costs or saves: {us(tax)} of CPU time a step lie in rows of "
        "torch.compile outside the ops that they call; an eager capture is needed to compare.",
        rows=regions[:2],
        confidence="unknown",
    )


def _is_compile_row(name: str) -> bool:
    return name.startswith(
        ("TorchDynamo Cache", "Torch-Compiled", "Pregraph", "AOTDispatcher", "## Call Compiled")
    )
