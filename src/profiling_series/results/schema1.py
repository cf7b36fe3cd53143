"""Files of schema 1, in which request, machine and moment lay side by side: the shipped recordings.

They are recordings of a GPU, and are not edited; they are read as what they would be today.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from profiling_series.results.provenance import Machine
from profiling_series.workloads import WORKLOADS

_REQUESTS = {
    "capture": ("warm", "compile", "schedule", "seed", "run"),
    "timing": ("compile", "seed", "run"),
    "ceilings": ("dtypes", "seed"),
    "sweep": ("steps", "seed"),
}
_KEPT = (
    *("key", "digest", "annotation", "schedule", "cycle"),
    *("elapsed_s", "stages_s", "warnings", "trace_sha256"),
)


def as_schema_2(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a provenance, as a file of today would hold them."""
    kind = facts.get("kind", "capture")
    names = _REQUESTS.get(kind, ())
    request: dict[str, Any] = {"kind": kind, **{name: facts[name] for name in names if name in facts}}
    measured = [_flat(one) for one in facts.get("workloads") or [facts.get("workload")]]
    if kind == "sweep":
        request["points"] = [{"workload": one} for one in measured]
    elif measured[0] is not None:
        request["workload"] = measured[0]
    cls = WORKLOADS.get((measured[0] or {}).get("name", ""))
    return {
        **{name: facts[name] for name in _KEPT if name in facts},
        "request": None if facts.get("digest") is None else request,
        "code": {cls.code: facts["code"]} if cls and facts.get("code") else {},
        "machine": {name: facts[name] for name in Machine.__struct_fields__ if name in facts},
        "kept_as": facts.get("kept_as"),
    }


def _flat(workload: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a workload with its parameters beside its name."""
    return None if workload is None else {"name": workload.get("name"), **workload.get("params", {})}
