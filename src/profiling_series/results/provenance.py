"""Where a result comes from: the machine, the versions, the moment, and what was asked for."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, structs

from profiling_series.results.points import SweepRequest
from profiling_series.results.request import AnyRequest, CeilingsRequest
from profiling_series.results.schedule import Schedule
from profiling_series.workloads import AnyWorkload, code_digests, code_is_as_it_was

Source = Literal["live", "recorded"]

_CHANGED = "of a workload that has changed since"


class Machine(Struct, frozen=True, kw_only=True):
    """The machine and the versions of a measurement.

    Parameters
    ----------
    device : str
        Where the work ran: ``"cpu"``, ``"cuda"`` or ``"xpu"``.
    gpu, gpu_capability, driver, cuda : str, optional
        None on a CPU.
    cpu : str
        The processor's name.
    cpu_threads : int
        On which torch computes.
    torch, python, platform, package : str
        Versions.
    triton : str, optional
        Its version; None where there is none.
    date : str
        ISO 8601, local time with its offset.
    """

    device: str
    gpu: str | None = None
    gpu_capability: str | None = None
    driver: str | None = None
    cuda: str | None = None
    cpu: str = "unknown"
    cpu_threads: int | None = None
    torch: str = "unknown"
    triton: str | None = None
    python: str = "unknown"
    platform: str = "unknown"
    package: str = "unknown"
    date: str = "undated"


class Provenance(Struct, frozen=True, kw_only=True):
    """What a result was made from, as it is written beside it.

    Parameters
    ----------
    key : str
        Name of the files.
    machine : Machine
        On what it was measured.
    request : AnyRequest, optional
        What was asked for; None for code of the caller's own, and for a request that is no longer understood.
    digest : str, optional
        That of the request when it was measured.
    code : dict of str to str
        Digest of each module that the measured steps ran (see `profiling_series.workloads.code_digests`).
    annotation : str, optional
        The region around each step.
    schedule : Schedule, optional
        Which steps were recorded; None for figures without a trace.
    cycle : int
        Which window of the schedule.
    elapsed_s : float, optional
        How long it took, importing torch included.
    stages_s : dict of str to float
        How long each stage of it took.
    warnings : tuple of str
        What a reader of the result should know, one line each.
    failed : dict of str to str
        Of a sweep: why a point could not be measured, by the point's label.
    trace_sha256 : str, optional
        Checksum of the trace's file.
    kept_as : {"live", "recorded"}, optional
        In a copy that a build has kept: what the result said of itself.
    source : {"live", "recorded"}
        Whether this process, or its child, measured it. What is opened from a file is told by who opens it.
    changed : str, optional
        How to say that what was measured has changed since; None where it has not.
    schema : int
        Of the file.
    """

    schema: int = 2
    key: str
    request: AnyRequest | None = None
    digest: str | None = None
    code: dict[str, str] = {}
    annotation: str | None = None
    schedule: Schedule | None = None
    cycle: int = 1
    machine: Machine
    elapsed_s: float | None = None
    stages_s: dict[str, float] = {}
    warnings: tuple[str, ...] = ()
    failed: dict[str, str] = {}
    trace_sha256: str | None = None
    kept_as: Source | None = None
    source: Source = "live"
    changed: str | None = None

    @property
    def line(self) -> str:
        """Return the line under each picture: ``"live on NVIDIA H200, torch 2.11.0, 2026-11-29"``."""
        machine = self.machine
        where = machine.gpu or f"CPU {machine.cpu}"
        line = f"{self.source} on {where}, torch {machine.torch.partition('+')[0]}, {machine.date[:10]}"
        return f"{line} ({self.changed})" if self.changed else line

    def opened(self, source: Source) -> Provenance:
        """Return the provenance of a file as that of a result, its source set; it says what has changed."""
        changed = _CHANGED if self._differs() else None
        return structs.replace(self, source=self.kept_as or source, kept_as=None, changed=changed)

    def _differs(self) -> bool:
        if self.digest is None:  # code of the caller's own
            return False
        if self.request is None or self.request.digest != self.digest:
            return True
        measured = workload_of(self.request)
        return measured is not None and not (self.code and code_is_as_it_was(self.code))


def workload_of(request: AnyRequest | None) -> AnyWorkload | None:
    """Return what a request measures, of a sweep the first; None where that is no workload."""
    if request is None or isinstance(request, CeilingsRequest):
        return None
    return request.points[0].workload if isinstance(request, SweepRequest) else request.workload


def code_of(request: AnyRequest) -> dict[str, str]:
    """Return the digest of each module that a request's steps run, as `Provenance` keeps them."""
    workload = workload_of(request)
    return {} if workload is None else code_digests(workload)
