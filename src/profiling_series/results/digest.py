"""The rule of the digest by which the result of a request is found, in a build and in the recordings.

It is that of the first recordings, so that they are found as ever: a capture names no kind, the first of
several runs is the single one, a sweep over eager points is one over workloads, and a workload is its name
beside its parameters.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import msgspec


def digest_of(request: msgspec.Struct) -> str:
    """Return 16 hex digits over all fields of a request, whatever the order of their names.

    Parameters
    ----------
    request : Request, SweepRequest, TimingRequest or CeilingsRequest
        What is asked for.
    """
    facts: dict[str, Any] = msgspec.to_builtins(request)
    if facts["kind"] == "capture":
        del facts["kind"]
    if facts.get("run") == 0:
        del facts["run"]
    if "workload" in facts:
        facts["workload"] = _described(facts["workload"])
    if "points" in facts:
        points = [{**one, "workload": _described(one["workload"])} for one in facts.pop("points")]
        eager = all(one["compile"] is None for one in points)
        facts |= {"workloads": [one["workload"] for one in points]} if eager else {"points": points}
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _described(workload: dict[str, Any]) -> dict[str, Any]:
    name = workload.pop("name")
    return {"name": name, "params": workload}
