"""Two programs compared step by step: CPU time, launches, GPU work, and the rows that one alone has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..format import count, share, shown
from ..trace.per_step import PerStep
from .blocks import Block, Column, Grid, Notes, html_of, text_of
from .compare_names import cell, gpu_work, median_of, medians, one_sided, plain
from .comparison import FACTOR_RUNS, FACTOR_SURE, Comparison, comparison
from .renamed import renamed
from .source import Source
from .view import View

Take = Callable[[PerStep], float | None]
_TIMES: tuple[tuple[str, Take], ...] = (
    ("GPU sum µs", lambda run: median_of(run.gpu_sum_us)),
    ("GPU busy µs", lambda run: median_of(run.gpu_busy_us)),
)
_COUNTS: tuple[tuple[str, Take], ...] = (
    ("GPU events", lambda run: median_of(run.gpu_events)),
    ("… kernels", lambda run: median_of(run.kernels)),
    ("… copies", lambda run: median_of(run.copies)),
    ("… memsets", lambda run: median_of(run.memsets)),
)
_CPU: tuple[tuple[str, Take], ...] = (
    ("CPU: step time µs", lambda run: run.cpu_us.median),
    ("pace µs", lambda run: run.pace_us),
)


def compare(
    a: Source | Sequence[Source], b: Source | Sequence[Source], labels: tuple[str, str] | None = None
) -> View:
    """Return two programs side by side, each figure that of one step.

    Every figure is the median of a trace's steady steps and, where a side is given as several captures, the
    median over these processes with their range. Copies and memsets count as GPU work beside the kernels: a
    launch saved and a copy gained is no work saved. That kernels were fused is never said.

    Parameters
    ----------
    a, b : Capture or Trace, or a sequence of them
        Before and after; several captures are processes of the same program.
    labels : (str, str), optional
        What to call them; by default what differs in the captures' keys.

    Returns
    -------
    View
        CPU time and pace, GPU events, launch calls by name, GPU time, each kernel and copy, the ops and
        annotations that stand on one side only, and kernels whose name changed.

    Raises
    ------
    UsageError
        A side is empty, holds something else, or has no steps.
    """
    found = comparison(a, b, labels)
    return View(
        kind="compare",
        provenance=found.source_line,
        to_text=lambda: text_of(compare_blocks(found)),
        to_html=lambda: html_of(compare_blocks(found)),
    )


def compare_blocks(found: Comparison) -> list[Block]:
    """Return the parts of a comparison.

    Parameters
    ----------
    found : Comparison
        Two sides.
    """
    parts = [_step(found), gpu_work(found), one_sided(found), _notes(found)]
    return [part for part in parts if part is not None]


def _step(found: Comparison) -> Grid:
    """Return the figures of one step, a row each."""
    names = dict.fromkeys(
        name for side in (found.before, found.after) for run in side.runs for name in run.calls
    )
    calls = [(f"{shown(name, 60)} calls", _calls(name)) for name in names]
    rows = [(label, *_cells(found, take), _factor(found, take)) for label, take in _CPU]
    rows += [(label, *_cells(found, take), _difference(found, take)) for label, take in (*_COUNTS, *calls)]
    rows += [(label, *_cells(found, take), _percent(found, take)) for label, take in _TIMES]
    known = tuple(row for row in rows if row[1] or row[2])
    heads = ("In one step", found.before.label, found.after.label, "change")
    columns = tuple(Column(head, figures=at > 0) for at, head in enumerate(heads))
    return Grid(f"{found.before.label} → {found.after.label}, step by step", columns, known, _basis(found))


def _basis(found: Comparison) -> str:
    """Return what the figures are of."""
    told = []
    for side in (found.before, found.after):
        steps = sorted({run.steps for run in side.runs})
        of = f"{steps[0]}" if len(steps) == 1 else f"{steps[0]}–{steps[-1]}"
        noun = "steady step" if steps == [1] else "steady steps"
        runs = count(len(side.runs), "process", "processes")
        told.append(f"{side.label}: {runs}, {of} {noun}{' each' if len(side.runs) > 1 else ''}")
    several = any(len(side.runs) > 1 for side in (found.before, found.after))
    how = "medians, in brackets the range over the processes" if several else "medians"
    return f"{'; '.join(told)}; {how}."


def _calls(name: str) -> Take:
    return lambda run: run.calls[name].median if name in run.calls else 0.0


def _cells(found: Comparison, take: Take) -> tuple[str, str]:
    return cell(found.before.over_runs(take)), cell(found.after.over_runs(take))


def _factor(found: Comparison, take: Take) -> str:
    """Return the factor of a CPU time, with its range over all pairs of processes, or that it is not told."""
    factors = found.factors(take)
    if not factors:
        return "not told"
    # What takes a fraction of the time is told as a division: "÷ 20" is read at once, "0.05 ×" is not.
    sign, told = ("× ", factors) if factors[0] >= 1 else ("÷ ", tuple(1 / factor for factor in factors))
    low, high = f"{min(told):.3g}", f"{max(told):.3g}"
    return f"{sign}{told[0]:.3g}" + ("" if low == high else f" ({low}–{high})")


def _difference(found: Comparison, take: Take) -> str:
    before, after = found.before.over_runs(take), found.after.over_runs(take)
    if before is None or after is None:
        return ""
    change = after.median - before.median
    return f"{'+' if change > 0 else '−'}{plain(abs(change))}" if change else "="


def _percent(found: Comparison, take: Take) -> str:
    before, after = found.before.over_runs(take), found.after.over_runs(take)
    if before is None or after is None or not before.median:
        return ""
    change = after.median / before.median - 1
    told = share(abs(change))
    return "=" if told == "0 %" else f"{'+' if change > 0 else '−'}{told}"


def _notes(found: Comparison) -> Notes | None:
    return Notes("Read it with care", tuple(_cautions(found))) if any(_cautions(found)) else None


def _cautions(found: Comparison) -> Iterator[str]:
    """Yield what a reader must know before a conclusion is drawn."""
    if not found.factors(lambda run: run.cpu_us.median):
        yield (
            f"CPU times: fewer than {FACTOR_RUNS} processes a side, so a factor is told only from "
            f"{FACTOR_SURE:g} on, and if no steps of the two last alike: two processes of one program can "
            "differ by less."
        )
    kernels, copies, memsets = (_change(found, take) for _, take in _COUNTS[1:])
    if kernels < 0 < copies + memsets:
        more = count(round(copies + memsets), "copy or memset", "copies and memsets")
        yield (
            f"{count(round(-kernels), 'kernel')} fewer a step, and {more} more: the number of launches does "
            "not tell that work was saved; the GPU's time does."
        )
    yield from renamed(
        *(list(medians(side, lambda run: run.gpu_work)) for side in (found.before, found.after))
    )
    if any(name.startswith(("memcpy", "memset")) for run in found.after.runs for name in run.gpu_work):
        yield "Inside a graph, copies and memsets are recorded as kernels called memcpy… and memset…."


def _change(found: Comparison, take: Take) -> float:
    before, after = found.before.over_runs(take), found.after.over_runs(take)
    return after.median - before.median if before and after else 0.0
