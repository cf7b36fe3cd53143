"""The proof of a finding: how it reads on a shipped recording, with the events that carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import recorded

if TYPE_CHECKING:
    from profiling_series.findings import Evidence, Finding
    from profiling_series.trace import Trace

    from .recorded import Recording

#: Around the evidence: what a picture shows more of, and how far from the first event others may lie, µs.
MARGIN_US, REACH_US = 10.0, 400.0
CONFIDENCE = {"sure": "sure", "likely": "likely", "unknown": "cannot tell"}


@recorded.drawing("proof")
def proof(rule_id: str) -> str:
    """Return the HTML of a finding on the recording that shows it best, or that none of them does."""
    from profiling_series.format import count, escape

    every = recorded.survey()
    fired = [(one, found) for one in every for found in one.findings if found.id == rule_id]
    if not fired:
        return (
            f'<p class="ps-none">None of the {count(len(every), "recording")} that come with this site '
            "shows it.</p>"
        )
    recording, finding = min(fired, key=_preference)
    shows = len({one.key for one, _ in fired})
    lead = (
        f"<p>It is found in {shows} of the {count(len(every), 'recording')} that come with this site. "
        f"Here in <code>{escape(recording.key)}</code>:</p>\n"
    )
    return lead + _drawn(recording, finding)


def _preference(fired: tuple[Recording, Finding]) -> tuple[Any, ...]:
    """Return what sorts recordings for a proof: the fault planted for it, the lessons, then the smallest."""
    from profiling_series.results.planted import twins
    from profiling_series.workloads.faults import FAULTS

    recording, finding = fired
    planted = {twins(fault)[0].key for fault in FAULTS if fault.finding == finding.id}
    return (
        recording.key not in planted,
        recording.key.startswith("fault_"),
        ("sure", "likely", "unknown").index(finding.confidence),
        -(finding.at_stake_us or 0),
        recording.events,
        recording.key,
    )


def _drawn(recording: Recording, finding: Finding) -> str:
    from profiling_series import timeline
    from profiling_series.format import us
    from profiling_series.report.blocks import Facts, Grid, html_of
    from profiling_series.report.source import provenance_of
    from profiling_series.report.view import View

    capture = recording.capture()
    trace: Trace = capture.trace
    pairs = [("It reads", finding.says), ("How sure", CONFIDENCE[finding.confidence])]
    if finding.at_stake_us:
        pairs.append(("At stake", f"{us(finding.at_stake_us)} of the window"))
    blocks: list[Facts | Grid] = [Facts(finding.title, tuple(pairs))]
    if finding.evidence:
        blocks.append(_evidence(trace, finding.evidence))
    view = View("proof", provenance_of(capture), lambda: "", lambda: html_of(blocks))
    html = view._repr_html_()
    if window := _window(trace, finding):
        html += "\n" + timeline(capture, start_us=window[0], end_us=window[1])._repr_html_()
    return html


def _evidence(trace: Trace, events: tuple[Evidence, ...]) -> Any:
    """Return the events as a table: their time in the file, and from the start of the first step."""
    from profiling_series.format import number, readable, shown
    from profiling_series.report.blocks import Column, Grid

    rows = tuple(
        (
            # A loader's name has parentheses too, and they say which loader it is.
            shown(readable(event.name) if "::" in event.name else event.name, 90),
            f"{event.ts_us:.3f}",
            number(event.ts_us - _origin_us(trace)),
            f"{event.dur_us:,.3f}",
        )
        for event in events
    )
    columns = (
        Column("Event", figures=False, flexible=True, kernel=True),
        Column("ts, µs"),
        Column("from the first step, µs"),
        Column("dur, µs"),
    )
    return Grid("Events that prove it", columns, rows, "ts and dur as the trace file holds them.")


def _origin_us(trace: Trace) -> float:
    """Return where a timeline of the trace begins to count, in the file's own clock."""
    from profiling_series.report.timeline.window import choose_window

    return (choose_window(trace, None, None, None)[0].origin_ns + trace.base_ns) / 1000


def _window(trace: Trace, finding: Finding) -> tuple[float, float] | None:
    """Return what to draw, from the first step's start, µs; None where a picture of it shows nothing.

    The first event is the most telling. Others are drawn with it where they lie near, and where they do not
    enclose it by so much that it would vanish.
    """
    from profiling_series.findings import RULES

    if RULES[finding.id].section == "recording" or len(finding.evidence) < 2:
        return None
    first, *others = finding.evidence
    reach = max(REACH_US, 2 * first.dur_us)
    start, end = first.ts_us, first.ts_us + first.dur_us
    low, high = start - reach, end + reach
    near = [one for one in others if low <= one.ts_us and one.ts_us + one.dur_us <= high]
    start = min([start, *(one.ts_us for one in near)])
    end = max([end, *(one.ts_us + one.dur_us for one in near)])
    margin = max(MARGIN_US, 0.15 * (end - start))
    origin = _origin_us(trace)
    return start - margin - origin, end + margin - origin
