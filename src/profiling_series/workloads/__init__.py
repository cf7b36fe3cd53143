"""What is measured: one module a subject, one frozen struct of parameters a workload.

To add a workload, write a subclass of `Workload` in a module of its own, the code that it measures in a
module of the same name in `steps`, and name the class in `AnyWorkload`. The two are apart because parameters,
file names and recordings must be known where torch is not installed.
"""

from __future__ import annotations

from typing import get_args

from profiling_series.errors import UsageError
from profiling_series.workloads.base import DTYPE_BYTES, Parameter, Step, Workload, parameters
from profiling_series.workloads.code import code_digests, code_is_as_it_was
from profiling_series.workloads.faults import FaultWorkload
from profiling_series.workloads.matmul_add import MatmulAdd
from profiling_series.workloads.small_matmuls import SmallMatmuls

__all__ = [
    "DTYPE_BYTES",
    "WORKLOADS",
    "AnyWorkload",
    "MatmulAdd",
    "Parameter",
    "SmallMatmuls",
    "Step",
    "Workload",
    "code_digests",
    "code_is_as_it_was",
    "get",
    "parameters",
]

#: One of the workloads that are registered: what a request, and a file that describes one, may hold.
AnyWorkload = MatmulAdd | SmallMatmuls | FaultWorkload

#: Every workload class, by its name on the command line.
WORKLOADS: dict[str, type[Workload]] = {cls.name: cls for cls in get_args(AnyWorkload)}


def get(name: str) -> type[Workload]:
    """Return the workload class of that name, or raise `UsageError` that lists the known ones."""
    try:
        return WORKLOADS[name]
    except (KeyError, TypeError):
        raise UsageError(f"unknown workload {name!r}; known: {', '.join(WORKLOADS)}") from None
