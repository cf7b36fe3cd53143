"""All rules over one trace, and the reading with their findings in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from profiling_series.findings.model import RULES, Finding

if TYPE_CHECKING:
    from profiling_series.trace import Trace


def find(trace: Trace) -> list[Finding]:
    """Return everything that the rules find in a trace.

    Parameters
    ----------
    trace : Trace
        From `profiling_series.trace.read`.

    Returns
    -------
    list of Finding
        Those with the most time at stake first; then what else the trace shows or cannot tell, and what is
        the profiler's own, each by the longest event that proves it. Times at stake overlap (a verdict
        counts what its causes count again): they rank, they do not add up.
    """
    found = [finding for rule in RULES.values() for finding in rule(trace)]
    return sorted(found, key=_rank)


def _rank(finding: Finding) -> tuple[float, int, float]:
    stake = finding.at_stake_us or 0.0
    kind = 0 if finding.id == "gpu-bound" else 2 if finding.artefact else 1
    return -stake, kind, -max((event.dur_us for event in finding.evidence), default=0.0)


def as_dicts(findings: list[Finding]) -> list[dict[str, Any]]:
    """Return findings as plain data, under the keys of the contract of ``read --json``."""
    return [finding.as_dict() for finding in findings]


def reading(trace: Trace) -> dict[str, Any]:
    """Return the whole reading of a trace, ``Trace.as_dict`` with its findings filled in."""
    return {**trace.as_dict(), "findings": as_dicts(find(trace))}
