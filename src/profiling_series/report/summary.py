"""The reading of a trace on one page: the verdict and why, steps, idle time, launches, kernels, copies."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from ..findings import reading
from ..format import count, number, share, shown, us
from .blocks import Block, Column, Facts, Folded, Grid, Notes, html_of, text_of
from .source import Source, provenance_of, trace_of
from .summary_gpu import copies, devices, kernels, launches, or_unknown
from .view import View

TOP_ANNOTATIONS = 6
TOP_OPS, TOP_OPS_CPU = 5, 10
MAX_DEAD_WINDOWS = 3
MAX_STEPS = 12
"""Steps told one by one; of more, the first and last few."""
SENTENCE_LIMIT = 600


def summary(x: Source) -> View:
    """Return the whole reading of a capture or a trace in words and tables.

    Parameters
    ----------
    x : Capture or Trace
        What to read.

    Returns
    -------
    View
        Steps, the verdict with its reasons and thresholds, busy and idle time, launches, kernels, copies,
        findings, and what the trace cannot tell.

    Raises
    ------
    UsageError
        It is neither.
    """
    trace = trace_of(x)

    def blocks() -> list[Block]:
        return summary_blocks(reading(trace), tuple(getattr(x, "warnings", ())))

    return View(
        kind="summary",
        provenance=provenance_of(x),
        to_text=lambda: text_of(blocks()),
        to_html=lambda: html_of(blocks()),
    )


def summary_blocks(reading: dict[str, Any], warnings: tuple[str, ...] = ()) -> list[Block]:
    """Return the parts of a summary.

    Parameters
    ----------
    reading : dict
        As `profiling_series.findings.reading` gives it, the contract of ``profiling-series read --json``.
    warnings : tuple of str
        Further sentences on what the trace cannot tell.
    """
    parts: list[Block | None] = [
        _verdict(reading),
        *_findings(reading["findings"], "the steady steps" if reading["steps"] else "the window"),
        _steps(reading["steps"]),
        devices(reading),
        launches(reading["launches"]),
        kernels(reading["kernels"]),
        copies(reading["copies"]),
        _ops(reading),
        _annotations(reading["annotations"]),
        _unknown(reading, warnings),
    ]
    return [part for part in parts if part is not None]


def _verdict(reading: dict[str, Any]) -> Facts:
    """Return the verdict, over what, why, and the figures beside it."""
    verdict = reading["verdict"]
    pairs = [("Verdict", verdict["regime"]), ("Because", shown(verdict["because"], SENTENCE_LIMIT))]
    if verdict["window_us"] is not None:
        pairs.append(("Over", f"{shown(verdict['over'], SENTENCE_LIMIT)}, {us(verdict['window_us'])}"))
    if verdict["gpu_work_ratio"] is not None:
        ratio = f"{verdict['gpu_work_ratio']:.3g} × the CPU's time of a step (above 1 the CPU runs ahead)"
        pairs.append(("GPU work", ratio))
    if verdict["gpu_limit"]:
        pairs.append(("GPU limit", verdict["gpu_limit"]))
    if reading["devices"]:
        pairs.append(("Thresholds", _thresholds(verdict["thresholds"])))
    if reading["pace_us"] is not None:
        settled = {
            True: "steps have settled",
            False: "steps have not settled: record more of them (a larger active in the schedule)",
            None: "too few steps to tell",
        }
        pairs.append(("Pace", f"{us(reading['pace_us'])} a step; {settled[reading['settled']]}"))
    where = PurePath(str(reading["file"])).name
    return Facts(f"Reading of {shown(where)}, {count(reading['events'], 'event')}", tuple(pairs))


def _thresholds(thresholds: dict[str, float]) -> str:
    """Return the thresholds of a verdict as a sentence."""
    told = {
        "gpu_bound_share": "gpu-bound from {} GPU busy",
        "overhead_bound_share": "overhead-bound below {}",
        "queued_idle_share": "unless {} of the idle time had work queued or is unexplained",
    }
    return ", ".join(told[key].format(share(value)) for key, value in thresholds.items() if key in told)


def _findings(findings: list[dict[str, Any]], over: str) -> list[Block]:
    """Return the findings as the reading ranks them; those with no time at stake over it are folded."""
    parts: list[Block] = []
    if stakes := [found for found in findings if found["at_stake_us"]]:
        items = tuple(f"{us(found['at_stake_us'])} at stake: {_finding(found)}" for found in stakes)
        parts.append(Notes("Findings", items))
    if rest := [found for found in findings if not found["at_stake_us"]]:
        title = count(len(rest), "further finding") if stakes else count(len(rest), "finding")
        items = tuple(_finding(found) for found in rest)
        parts.append(Folded(f"{title}, with nothing at stake in {over}", items))
    return parts


def _finding(found: dict[str, Any]) -> str:
    """Return a finding as a sentence: what it is, how sure, what it says."""
    sure = "" if found["confidence"] == "sure" else f", {found['confidence']}"
    return shown(f"{found['title']} ({found['id']}{sure}): {found['says']}", SENTENCE_LIMIT)


def _steps(steps: list[dict[str, Any]]) -> Grid | None:
    """Return the steps, CPU and GPU side by side."""
    if not steps:
        return None
    kept = steps if len(steps) <= MAX_STEPS else [*steps[:4], *steps[-4:]]
    on_gpu = any(step["gpu_events"] is not None for step in steps)
    rows = [
        (
            shown(step["name"], 40) + ("" if step["complete"] else " (incomplete)"),
            number(step["dur_us"]),
            number(step["period_us"]) if step["period_us"] is not None else "",
            number(step["overhead_us"]),
            *(
                (or_unknown(step["gpu_events"]), number(step["gpu_sum_us"]), number(step["gpu_busy_us"]))
                if on_gpu
                else ()
            ),
        )
        for step in kept
    ]
    heads = (
        "Step",
        "CPU µs",
        "to next µs",
        "overhead µs",
        *(("GPU events", "GPU sum µs", "GPU busy µs") if on_gpu else ()),
    )
    columns = tuple(Column(head, figures=at > 0) for at, head in enumerate(heads))
    note = "GPU work is counted to the step that launched it, whenever it ran." if on_gpu else ""
    if len(kept) < len(steps):
        note += f" {len(steps) - len(kept)} steps between the fourth and the fourth last are not listed."
    return Grid("Steps", columns, tuple(rows), note)


def _ops(reading: dict[str, Any]) -> Grid | None:
    """Return the ops with most time of their own, more of them where the trace is of the CPU alone."""
    if not reading["ops"]:
        return None
    top = TOP_OPS if reading["devices"] else TOP_OPS_CPU
    whole = sum(op["self_us"] for op in reading["ops"])
    rows = tuple(
        (
            shown(op["name"]),
            f"{op['count']:,}",
            number(op["self_us"]),
            share(op["self_us"] / whole) if whole else "",
            number(op["total_us"]),
        )
        for op in reading["ops"][:top]
    )
    columns = (
        Column("Op", figures=False, flexible=True, kernel=True),
        Column("count"),
        Column("self µs"),
        Column("share"),
        Column("total µs"),
    )
    note = "Self: without the ops and calls inside it. Share: of all ops' self time."
    if reading["steps"]:
        note += " Over all that was recorded, the first step included."
    if (left := len(reading["ops"]) - top) > 0:
        note += f" {count(left, 'further op')} not listed."
    return Grid("Ops by self time, CPU side", columns, rows, note)


def _annotations(annotations: list[dict[str, Any]]) -> Grid | None:
    """Return the annotations with the dead window at the start of the first."""
    if not annotations:
        return None
    rows = tuple(
        (
            shown(found["name"]),
            f"{found['count']:,}",
            number(found["total_us"]),
            _dead_windows(found),
            shown(found["first_op"] or "no op inside", 40),
        )
        for found in annotations[:TOP_ANNOTATIONS]
    )
    columns = (
        Column("Annotation", figures=False, flexible=True, kernel=True),
        Column("count"),
        Column("total µs"),
        Column("dead windows µs"),
        Column("first op", figures=False, kernel=True),
    )
    note = "Dead window: from an annotation's start to its first op, of the first occurrences."
    left = len(annotations) - TOP_ANNOTATIONS
    if left > 0:
        note += f" {count(left, 'further annotation')} not listed."
    return Grid("Annotations, CPU side", columns, rows, note)


def _dead_windows(found: dict[str, Any]) -> str:
    """Return the dead windows of an annotation's first occurrences."""
    windows = found.get("dead_windows_us") or [found["dead_window_us"]]
    if not found["first_op"]:
        return ""
    told = ", ".join("none" if window is None else number(window) for window in windows[:MAX_DEAD_WINDOWS])
    return told + (" …" if len(windows) > MAX_DEAD_WINDOWS else "")


def _unknown(reading: dict[str, Any], warnings: tuple[str, ...]) -> Notes | None:
    """Return what the trace could not tell, and what was set aside in reading it."""
    items = [*reading["warnings"], *warnings]
    if reading["skipped_events"]:
        items.append(f"{count(reading['skipped_events'], 'event')} set aside as broken or without time")
    outside = reading["outside_steps"]
    if reading["steps"] and outside["gpu_events"]:
        items.append(
            f"{count(outside['gpu_events'], 'GPU event')} ({us(outside['gpu_sum_us'])}) launched outside "
            "every step, counted in no step"
        )
    if not reading["steps"]:
        items.append("no ProfilerStep: nothing can be said a step; call prof.step() once an iteration")
    unique = dict.fromkeys(shown(str(item), SENTENCE_LIMIT) for item in items)
    return Notes("What this trace could not tell, or only with care", tuple(unique)) if unique else None
