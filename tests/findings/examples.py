"""For each rule a trace in which it must speak, and one in which it must not, alike but for the one thing.

Steps are laid out by `loop`; times are µs. An example is a list of events, with the file's metadata where the
rule reads it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..trace.build import Event, annotation, call, event, kernel, memcpy, op, overhead, step

_ids = itertools.count(1)
H200 = {
    "id": 0, "name": "NVIDIA H200", "computeMajor": 9, "computeMinor": 0, "warpSize": 32, "numSms": 132,
    "maxThreadsPerMultiprocessor": 2048, "regsPerMultiprocessor": 65536,
    "sharedMemPerMultiprocessor": 233472, "maxThreadsPerBlock": 1024, "regsPerBlock": 65536,
    "sharedMemPerBlock": 49152, "sharedMemPerBlockOptin": 232448,
}  # fmt: skip


@dataclass(frozen=True)
class Example:
    events: list[Event]
    metadata: dict[str, Any] = field(default_factory=dict)


def loop(body: Callable[[int, float], list[Event]], *, count: int = 3, period: float = 1000) -> list[Event]:
    """Steps of equal length, the body laid out in each: body(number, start)."""
    events: list[Event] = []
    for number in range(count):
        at = number * period
        events += [step(number + 2, at, period), *body(number, at)]
    return events


def launch(
    at: float,
    dur: float,
    name: str = "gemm",
    *,
    ops: tuple[str, ...] = ("aten::mm",),
    cpu: float = 8,
    after: float = 10,
    make: Callable[..., Event] = kernel,
    by: str = "cudaLaunchKernel",
    **more: Any,
) -> list[Event]:
    """Ops around a call of 4 µs at `at`, and what it launches, `after` µs later."""
    number = next(_ids)
    around = [op(each, at - len(ops) + i, cpu + 2 * (len(ops) - i)) for i, each in enumerate(ops)]
    return [*around, call(at, 4, number, by), make(at + after, dur, number, name, **more)]


def steady(
    dur: float, *, count: int = 3, period: float = 1000, name: str = "gemm", **more: Any
) -> list[Event]:
    """A kernel of that length in each step."""
    return loop(lambda i, at: launch(at + 10, dur, name, **more), count=count, period=period)


def first_longer(took: float, extra: list[Event] | None = None) -> list[Event]:
    """A first step of `took` µs, then three of 100 µs."""
    starts = [0, took, took + 100, took + 200]
    lengths = [took, 100, 100, 100]
    events = [step(i + 2, s, d) for i, (s, d) in enumerate(zip(starts, lengths, strict=True))]
    for start in starts:
        events += launch(start + 10, 5)
    return events + (extra or [])


def dead(first: float) -> list[Event]:
    def body(i: int, at: float) -> list[Event]:
        wait = first if i == 0 else 5
        return [annotation("forward", at, 900), *launch(at + wait + 1, 5)]

    return loop(body)


def many(dur: float, gap: float, *, number: int = 120, hidden: bool = False) -> list[Event]:
    """`number` kernels of `dur` µs a step, launched every `gap` µs; hidden: behind a long kernel."""

    def body(i: int, at: float) -> list[Event]:
        events = launch(at + 10, 1500 - number * dur, name="gemm") if hidden else []
        start = at + 1520 - number * dur
        for j in range(number):
            where = at + 30 + gap * j
            after = start + dur * j - where if hidden else gap / 2
            events += launch(where, dur, "small", ops=("aten::mul",), cpu=5, after=after)
        return events

    return loop(body, period=1500)


def loader(kernel_us: float, wait: float) -> list[Event]:
    def body(i: int, at: float) -> list[Event]:
        name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
        events = launch(at + wait + 10, kernel_us)
        return [annotation(name, at + 2, wait), *events] if wait else events

    return loop(body)


def collective(alone: bool, dur: float) -> list[Event]:
    def body(i: int, at: float) -> list[Event]:
        beside = at + 20 if not alone else at + 30 + dur
        return [
            *launch(
                at + 10, dur, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", ops=("nccl:all_reduce",), stream=20
            ),
            *launch(at + 15, 900 - dur if alone else 900, after=beside - at - 15),
        ]

    return loop(body)


def waiting(kind: str) -> list[Event]:
    """A kernel, then something that makes the CPU wait for it, then the next kernel 50 µs later."""

    def body(i: int, at: float) -> list[Event]:
        first = launch(at + 10, 400, cpu=6)  # runs from at + 20 to at + 420
        second = launch(at + 500, 480)  # runs from at + 510 to at + 990
        number = next(_ids)
        middle: list[Event] = []
        if kind in ("item", "to", "to-async"):
            outer, inner = (
                ("aten::item", "aten::_local_scalar_dense") if kind == "item" else ("aten::to", "aten::copy_")
            )
            middle = [
                op(outer, at + 30, 420),
                op(inner, at + 31, 418),
                call(at + 32, 5, number, "cudaMemcpyAsync"),
                memcpy(at + 421, 2, number, "Memcpy DtoH (Device -> Pinned)"),
            ]
            if kind != "to-async":
                middle.append(call(at + 40, 400, None, "cudaStreamSynchronize"))
        elif kind == "explicit":
            middle = [call(at + 40, 400, None, "cudaDeviceSynchronize")]
        elif kind == "at-the-end":
            return [*launch(at + 10, 9980, cpu=6), call(at + 20, 9975, None, "cudaDeviceSynchronize")]
        return [*first, *middle, *second]

    return loop(body, period=10_000 if kind == "at-the-end" else 1000)


def upload(memory: str, length: float) -> list[Event]:
    def body(i: int, at: float) -> list[Event]:
        number = next(_ids)
        copy = [
            op("aten::to", at + 5, length + 30),
            op("aten::copy_", at + 6, length + 28),
            call(at + 8, length + 10 if memory == "Pageable" else 6, number, "cudaMemcpyAsync"),
            memcpy(at + 15, length, number, f"Memcpy HtoD ({memory} -> Device)", bytes=1_000_000),
        ]
        return [*copy, *launch(at + length + 40, 700, after=10)]

    return loop(body)


def copied(ops: tuple[str, ...]) -> list[Event]:
    def body(i: int, at: float) -> list[Event]:
        return [
            *launch(
                at + 10, 100, "Memcpy DtoD (Device -> Device)", ops=ops, make=memcpy, by="cudaMemcpyAsync"
            ),
            *launch(at + 40, 800, after=90),
        ]

    return loop(body)


def addmm(*, seeded: bool) -> list[Event]:
    """aten::addmm: a GEMM, and where `seeded` a copy of the addend before it, both under the op."""

    def body(i: int, at: float) -> list[Event]:
        copy, gemm = next(_ids), next(_ids)
        first = [
            call(at + 10, 4, copy, "cudaMemcpyAsync"),
            memcpy(at + 20, 16, copy, "Memcpy DtoD (Device -> Device)"),
        ]
        if not seeded:
            first = launch(at + 100, 16, "Memcpy DtoD (Device -> Device)", ops=("aten::copy_",), make=memcpy)
        return [
            op("aten::addmm", at + 5, 40),
            *first,
            call(at + 20, 4, gemm),
            kernel(at + 200, 700, gemm, "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn"),
        ]

    return loop(body)


def gap_once(where: set[int]) -> list[Event]:
    def body(i: int, at: float) -> list[Event]:
        late = 300 if i in where else 0
        return [*launch(at + 10, 100, "a"), *launch(at + 120 + late, 100, "b")]

    return loop(body, count=6)


def late(*, queued: bool) -> list[Event]:
    """Three kernels with nothing between them, then one 300 µs later: launched early, or launched late."""

    def body(i: int, at: float) -> list[Event]:
        quick = [each for j in range(3) for each in launch(at + 10 + 110 * j, 100)]
        call_at = 340 if queued else 640
        return [*quick, *launch(at + call_at, 300, "last", after=650 - call_at)]

    return loop(body)


def queue(kernel_us: float, long_us: float = 900) -> list[Event]:
    """1,100 launches of which the last but one takes `long_us`; kernels run one after the other."""
    events = [step(2, 0, 5 * 1100 + long_us + 200)]
    free = 0.0
    for i in range(1100):
        at = 10 + 5 * i + (long_us if i == 1099 else 0)
        free = max(free, at + 6)
        events += [call(at, long_us if i == 1098 else 4, i + 1), kernel(free, kernel_us, i + 1, "k")]
        free += kernel_us
    return events


def varying(*, slow_every: bool) -> list[Event]:
    """Six steps of five equal kernels; one run takes longer, or one in each step."""

    def body(i: int, at: float) -> list[Event]:
        events: list[Event] = []
        for j in range(5):
            slow = j == 2 and (slow_every or i == 3)
            events += launch(
                at + 10 + j, 400 if slow else 150, after=20 + 160 * j + (250 if slow and j > 2 else 0)
            )
        return events

    return loop(body, count=6, period=1200)


def footprint(registers: int, shared: int, estimate: float | None = 13) -> Example:
    args = {
        "registers per thread": registers, "shared memory": shared, "block": [128, 1, 1], "grid": [64, 64, 1],
        "est. achieved occupancy %": estimate,
    }  # fmt: skip
    return Example(steady(900, **args), {"deviceProperties": [H200]})


def compiled(kernel_us: float, *, compiles: bool = False) -> list[Event]:
    def body(i: int, at: float) -> list[Event]:
        again = compiles and i == 1
        events = [
            op("TorchDynamo Cache Lookup", at + 5, 20),
            op(f"Torch-Compiled Region: 0/{int(again)}", at + 700 if again else at + 30, 200),
            op(f"## Call CompiledFxGraph {'b' if again else 'a'}f ##", at + 710 if again else at + 40, 150),
            *launch(at + 720 if again else at + 50, kernel_us, cpu=20),
        ]
        if again:
            events.append(op("_compile.compile_inner (dynamo_timed)", at + 40, 600))
        return events

    return loop(body)


def graph(by: str, number: int) -> list[Event]:
    def body(i: int, at: float) -> list[Event]:
        one = next(_ids)
        return [call(at + 10, 6, one, by), *(kernel(at + 30 + 50 * j, 40, one) for j in range(number))]

    return loop(body)


def with_call(name: str, *, first_only: bool = False, dur: float = 200) -> list[Event]:
    def body(i: int, at: float) -> list[Event]:
        extra = [call(at + 20, dur, None, name)] if i == 0 or not first_only else []
        return [*extra, *launch(at + 500, 300)]

    return loop(body)


def capturing(inside: bool) -> list[Event]:
    events = steady(900)
    return [
        *events,
        call(700, 2, None, "cudaStreamBeginCapture"),
        *([call(705, 2, 999)] if inside else []),
        call(710, 2, None, "cudaStreamEndCapture"),
    ]


LONG_SETTLING = [
    step(2, 0, 100),
    step(3, 100, 100),
    step(4, 200, 100),
    *launch(10, 5),
    *launch(110, 5),
    *launch(210, 5),
]
UNSETTLED = [
    step(2, 0, 100),
    step(3, 100, 100),
    step(4, 200, 150),
    *launch(10, 5),
    *launch(110, 5),
    *launch(210, 5),
]

SGEMM, TENSOR_GEMM = "ampere_sgemm_128x64_nn", "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn"

#: id → (a trace in which the rule speaks, one in which it is silent)
EXAMPLES: dict[str, tuple[Example | list[Event], Example | list[Event]]] = {
    "overhead-bound": (steady(100), steady(950)),
    "gpu-bound": (steady(980), steady(700)),
    "mixed": (steady(700), steady(980)),
    "input-bound": (loader(200, 700), loader(200, 0)),
    "comm-bound": (collective(True, 600), collective(False, 600)),
    "hotspot": (
        loop(lambda i, at: [*launch(at + 10, 700), *launch(at + 20, 200, "other", after=700)]),
        loop(
            lambda i, at: [
                *launch(at + 10, 445),
                *launch(at + 20, 445, "other", after=450),
                *launch(at + 30, 9, "x", after=890),
            ]
        ),
    ),
    "many-calls": (many(2, 12), many(2, 12, number=60)),
    "children-dominate": (
        loop(lambda i, at: [op("aten::linear", at + 5, 90), op("aten::t", at + 6, 86), *launch(at + 200, 5)]),
        loop(lambda i, at: [op("aten::linear", at + 5, 90), op("aten::t", at + 6, 40), *launch(at + 200, 5)]),
    ),
    "cold-first-step": (first_longer(1000), first_longer(220)),
    "profiler-first-step": (first_longer(220), first_longer(110)),
    "dead-window": (dead(200), dead(8)),
    "steps-not-settled": (UNSETTLED, LONG_SETTLING),
    "graph-launch": (graph("cudaGraphLaunch", 3), graph("cudaLaunchKernel", 1)),
    "occupancy-query": (
        with_call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", dur=2),
        with_call("cudaFuncGetAttributes", dur=2),
    ),
    "allocation-in-window": (with_call("cudaMalloc"), with_call("cudaMalloc", first_only=True)),
    "hidden-sync": (waiting("item"), waiting("nothing")),
    "explicit-sync": (waiting("explicit"), waiting("at-the-end")),
    "blocking-copy": (waiting("to"), waiting("to-async")),
    "pageable-copy": (upload("Pageable", 200), upload("Pinned", 200)),
    "hidden-copy": (
        copied(("aten::masked_fill", "aten::clone", "aten::copy_")),
        copied(("aten::clone", "aten::copy_")),
    ),
    "bias-copy-before-gemm": (addmm(seeded=True), addmm(seeded=False)),
    "buffer-request": (
        [*steady(900), overhead(50, 200)],
        [*steady(900), overhead(50, 200, "Lazy Function Loading")],
    ),
    "module-loading": (
        [*steady(900), overhead(50, 200, "Lazy Function Loading")],
        [*steady(900), overhead(50, 200)],
    ),
    "profiler-flush": (
        [*steady(900), call(3010, 500, None, "cudaDeviceSynchronize")],
        [*steady(900), call(3010, 20, None, "cudaDeviceSynchronize")],
    ),
    "with-stack-cost": ([*steady(900), event("python_function", "train.py(3): step", 5, 80)], steady(900)),
    "many-tiny-kernels": (many(2, 12), many(2, 12, hidden=True)),
    "idle-while-queued": (late(queued=True), late(queued=False)),
    "one-off-gap": (gap_once({3}), gap_once({1, 3})),
    "launch-queue-full": (queue(100), queue(2)),
    "stalled-launch-call": (queue(2), queue(100)),
    "input-starved": (loader(250, 700), loader(250, 20)),
    "matmul-backend": (
        steady(900, ops=("aten::matmul", "aten::mm")),
        steady(900, ops=("aten::add",)),
    ),
    "addmm-fused-in-dispatcher": (steady(900, ops=("aten::linear", "aten::addmm")), steady(900)),
    "kernel-variance": (varying(slow_every=False), varying(slow_every=True)),
    "tensor-cores-unused": (steady(900, name=SGEMM), steady(900, name=TENSOR_GEMM)),
    "low-occupancy-by-design": (footprint(255, 49152), footprint(32, 1024)),
    "occupancy-not-measured": (footprint(168, 164308, 0), footprint(168, 1024, 0)),
    "compiled-region": (compiled(900), steady(900)),
    "guard-check-each-call": (compiled(900), steady(900)),
    "recompiled-in-window": (compiled(100, compiles=True), compiled(100)),
    "compile-tax": (compiled(100), compiled(940)),
    "comm-exposed": (collective(True, 200), collective(False, 200)),
    "no-gpu-events": ([step(2, 0, 100), op("aten::mm", 10, 20)], steady(900)),
    "kernels-lost": ([*steady(900), call(500, 4, 998)], [*steady(900), call(500, 4, 998, "cudaMemcpyAsync")]),
    "no-steps": ([e for e in steady(900) if "Profiler" not in e["name"]], steady(900)),
    "clock-skew": (steady(900, after=-1), steady(900, after=1)),
    "launched-before-window": (
        [*steady(900), kernel(2, 8, 997)],
        [*steady(900), call(1, 1, 997), kernel(2.5, 8, 997)],
    ),
    "captured-launches": (capturing(True), capturing(False)),
}
