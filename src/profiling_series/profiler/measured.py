"""Measurements that leave figures instead of a trace: one JSON file each, with the same provenance."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from profiling_series import workloads
from profiling_series.errors import UsageError
from profiling_series.profiler import provenance as provenances
from profiling_series.profiler import store
from profiling_series.profiler.captured import KEEP


@dataclass(frozen=True, repr=False)
class Measurement:
    """Figures that a fresh process measured without the profiler.

    Parameters
    ----------
    values : dict
        The figures, by the names that the child process gave them.
    provenance : dict
        As of a capture: machine, versions, date, request, digest, and ``source``.
    path : Path
        Its file, ``….measure.json``.
    """

    kind: ClassVar[str]

    values: dict[str, Any]
    provenance: dict[str, Any]
    path: Path

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.key}: {self.source_line}>"

    @property
    def key(self) -> str:
        """Return the name of the file without its ending."""
        return str(self.provenance["key"])

    @property
    def source(self) -> str:
        """Return ``"live"`` or ``"recorded"``."""
        return str(self.provenance["source"])

    @property
    def source_line(self) -> str:
        """Return the line to put under every figure: live or recorded, on what, with which torch, when."""
        return provenances.source_line(self.provenance)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what a reader of these figures should know, one line each."""
        return tuple(self.provenance.get("warnings", ()))

    @property
    def on_gpu(self) -> bool:
        """Return whether a GPU was measured."""
        return self.provenance.get("gpu") is not None

    def save(self, out: str | os.PathLike[str]) -> Self:
        """Return the measurement as stored, ``<out>/<key>.measure.json``."""
        return self._stored(out, {})

    def _stored(self, out: str | os.PathLike[str], more: dict[str, Any]) -> Self:
        path = store.place_measure(out, self.key)
        store.write_measure(path, {**self.provenance, **more, "values": self.values})
        return replace(self, path=path)

    def kept(self) -> Self:
        """Return the measurement, a copy of it kept where a build lists what it measured."""
        if folder := os.environ.get(KEEP):
            self._stored(folder, {"kept_as": self.source})
        return self


def read_facts(path: Path) -> dict[str, Any]:
    """Return what a measurement's file holds, or raise `UsageError` in one line."""
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"no measurement here: {error.filename}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path}: not a measurement: {error}") from None
    if not isinstance(facts, dict) or not {"kind", "key", "values", "digest"} <= set(facts):
        raise UsageError(f"{path}: not a measurement of this package")
    return facts


def from_file(path: Path, *, source: str) -> Measurement:
    """Return the measurement of a file, with its source set.

    Parameters
    ----------
    path : Path
        ``….measure.json``.
    source : {"live", "recorded"}
        What to call it; a copy that a build has kept knows itself.

    Raises
    ------
    UsageError
        There is no such file, or it is none of ours.
    """
    from profiling_series.profiler.best_rates import Ceilings
    from profiling_series.profiler.timing import Timing

    facts = read_facts(path)
    classes: dict[str, type[Measurement]] = {cls.kind: cls for cls in (Timing, Ceilings)}
    if facts["kind"] not in classes:
        raise UsageError(f"{path}: unknown kind of measurement {facts['kind']!r:.40}")
    values = facts.pop("values")
    provenance = {**facts, "source": facts.pop("kept_as", source), "changed": _changed(facts)}
    return classes[facts["kind"]](values=values, provenance=provenance, path=path)


def _changed(facts: dict[str, Any]) -> str | None:
    """Return how to say that what was measured has changed since, None where it has not."""
    if facts.get("workload") is None:
        return None
    try:
        same = facts["code"] == workloads.code_digest(workloads.from_json(facts["workload"]))
    except (KeyError, UsageError):
        same = False
    return None if same else "of a workload that has changed since"
