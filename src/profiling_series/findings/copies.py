"""Rules about copies on the device that nobody wrote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from profiling_series.findings import facts
from profiling_series.findings.model import Says, rule
from profiling_series.format import ns, share, short
from profiling_series.measures.climb import nearest, outermost
from profiling_series.trace import categories as c
from profiling_series.trace.kernel_names import decode

if TYPE_CHECKING:
    from profiling_series.trace import Trace

# Less than this part of the window is not worth a change of the code, and lies within the noise of a pace.
HIDDEN_COPY_SHARE = 0.03

# Whoever calls these asks for a copy. Anything else that copies does so on its own account.
_ASKED_FOR = frozenset(
    f"aten::{name}"
    for name in (
        "clone", "copy_", "_foreach_copy_", "to", "_to_copy", "contiguous", "cat", "stack", "repeat", "cuda",
        "cpu", "type_as", "float", "half", "bfloat16", "pin_memory", "narrow_copy", "slice_scatter",
        "index_copy_", "new_tensor", "lift_fresh", "detach_copy",
    )
)  # fmt: skip
_ADDS_A_MATRIX = frozenset({"aten::addmm", "aten::baddbmm", "aten::addbmm", "aten::_addmm_activation"})
# A copy under one of these changes the type: it is a cast, which autocast or the model asked for.
_CASTS = frozenset({"aten::_to_copy"})


@rule(
    "hidden-copy",
    "An op copies a tensor first",
    section="gpu lane",
    sees="Memcpy DtoD, or a copy kernel, under an op that is no copy: a cudaMemcpyAsync nobody wrote",
    means="an out-of-place op starts from a copy of its input (masked_fill), or a layout had to be made "
    "contiguous",
    do="use the in-place form where autograd does not need the old values (under no_grad), or keep the "
    "layout that the next op wants",
    holds_for="eager code, any GPU; torch.compile fuses such copies away",
    lesson="part3-01",
    fault=True,
)
def hidden_copy(trace: Trace) -> Iterator[Says]:
    """At stake: the GPU time of those copies, where it is at least 3 % of the window."""
    copies, outer = _copies_nobody_wrote(trace)
    spent = int(facts.gpu_ns(trace, copies).sum())
    if not len(copies) or spent < HIDDEN_COPY_SHARE * facts.length_ns(trace):
        return
    size = facts.copied_bytes(trace, copies)
    moved = f" for {size / 1e6:,.1f} MB" if size else ""
    names = ", ".join(f"{n:,} × {short(name)}" for name, n in facts.common_names(trace, outer))
    part = share(spent / facts.length_ns(trace))
    yield Says(
        f"Copies that the code did not ask for: {facts.each(trace, len(copies), 'copy', 'copies')}, "
        f"{ns(spent)}{moved}, {part} of the window, under {names}.",
        rows=[row for copy in facts.longest(trace, copies)[:2] for row in _with_its_op(trace, copy)],
        at_stake_us=spent / 1000,
    )


def _copies_nobody_wrote(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Return copies inside the device under an op that is none, and the outermost op above each."""
    rows = facts.gpu_rows(trace)
    device = (trace.kind[rows] == c.MEMCPY) & trace.named(lambda name: "DtoD" in name, rows)
    rows = rows[device | trace.named(_is_copy_kernel, rows)]
    calls = facts.launchers(trace, rows)
    near = nearest(trace, calls, facts.aten(trace))
    outer = outermost(trace, calls, facts.aten(trace))
    casts = nearest(trace, calls, facts.op_mask(trace, _CASTS.__contains__)) >= 0
    known = (near >= 0) & (outer >= 0) & ~casts
    asked = np.array([trace.name(row) in _ASKED_FOR if row >= 0 else True for row in outer], bool)
    bias = np.array([trace.name(row) in _ADDS_A_MATRIX if row >= 0 else False for row in near], bool)
    keep = known & ~asked & ~bias
    return rows[keep], outer[keep]


def _is_copy_kernel(name: str) -> bool:
    """Return whether a kernel copies elements as they are; `decode` is asked where the name may say so."""
    return "direct_copy_kernel" in name and decode(name).operation == "copy"


def _with_its_op(trace: Trace, copy: int) -> list[int]:
    op = int(facts.outer_ops(trace, np.array([copy]))[0])
    return [int(copy), op] if op >= 0 else [int(copy)]


@rule(
    "bias-copy-before-gemm",
    "The bias is copied into the output first",
    section="gpu lane",
    sees="Memcpy DtoD right before the GEMM of an aten::addmm",
    means="cuBLAS computes α·AB + β·C in place: the output is seeded with the addend, so that the addition "
    "saves neither a launch nor a trip to memory",
    do="nothing to fix in the code; a 1-D bias goes into the GEMM's epilogue, a Triton template "
    "(max-autotune) adds a matrix in its own",
    holds_for="addmm with a 2-D addend through cuBLAS: A100 and H200 alike, eager and compiled",
    lesson="part1-08",
)
def bias_copy_before_gemm(trace: Trace) -> Iterator[Says]:
    """Nothing at stake: the addend has to be read in any case, and eager code's own add costs as much."""
    rows = facts.copy_rows(trace)
    rows = rows[trace.named(lambda name: "DtoD" in name, rows)]
    op = facts.launching_ops(trace, rows)
    mine = np.array([trace.name(row) in _ADDS_A_MATRIX if row >= 0 else False for row in op], bool)
    rows, op = rows[mine], op[mine]
    if not len(rows):
        return
    gemms = facts.gpu_rows(trace)
    gemms = gemms[np.isin(facts.launching_ops(trace, gemms), op) & (trace.kind[gemms] == c.KERNEL)]
    spent, worked = int(facts.gpu_ns(trace, rows).sum()), int(facts.gpu_ns(trace, gemms).sum())
    yield Says(
        f"The output of {facts.name_of(trace, op[0])} is seeded with its addend: "
        f"{facts.each(trace, len(rows), 'copy', 'copies')} of {ns(spent / len(rows))} on average, "
        f"{ns(spent)} beside {ns(worked)} of the kernels that then compute it.",
        rows=[int(rows[0]), *gemms[:1].tolist(), int(op[0])],
    )
