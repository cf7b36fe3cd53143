"""The cheat sheet as rules over a trace: one small function a rule, with its proof and where it holds.

To add a rule, write a generator over a `Trace` in the module of its subject and register it with `rule`; it
yields `Says`, one for each thing that it has to say. Nothing here imports torch.
"""

from __future__ import annotations

from profiling_series.findings import (  # noqa: F401  (in the order of the cheat sheet)
    artefacts,
    communication,
    compiled,
    copies,
    dispatch,
    graphs,
    kernels,
    recording,
    start,
    stream,
    syncs,
    verdicts,
)
from profiling_series.findings.model import RULES, Evidence, Finding, Rule, Says, rule
from profiling_series.findings.ranking import as_dicts, find, reading

__all__ = ["RULES", "Evidence", "Finding", "Rule", "Says", "as_dicts", "find", "reading", "rule"]
