"""Planted faults against their healthy twins: what each costs, and whether the rules tell them apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from profiling_series.findings.model import Finding
from profiling_series.findings.ranking import find
from profiling_series.format import share, us

if TYPE_CHECKING:
    from profiling_series.trace import Trace
    from profiling_series.workloads.faults import Fault


@dataclass(frozen=True)
class Side:
    """One twin as measured.

    Attributes
    ----------
    pace_us : float or None
        What a step costs.
    busy : float or None
        ``gpu_busy_share`` of the verdict.
    regime : str
        The verdict.
    faults : tuple of Finding
        What the rules call a fault in it; informational findings, artefacts and verdicts left out.
    steps : int
        Steps in the verdict's window.
    """

    pace_us: float | None
    busy: float | None
    regime: str
    faults: tuple[Finding, ...]
    steps: int


@dataclass(frozen=True)
class Row:
    """A planted fault and its twin.

    Attributes
    ----------
    finding, workload : str
        Id of the finding that must name it, name of the workload.
    faulty, healthy : Side or None
        None where a twin was not measured.
    """

    finding: str
    workload: str
    faulty: Side | None
    healthy: Side | None

    @property
    def ratio(self) -> float | None:
        """Pace with the fault ÷ pace without; None where one of them is not known."""
        if not self.faulty or not self.healthy or not self.faulty.pace_us or not self.healthy.pace_us:
            return None
        return self.faulty.pace_us / self.healthy.pace_us

    @property
    def named(self) -> Finding | None:
        """The finding that names the fault, in the faulty twin."""
        faults = self.faulty.faults if self.faulty else ()
        return next((finding for finding in faults if finding.id == self.finding), None)

    @property
    def hit(self) -> bool | None:
        """Whether the fault was named; None where it was not measured."""
        return None if self.faulty is None else self.named is not None

    @property
    def beside(self) -> tuple[str, ...]:
        """Ids of other faults that were named in the faulty twin."""
        faults = self.faulty.faults if self.faulty else ()
        return tuple(finding.id for finding in faults if finding.id != self.finding)

    @property
    def false_alarms(self) -> tuple[str, ...]:
        """Ids of the faults that were named in the healthy twin."""
        return tuple(finding.id for finding in self.healthy.faults) if self.healthy else ()

    @property
    def stake_a_step_us(self) -> float | None:
        """What the finding says is at stake, a step."""
        if self.named is None or self.named.at_stake_us is None or not self.faulty:
            return None
        return self.named.at_stake_us / max(self.faulty.steps, 1)

    @property
    def cost_a_step_us(self) -> float | None:
        """What the fault costs a step: the difference of the paces."""
        if self.ratio is None or not self.faulty or not self.healthy:
            return None
        return (self.faulty.pace_us or 0) - (self.healthy.pace_us or 0)


def table(captures: Iterable[tuple[Fault, Any, Any]]) -> list[Row]:
    """Return one row a planted fault.

    Parameters
    ----------
    captures : iterable of (Fault, faulty, healthy)
        The twins as `Capture` or `Trace`; None for one that was not measured.

    Returns
    -------
    list of Row
        In the order given.
    """
    return [
        Row(fault.finding, fault.faulty.name, _side(faulty), _side(healthy))
        for fault, faulty, healthy in captures
    ]


def _side(measured: Any) -> Side | None:
    if measured is None:
        return None
    trace: Trace = getattr(measured, "trace", measured)
    verdict = trace.verdict
    return Side(
        pace_us=trace.as_dict()["pace_us"],
        busy=verdict["gpu_busy_share"],
        regime=verdict["regime"],
        faults=tuple(finding for finding in find(trace) if finding.fault),
        steps=verdict["steps_used"],
    )


def as_text(rows: Iterable[Row]) -> str:
    """Return the rows as a table for a terminal."""
    head = (
        "fault", "workload", "healthy", "busy", "faulty", "busy", "ratio", "cost", "stake", "hit", "beside",
        "false alarms",
    )  # fmt: skip
    cells = [head, *(_cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.finding,
        row.workload,
        *_side_cells(row.healthy),
        *_side_cells(row.faulty),
        "?" if row.ratio is None else f"{row.ratio:.2f}",
        _us(row.cost_a_step_us),
        _us(row.stake_a_step_us),
        {True: "yes", False: "NO", None: "?"}[row.hit],
        ", ".join(row.beside) or "-",
        ", ".join(row.false_alarms) or "-",
    )


def _side_cells(side: Side | None) -> tuple[str, str]:
    if side is None:
        return "not measured", "?"
    busy = "?" if side.busy is None else share(side.busy)
    return _us(side.pace_us), f"{busy} {side.regime}"


def _us(value: float | None) -> str:
    return "?" if value is None else us(value)
