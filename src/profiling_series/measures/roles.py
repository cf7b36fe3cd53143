"""Kernels by what they are for: the op that launches them says it, or else their name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from ..trace import Trace
from ..trace import categories as c
from ..trace.groups import groups
from ..trace.kernel_names import decode
from .climb import nearest


@dataclass(frozen=True)
class Role:
    """What kernels of a kind are launched by, and what their names say.

    Attributes
    ----------
    ops : frozenset of str
        Ops that launch them.
    named : callable
        Kernel name → whether it says so by itself.
    """

    ops: frozenset[str]
    named: Callable[[str], bool]


def _multiplies(name: str) -> bool:
    """Whether a kernel's name says that it is a matrix product, also one that a compiler wrote."""
    found = decode(name)
    if found.kind == "template":
        return any(op.endswith(("mm", "mv", "linear")) for op in found.fused_ops)
    return (found.operation or "").startswith(("matrix multiply", "matrix times vector"))


def _does(word: str) -> Callable[[str], bool]:
    """Return what tells whether a kernel's name says that it does something."""

    def named(name: str) -> bool:
        found = decode(name)
        said = " ".join(found.fused_ops) if found.kind == "template" else found.operation or ""
        return word in said

    return named


def _aten(*names: str) -> frozenset[str]:
    return frozenset(f"aten::{name}" for name in names)


ROLES = {
    "product": Role(
        _aten("mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "_addmm_activation", "_scaled_mm", "_int_mm"),
        _multiplies,
    ),
    "attention": Role(
        _aten(
            *("_flash_attention_forward", "_efficient_attention_forward", "_cudnn_attention_forward"),
            *("_flash_attention_backward", "_efficient_attention_backward", "_cudnn_attention_backward"),
            *("_scaled_dot_product_cudnn_attention", "_scaled_dot_product_cudnn_attention_backward"),
        ),
        _does("attention"),
    ),
    "softmax": Role(_aten("_softmax", "_log_softmax", "_safe_softmax"), _does("softmax")),
    "addition": Role(_aten("add", "add_"), lambda name: False),
}


def of_role(trace: Trace, rows: np.ndarray, role: str) -> np.ndarray:
    """Return those kernels that have a role.

    Of the kernels that one call of such an op launched, these are the ones whose names say so; where no name
    does, the longest, since what else it launches (the sum of a split product, say) only helps. A kernel
    whose name says so counts whoever launched it: compiled code and graphs launch without an op.

    Parameters
    ----------
    trace : Trace
        A trace.
    rows : int[n]
        Kernels.
    role : str
        A key of `ROLES`.

    Raises
    ------
    UsageError
        No such role.
    """
    if role not in ROLES:
        raise UsageError(f"no role {role!r:.40}; there are {', '.join(ROLES)}")
    wanted = ROLES[role]
    says = trace.named(wanted.named, rows)
    launcher = nearest(trace, trace.launch_of[rows], trace.kind == c.OP)
    for mine in groups(launcher):
        op = int(launcher[mine[0]])
        if op >= 0 and trace.name(op) in wanted.ops and not says[mine].any():
            says[mine[np.argmax(trace.dur[rows[mine]])]] = True
    found: np.ndarray = rows[says]
    return found
