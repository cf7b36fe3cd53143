"""Made-up recordings for every request of a list: enough of a trace for a lesson to run on, anywhere.

A lesson that is run with these, and with ``PROFILING_SERIES_SOURCE=recorded``, asks for exactly what a
build without a GPU would replay.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from profiling_series.results import (
    AnyRequest,
    Ceilings,
    CeilingsRequest,
    Machine,
    Provenance,
    Request,
    Schedule,
    SweepRequest,
    Timing,
    TimingRequest,
    store,
)
from profiling_series.results.figures import Copied, Product
from profiling_series.results.provenance import code_of

MACHINE = Machine(device="cuda", gpu="Stand-in GPU", torch="2.99.0", date="2026-11-29T00:00:00+00:00")
H200 = {"id": 0, "name": "Stand-in GPU", "computeMajor": 9, "computeMinor": 0, "warpSize": 32, "numSms": 132}


def write(folder: Path, requests: Iterable[AnyRequest]) -> None:
    """Store a stand-in for each request where recordings are looked up."""
    for request in requests:
        provenance = Provenance(
            key=request.key,
            request=request,
            digest=request.digest,
            code=code_of(request),
            schedule=getattr(request, "schedule", Schedule()),
            machine=MACHINE,
            elapsed_s=1.0,
        )
        if isinstance(request, Request | SweepRequest):
            trace = json.dumps({"deviceProperties": [H200], "traceEvents": _events(request)}).encode()
            store.write(store.place(folder, request.key), store.compress(trace), "a table", provenance)
        else:
            made = _timing if isinstance(request, TimingRequest) else _ceilings
            store.write_figures(store.place_figures(folder, request.key), made(request, provenance))


def _timing(request: TimingRequest, provenance: Provenance) -> Timing:
    return Timing(provenance, (20.0 + request.run, 21.0 + request.run), 100)


def _ceilings(request: CeilingsRequest, provenance: Provenance) -> Ceilings:
    products = {dtype: (Product(4096, 1.0, 500.0),) for dtype in request.dtypes}
    return Ceilings(provenance, products, (Copied(1 << 30, 1.0, 4000.0),))


def _events(request: Request | SweepRequest) -> list[dict[str, Any]]:
    """Return the events of a capture's steps, or of a sweep's, one GPU stream, kernels in order."""
    writer = _Writer()
    if isinstance(request, SweepRequest):
        for point in request.points:
            writer.step(point.label, None)
            for _ in range(request.steps):
                writer.step(point.workload.annotation, point.workload)
    else:
        terms = request.schedule
        writer.number = terms.wait + terms.warmup
        for _ in range(terms.active):
            writer.step(request.workload.annotation, request.workload)
    return writer.events


class _Writer:
    """Where the next step begins, and what has been written."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.number, self.now, self.gpu_free, self.correlation = 0, 1000.0, 0.0, 0

    def step(self, annotation: str, workload: Any) -> None:
        start = self.now
        self._add("user_annotation", f"ProfilerStep#{self.number}", start, 50.0)
        self._add("user_annotation", annotation, start + 4, 44.0)
        if workload is not None:
            product = "aten::bmm" if getattr(workload, "batch", None) else "aten::mm"
            self._add("cpu_op", "aten::matmul", start + 8, 22.0)
            self._add("cpu_op", product, start + 9, 20.0)
            self._launch("cuLaunchKernelEx", start + 20, f"gemm_{workload.slug_parts()[0][-1]}", 2.0)
            self._add("cpu_op", "aten::add", start + 32, 14.0)
            self._launch("cudaLaunchKernel", start + 36, "vectorized_elementwise_kernel<4>", 1.0)
        self.now, self.number = start + 55, self.number + 1

    def _launch(self, call: str, at: float, kernel: str, length: float) -> None:
        self.correlation += 1
        tie = {"correlation": self.correlation}
        self._add("cuda_runtime", call, at, 5.0, **tie)
        begins = max(at + 8, self.gpu_free)
        self.gpu_free = begins + length
        size = {"registers per thread": 168, "shared memory": 164308, "block": [384, 1, 1], "grid": [4, 2, 1]}
        self._add("kernel", kernel, begins, length, 0, 7, device=0, stream=7, **tie, **size)

    def _add(
        self, cat: str, name: str, ts: float, dur: float, pid: int = 5, tid: int = 5, **args: Any
    ) -> None:
        self.events.append(
            {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}
        )
