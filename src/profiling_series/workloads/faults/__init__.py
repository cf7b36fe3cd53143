"""Faults planted on purpose, each with a healthy twin: what a reader, and a rule, must be able to find.

Each workload here is busy on the GPU without its fault, and costs at least a tenth more with it, on an NVIDIA
H200. ``fault`` is the only thing that twins differ in.
"""

from __future__ import annotations

from dataclasses import dataclass

from profiling_series.workloads.faults.inputs import PageableCopy, StarvedInput
from profiling_series.workloads.faults.numerics import Fp32Matmuls, OutOfPlaceMasks
from profiling_series.workloads.faults.planted import Planted
from profiling_series.workloads.faults.shapes import ChangingShapes
from profiling_series.workloads.faults.training import ItemSync, TinyKernels

__all__ = [
    "FAULTS",
    "ChangingShapes",
    "Fault",
    "FaultWorkload",
    "Fp32Matmuls",
    "ItemSync",
    "OutOfPlaceMasks",
    "PageableCopy",
    "Planted",
    "StarvedInput",
    "TinyKernels",
]

#: A workload with a fault or without; every one of them is registered with the others.
FaultWorkload = (
    ItemSync | PageableCopy | OutOfPlaceMasks | Fp32Matmuls | ChangingShapes | TinyKernels | StarvedInput
)


@dataclass(frozen=True)
class Fault:
    """A planted fault: the finding that must name it, the workload with it and the twin without.

    Parameters
    ----------
    finding : str
        Id of the finding.
    faulty, healthy : Workload
        Twins.
    compile : str or None
        Mode of ``torch.compile`` to capture both with.
    """

    finding: str
    faulty: FaultWorkload
    healthy: FaultWorkload
    compile: str | None = None

    def tiny(self) -> Fault:
        """Return the same fault in sizes that a CPU runs in milliseconds."""
        kind = type(self.faulty)
        return Fault(self.finding, kind.tiny(fault=True), kind.tiny(fault=False), self.compile)


#: Every planted fault in its full size.
FAULTS = (
    Fault("hidden-sync", ItemSync(fault=True), ItemSync()),
    Fault("pageable-copy", PageableCopy(fault=True), PageableCopy()),
    Fault("hidden-copy", OutOfPlaceMasks(fault=True), OutOfPlaceMasks()),
    Fault("tensor-cores-unused", Fp32Matmuls(fault=True), Fp32Matmuls()),
    Fault("recompiled-in-window", ChangingShapes(fault=True), ChangingShapes(), compile="default"),
    Fault("many-tiny-kernels", TinyKernels(fault=True), TinyKernels()),
    Fault("input-starved", StarvedInput(fault=True), StarvedInput()),
)
