"""What is measured: one module a subject, one frozen dataclass a workload.

To add a workload, write a frozen dataclass with the members of `Workload` in a module of its own, the code
that it measures in a module of the same name in `steps`, and name the class in `WORKLOADS`. The two are apart
because parameters, file names and recordings must be known where torch is not installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from profiling_series.errors import UsageError
from profiling_series.workloads.base import DTYPE_BYTES, Step, Workload, code_digest
from profiling_series.workloads.faults import FAULT_WORKLOADS
from profiling_series.workloads.matmul_add import MatmulAdd
from profiling_series.workloads.small_matmuls import SmallMatmuls

__all__ = [
    "DTYPE_BYTES",
    "WORKLOADS",
    "MatmulAdd",
    "SmallMatmuls",
    "Step",
    "Workload",
    "code_digest",
    "from_json",
    "get",
    "to_json",
]

#: Every workload class, by its name on the command line.
WORKLOADS: dict[str, type[Workload]] = {cls.name: cls for cls in (MatmulAdd, SmallMatmuls, *FAULT_WORKLOADS)}


def get(name: str) -> type[Workload]:
    """Return the workload class of that name, or raise `UsageError` that lists the known ones."""
    try:
        return WORKLOADS[name]
    except (KeyError, TypeError):
        raise UsageError(f"unknown workload {name!r}; known: {', '.join(WORKLOADS)}") from None


def to_json(workload: Workload) -> dict[str, Any]:
    """Return ``{"name": …, "params": {…}}``, which `from_json` turns back into the workload."""
    return {"name": workload.name, "params": workload.params()}


def from_json(data: Mapping[str, Any]) -> Workload:
    """Return the workload that `to_json` described, or raise `UsageError`."""
    try:
        name, params = data["name"], dict(data["params"])
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"not the description of a workload: {data!r}") from None
    try:
        return get(name)(**params)
    except TypeError:
        raise UsageError(
            f"{name}: these are not its parameters: {', '.join(sorted(map(str, params)))}"
        ) from None
