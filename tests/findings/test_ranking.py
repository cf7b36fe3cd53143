from __future__ import annotations

import json
import subprocess
import sys

import pytest

from profiling_series import findings
from profiling_series.findings import RULES, Says, as_dicts, find, reading
from profiling_series.findings.model import MOST_EVIDENCE, Rule

from ..trace.build import read_events
from .examples import launch, loop, steady, waiting


@pytest.fixture
def trace(tmp_path):
    return read_events(tmp_path, *waiting("item"))


def test_the_most_at_stake_comes_first_and_the_profilers_own_last(tmp_path):
    from ..trace.build import call

    trace = read_events(tmp_path, *waiting("item"), call(3010, 900, None, "cudaDeviceSynchronize"))
    found = find(trace)
    stakes = [finding.at_stake_us or 0.0 for finding in found]
    assert stakes == sorted(stakes, reverse=True)
    assert stakes[0] > 0
    assert found[-1].id == "profiler-flush"


def test_what_has_nothing_at_stake_comes_by_its_longest_event(tmp_path):
    found = find(read_events(tmp_path, *steady(980)))
    rest = [one for one in found if not one.at_stake_us and one.confidence != "unknown" and not one.artefact]
    longest = [max((event.dur_us for event in one.evidence), default=0.0) for one in rest[1:]]
    assert longest == sorted(longest, reverse=True)


def test_a_gpu_bound_verdict_leads_where_nothing_is_at_stake(tmp_path):
    found = find(read_events(tmp_path, *steady(980)))
    assert found[0].id == "gpu-bound"


def test_the_reading_is_the_traces_with_findings_in_it(trace):
    read = reading(trace)
    assert read["findings"] == as_dicts(find(trace))
    assert read["findings"]
    assert {**read, "findings": []} == trace.as_dict()
    text = json.dumps(read, allow_nan=False)
    assert json.loads(text)["findings"][0]["id"] == read["findings"][0]["id"]
    contract = {"id", "title", "says", "confidence", "at_stake_us", "evidence", "lesson", "holds_for"}
    for finding in read["findings"]:
        assert contract <= set(finding)
        assert all(set(event) == {"name", "ts_us", "dur_us"} for event in finding["evidence"])


def test_times_of_the_evidence_are_the_files_own(trace):
    (sync,) = RULES["hidden-sync"](trace)
    first = sync.evidence[0]
    assert first.name == "cudaStreamSynchronize"
    assert first.ts_us == 4_100_000_000_000 + 1000 + 40
    assert first.dur_us == 400


def test_evidence_is_cut_and_named_once(trace):
    rule = Rule(
        "x", "t", "recording", "s", "m", "d", "h", look=lambda t: [Says("a\nb", rows=[*range(9), 0, 0])]
    )
    (found,) = rule(trace)
    assert len(found.evidence) == MOST_EVIDENCE
    assert found.says == "a b"


def test_names_of_a_hostile_trace_do_no_harm(tmp_path):
    hostile = "</script><b>\x1b[31m\u202egemm" + "x" * 5000
    trace = read_events(
        tmp_path, *loop(lambda i, at: [*launch(at + 10, 500, hostile), *launch(at + 20, 300, "b", after=600)])
    )
    said = {finding.id: finding.says for finding in find(trace)}
    assert "\x1b" not in said["hotspot"]
    assert "\u202e" not in said["hotspot"]
    assert len(said["hotspot"]) < 400


def test_nothing_here_loads_torch():
    code = "import sys, profiling_series.findings as f; f.find; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=120, env=_env()).returncode == 0


def _env():
    import os
    from pathlib import Path

    return {**os.environ, "PYTHONPATH": str(Path(findings.__file__).parents[2])}
