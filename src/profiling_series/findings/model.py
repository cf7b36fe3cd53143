"""What a rule and a finding are, and the register of all rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from profiling_series.format import one_line

if TYPE_CHECKING:
    from profiling_series.trace import Trace

#: The parts of the cheat sheet, in its order.
SECTIONS = ("verdict", "table", "cpu lane", "gpu lane", "dispatch", "compile", "recording")
CONFIDENCES = ("sure", "likely", "unknown")
#: Events that a finding shows as its proof; the sentence gives the number of all.
MOST_EVIDENCE = 5


@dataclass(frozen=True)
class Evidence:
    """An event that proves a finding, as the trace holds it; times in µs of the file's own clock."""

    name: str
    ts_us: float
    dur_us: float


@dataclass(frozen=True)
class Says:
    """What a rule has to say about one trace.

    Parameters
    ----------
    text : str
        One sentence or two, with figures and units.
    rows : iterable of int
        Rows of the events that prove it, the most telling first.
    at_stake_us : float or None
        GPU idle time, or GPU work, in the verdict's window that would go away; None for what costs the GPU
        nothing, or where the trace cannot tell.
    confidence : {"sure", "likely", "unknown"}
        Unknown: "cannot tell, because …".
    """

    text: str
    rows: Iterable[int] = ()
    at_stake_us: float | None = None
    confidence: str = "sure"


@dataclass(frozen=True)
class Finding:
    """What a rule found in a trace; the fields are those of the contract of ``read --json``.

    Attributes
    ----------
    id, title : str
        Those of the rule.
    says : str
        One line with figures and units. Names of events in it are the trace's own: escape it for HTML.
    confidence : str
        ``"sure"``, ``"likely"`` or ``"unknown"`` (the trace cannot tell, and the sentence says why).
    at_stake_us : float or None
        GPU idle time, or GPU work, in the verdict's window that would go away, µs.
    evidence : tuple of Evidence
        Events that prove it.
    lesson : str or None
        Key of the lesson that explains it.
    holds_for : str
        GPUs, torch versions and launch paths that it is true of.
    artefact : bool
        Whether it is the profiler's own doing, not the code's.
    fault : bool
        Whether it is something in the code that costs time and can be changed.
    """

    id: str
    title: str
    says: str
    confidence: str
    at_stake_us: float | None
    evidence: tuple[Evidence, ...]
    lesson: str | None
    holds_for: str
    artefact: bool
    fault: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain data, under the contract's keys."""
        return {
            "id": self.id,
            "title": self.title,
            "says": self.says,
            "confidence": self.confidence,
            "at_stake_us": self.at_stake_us,
            "evidence": [{"name": e.name, "ts_us": e.ts_us, "dur_us": e.dur_us} for e in self.evidence],
            "lesson": self.lesson,
            "holds_for": self.holds_for,
            "artefact": self.artefact,
            "fault": self.fault,
        }


Look = Callable[[Any], Iterable[Says]]


@dataclass(frozen=True)
class Rule:
    """A row of the cheat sheet, and the function that looks for it.

    Attributes
    ----------
    id, title : str
        Its name for programs and for people.
    section : str
        Where one meets it, one of `SECTIONS`.
    sees, means, do : str
        What one sees in the table or the trace, what it usually means, and what to do.
    holds_for : str
        Where it is true.
    look : callable
        Takes a trace and yields `Says`.
    lesson : str or None
        Key of the lesson that explains it.
    artefact, fault : bool
        See `Finding`.
    """

    id: str
    title: str
    section: str
    sees: str
    means: str
    do: str
    holds_for: str
    look: Look
    lesson: str | None = None
    artefact: bool = False
    fault: bool = False

    def __call__(self, trace: Trace) -> list[Finding]:
        """Return what the rule finds in a trace; an empty list if nothing."""
        return [self._finding(trace, said) for said in self.look(trace)]

    def _finding(self, trace: Trace, said: Says) -> Finding:
        rows = list(dict.fromkeys(int(row) for row in said.rows))[:MOST_EVIDENCE]
        events = [trace.event(row) for row in rows]
        return Finding(
            id=self.id,
            title=self.title,
            says=one_line(said.text),
            confidence=said.confidence,
            at_stake_us=None if said.at_stake_us is None else round(float(said.at_stake_us), 3),
            evidence=tuple(Evidence(e.name, e.ts_us, e.dur_us) for e in events),
            lesson=self.lesson,
            holds_for=self.holds_for,
            artefact=self.artefact,
            fault=self.fault,
        )


#: Every rule by its id; filled by `rule`.
RULES: dict[str, Rule] = {}


def rule(
    id: str,
    title: str,
    *,
    section: str,
    sees: str,
    means: str,
    do: str,
    holds_for: str,
    lesson: str | None = None,
    artefact: bool = False,
    fault: bool = False,
) -> Callable[[Look], Look]:
    """Return a decorator that registers a function as the rule of that id; see `Rule` for the words."""

    def register(look: Look) -> Look:
        if id in RULES:
            raise ValueError(f"two rules have the id {id!r}")
        if section not in SECTIONS:
            raise ValueError(f"{id}: no section {section!r} among {', '.join(SECTIONS)}")
        RULES[id] = Rule(
            id=id,
            title=title,
            section=section,
            sees=sees,
            means=means,
            do=do,
            holds_for=holds_for,
            look=look,
            lesson=lesson,
            artefact=artefact,
            fault=fault,
        )
        return look

    return register
