"""Every rule speaks where it must and is silent where it must be; what it says rests on the trace."""

from __future__ import annotations

import json
import re

import pytest

from profiling_series.findings import RULES, find
from profiling_series.findings.model import CONFIDENCES, SECTIONS

from ..trace.build import read_events
from .examples import EXAMPLES, Example

#: The list that the project set out with.
FIRST_IDS = [
    "overhead-bound", "gpu-bound", "hotspot", "many-calls", "children-dominate", "cold-first-step",
    "dead-window",
    "occupancy-query", "profiler-flush", "hidden-copy", "buffer-request", "one-off-gap", "kernel-variance",
    "bias-copy-before-gemm", "matmul-backend", "addmm-fused-in-dispatcher", "compiled-region",
    "guard-check-each-call", "recompiled-in-window", "compile-tax", "graph-launch", "tensor-cores-unused",
    "hidden-sync", "pageable-copy", "low-occupancy-by-design", "occupancy-not-measured", "many-tiny-kernels",
    "stalled-launch-call", "input-starved", "blocking-copy", "idle-while-queued", "launch-queue-full",
    "steps-not-settled", "captured-launches", "kernels-lost", "no-gpu-events", "no-steps", "clock-skew",
    "launched-before-window", "comm-exposed",
]  # fmt: skip
#: What was found missing since.
LATER_IDS = [
    "mixed", "input-bound", "comm-bound", "profiler-first-step", "explicit-sync", "allocation-in-window",
    "module-loading", "with-stack-cost",
]  # fmt: skip
UNIT = re.compile(r"\d ?(µs|%)|\d (frame|event|kernel|launch call)")


def trace_of(tmp_path, example):
    example = example if isinstance(example, Example) else Example(example)
    return read_events(tmp_path, *example.events, **example.metadata)


def ids(findings):
    return [finding.id for finding in findings]


def test_the_register_holds_the_list_and_nothing_unlisted():
    assert sorted(RULES) == sorted(FIRST_IDS + LATER_IDS)
    assert all(rule.id == id for id, rule in RULES.items())


def test_every_rule_has_both_examples():
    assert sorted(EXAMPLES) == sorted(RULES)


@pytest.mark.parametrize("id", EXAMPLES)
def test_it_speaks_where_it_must(tmp_path, id):
    found = RULES[id](trace_of(tmp_path, EXAMPLES[id][0]))
    assert ids(found) == [id]


@pytest.mark.parametrize("id", EXAMPLES)
def test_it_is_silent_where_it_must_be(tmp_path, id):
    assert ids(RULES[id](trace_of(tmp_path, EXAMPLES[id][1]))) == []


@pytest.mark.parametrize("id", EXAMPLES)
@pytest.mark.parametrize("side", [0, 1])
def test_what_is_said_rests_on_the_trace(tmp_path, id, side):
    trace = trace_of(tmp_path, EXAMPLES[id][side])
    events = {(trace.name(row), trace.event(row).ts_us, trace.event(row).dur_us) for row in range(len(trace))}
    window = trace.verdict["window_us"] or 0.0
    for finding in find(trace):
        assert finding.confidence in CONFIDENCES
        assert {(e.name, e.ts_us, e.dur_us) for e in finding.evidence} <= events
        assert finding.evidence or finding.confidence == "unknown" or finding.id == "comm-bound", finding.id
        assert UNIT.search(finding.says) or finding.id == "no-gpu-events", finding.says
        assert re.fullmatch(r"[A-Z\d#a-z].*[.?]", finding.says), finding.says
        assert "nan" not in finding.says
        if finding.at_stake_us is not None:
            assert 0 <= finding.at_stake_us <= max(window, 0) + 0.01 or finding.id == "recompiled-in-window"
        json.dumps(finding.as_dict(), allow_nan=False)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_every_rule_has_its_words(rule):
    assert rule.section in SECTIONS
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.id)
    for words in (rule.title, rule.sees, rule.means, rule.do, rule.holds_for):
        assert len(words) > 5
        assert not words.endswith(".")
        assert "  " not in words
    assert rule.lesson is None or re.fullmatch(r"part[1-3]-\d\d", rule.lesson)
    assert not (rule.artefact and rule.fault)
    assert rule.look.__doc__


def test_every_section_has_a_rule():
    assert {rule.section for rule in RULES.values()} == set(SECTIONS)


def test_two_rules_of_one_id_are_refused():
    from profiling_series.findings import rule

    words = {"sees": "s", "means": "m", "do": "d", "holds_for": "h"}
    with pytest.raises(ValueError, match="two rules have the id 'no-steps'"):
        rule("no-steps", "t", section="recording", **words)(lambda trace: [])
    with pytest.raises(ValueError, match="no section 'elsewhere'"):
        rule("new-one", "t", section="elsewhere", **words)(lambda trace: [])
    assert "new-one" not in RULES
