from __future__ import annotations

from profiling_series.cli import main
from profiling_series.findings import RULES


def test_all_findings_are_listed(capsys):
    assert main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(RULES)


def test_a_finding_is_explained(capsys):
    assert main(["explain", "cold-first-step", "overhead-bound"]) == 0
    out = capsys.readouterr().out
    for word in ("cold-first-step", "overhead-bound", "you see", "it means", "do ", "holds"):
        assert word in out
    assert all(len(line) <= 100 for line in out.splitlines())


def test_an_unknown_finding_names_near_ones(capsys):
    assert main(["explain", "overhead-bond"]) == 2
    errors = capsys.readouterr().err
    assert "overhead-bound" in errors
    assert len(errors.splitlines()) == 1
