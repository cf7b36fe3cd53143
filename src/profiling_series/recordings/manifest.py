"""The list of recordings, by lesson; `making` makes them.

The lessons ask for exactly these: `tests/docs` runs them and holds that each request is here.
"""

from __future__ import annotations

from profiling_series.profiler import CeilingsRequest, Request, Schedule, SweepRequest, TimingRequest
from profiling_series.profiler.obtain import Asked
from profiling_series.workloads import MatmulAdd, SmallMatmuls
from profiling_series.workloads.faults import FAULTS, Fault

SWEEP_SIZES = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
RUNS = 5
"""Processes behind each figure of the CPU's time."""

#: "What does the profiler give back?": small and large, before and after warm-up.
_LESSON_1: tuple[Asked, ...] = tuple(
    Request(MatmulAdd(size=size, dtype="bf16"), warm=warm) for size in (64, 4096) for warm in (False, True)
)
#: "Overhead-bound or compute-bound?"
_LESSON_2: tuple[Asked, ...] = (
    SweepRequest(tuple(MatmulAdd(n, dtype) for dtype in ("bf16", "fp32") for n in SWEEP_SIZES)),
    CeilingsRequest(("bf16", "fp32")),
)
_AT_ONCE = Schedule(wait=0, warmup=0, active=20)
#: "Why is the first step so slow?"; its first cold run is lesson 1's, its warm ones those of lesson 8.
_LESSON_3: tuple[Asked, ...] = (
    Request(MatmulAdd(64), warm=False, schedule=_AT_ONCE),
    *(Request(MatmulAdd(64), warm=False, run=run) for run in range(1, RUNS)),
    *(TimingRequest(MatmulAdd(64), run=run) for run in range(RUNS)),
)
#: "Why do the lanes not line up?"
_LESSON_4: tuple[Asked, ...] = (Request(MatmulAdd(64), schedule=_AT_ONCE),)
#: "From the Python call to the kernel"
_LESSON_5: tuple[Asked, ...] = (Request(MatmulAdd(64, batch=64)),)
#: "What happens at a launch?"
_LESSON_6: tuple[Asked, ...] = (Request(MatmulAdd(64, "fp32")),)

_TWENTY = Schedule(active=20)
_TUNED = "max-autotune-no-cudagraphs"
#: "Same kernel, same data: why another time?", then what compiling changes, what its modes do, and batching.
_LESSONS_7_TO_10: tuple[Asked, ...] = (
    *(Request(MatmulAdd(4096), schedule=Schedule(active=active)) for active in (20, 200)),
    *(
        Request(MatmulAdd(64), compile=mode, schedule=_TWENTY, run=run)
        for mode in (None, "default", "reduce-overhead")
        for run in range(RUNS)
    ),
    Request(MatmulAdd(64), compile=_TUNED, schedule=_TWENTY),
    *(
        Request(MatmulAdd(4096), compile=mode, schedule=_TWENTY)
        for mode in ("default", "reduce-overhead", _TUNED)
    ),
    *(Request(SmallMatmuls(batched=batched), schedule=_TWENTY) for batched in (False, True)),
    *(TimingRequest(SmallMatmuls(batched=batched)) for batched in (False, True)),
)

#: Everything that the lessons replay where there is no GPU, and that a live build measures.
LESSONS: tuple[Asked, ...] = (
    *(*_LESSON_1, *_LESSON_2, *_LESSON_3, *_LESSON_4, *_LESSON_5, *_LESSON_6),
    *_LESSONS_7_TO_10,
)

FAULT_SCHEDULE = Schedule(wait=1, warmup=2, active=8)
"""Enough steps after the first for a median that one odd step does not move."""


def twins(fault: Fault) -> tuple[Request, Request]:
    """Return what to capture of a planted fault: the faulty and the healthy twin."""
    faulty, healthy = (
        Request(workload, warm=True, compile=fault.compile, schedule=FAULT_SCHEDULE)
        for workload in (fault.faulty, fault.healthy)
    )
    return faulty, healthy


#: All recordings: what lessons replay, and what the rules are held against.
MANIFEST: tuple[Asked, ...] = (*LESSONS, *(request for fault in FAULTS for request in twins(fault)))
