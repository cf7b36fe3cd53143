"""The small cases that broke readers, read by the rules: what they are about is named, and nothing untrue."""

from __future__ import annotations

from pathlib import Path

import pytest

from profiling_series.errors import TraceError
from profiling_series.findings import find
from profiling_series.trace import read

CASES = Path(__file__).parents[1] / "data" / "cases"

#: Case → findings that must be there, and findings that must not.
NAMED: dict[str, tuple[set[str], set[str]]] = {
    "34-cold-then-warm": (
        {"cold-first-step", "dead-window", "buffer-request", "profiler-flush", "occupancy-query"},
        {"hotspot", "explicit-sync"},
    ),
    "35-kernel-before-launch": ({"clock-skew"}, set()),
    "36-kernel-inside-launch-call": (set(), {"clock-skew"}),
    "37-queue-depth-is-not-overhead": (
        {"gpu-bound"},
        {"overhead-bound", "idle-while-queued", "explicit-sync"},
    ),
    "38-cuda-graph-replay": ({"graph-launch"}, {"launched-before-window"}),
    "40-every-launch-name": ({"graph-launch", "occupancy-query"}, {"kernels-lost"}),
    "41-kernels-launched-before-window": ({"launched-before-window"}, {"kernels-lost"}),
    "42-launch-without-kernel": ({"kernels-lost"}, {"overhead-bound", "gpu-bound", "mixed"}),
    "46-external-id-is-the-outer-op": ({"comm-exposed", "comm-bound", "no-steps"}, {"gpu-bound"}),
    "52-two-streams-overlap": ({"gpu-bound"}, {"idle-while-queued"}),
    "55-profiler-overhead-lane": ({"buffer-request", "module-loading"}, {"stalled-launch-call"}),
    "56-no-profiler-step": ({"no-steps"}, {"steps-not-settled", "cold-first-step"}),
    "57-trailing-empty-step": (set(), {"steps-not-settled", "cold-first-step"}),
    "60-gpu-work-after-step-end": ({"gpu-bound"}, {"launched-before-window"}),
    "61-sync-inflates-cpu": ({"gpu-bound"}, {"overhead-bound", "explicit-sync"}),
    "62-hidden-item-sync": (
        {"hidden-sync"},
        {"explicit-sync", "blocking-copy", "pageable-copy", "overhead-bound"},
    ),
    "69-rocm": ({"graph-launch", "blocking-copy"}, {"no-gpu-events"}),
    "72-cpu-only": ({"no-gpu-events"}, {"overhead-bound"}),
    "73-launches-but-no-gpu-events": ({"no-gpu-events"}, {"kernels-lost", "overhead-bound", "explicit-sync"}),
    "81-recompile-inside-a-step": ({"recompiled-in-window", "compiled-region", "no-gpu-events"}, set()),
    "83-compiled": (
        {"bias-copy-before-gemm", "addmm-fused-in-dispatcher", "compile-tax"},
        {"recompiled-in-window", "hidden-copy"},
    ),
    "83-eager": ({"matmul-backend"}, {"bias-copy-before-gemm", "compiled-region"}),
    "86-one-slow-kernel": ({"kernel-variance"}, {"hotspot"}),
}  # fmt: skip


def ids(path):
    return {finding.id for finding in find(read(path))}


@pytest.mark.parametrize("case", NAMED)
def test_a_case_is_named_and_not_misnamed(case):
    must, must_not = NAMED[case]
    found = ids(CASES / f"{case}.json")
    assert must <= found
    assert not must_not & found


def test_the_sentences_of_a_case_hold_its_figures():
    by_id = {finding.id: finding for finding in find(read(CASES / "62-hidden-item-sync.json"))}
    assert "3 hidden synchronizations" in by_id["hidden-sync"].says
    assert "3 × aten::item" in by_id["hidden-sync"].says
    assert "2,700 µs of it waiting" in by_id["hidden-sync"].says
    by_id = {finding.id: finding for finding in find(read(CASES / "81-recompile-inside-a-step.json"))}
    assert (
        "1 compilation in 1 step (ProfilerStep#2 the first), 1,748,000 µs"
        in by_id["recompiled-in-window"].says
    )
    assert "compiled again" in by_id["recompiled-in-window"].says
    by_id = {finding.id: finding for finding in find(read(CASES / "86-one-slow-kernel.json"))}
    assert "1 of 5 equal runs took up to 3,100 µs" in by_id["kernel-variance"].says
    assert "median of 580.0 µs; the mean, 1,084 µs" in by_id["kernel-variance"].says
    by_id = {finding.id: finding for finding in find(read(CASES / "34-cold-then-warm.json"))}
    assert "ProfilerStep#2 takes 640.0 µs: 7.2 times the 89.0 µs" in by_id["cold-first-step"].says
    assert "after 230.0 µs" in by_id["dead-window"].says


@pytest.mark.parametrize("path", sorted(CASES.glob("*.json*")), ids=lambda path: path.stem)
def test_every_case_that_can_be_read_gets_findings_without_an_error(path):
    try:
        trace = read(path)
    except TraceError:
        return
    found = find(trace)
    assert len({finding.id for finding in found}) == len(found)
    assert all("\x1b" not in finding.says and "\n" not in finding.says for finding in found)
