"""Which stretch of a trace a timeline shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...errors import UsageError
from ...format import us
from ...trace.gpu import sound_end
from .scene import Mark, Window

if TYPE_CHECKING:
    from ...trace import Step, Trace

StepChoice = int | slice | Sequence[int] | None


def choose_steps(trace: Trace, steps: StepChoice) -> list[int]:
    """Return the indexes of the chosen steps, in time order.

    Parameters
    ----------
    trace : Trace
        A trace.
    steps : int, slice, sequence of int or None
        Positions in ``trace.steps``, as Python counts. None chooses the complete ones, or all
        where none is complete.

    Raises
    ------
    UsageError
        A position that the trace does not have.
    """
    every = list(range(len(trace.steps)))
    if steps is None:
        return [at for at in every if trace.steps[at].complete] or every
    try:
        chosen = every[steps] if isinstance(steps, slice) else [every[at] for at in np.atleast_1d(steps)]
    except (IndexError, TypeError):
        raise UsageError(f"steps={steps!r}: the trace holds {len(every)}, counted from 0") from None
    if not chosen:
        raise UsageError(f"steps={steps!r} chooses no step: the trace holds {len(every)}, counted from 0")
    return sorted(set(chosen))


def choose_window(
    trace: Trace, steps: StepChoice, start_us: float | None, end_us: float | None
) -> tuple[Window, tuple[Mark, ...]]:
    """Return the window of a timeline, and the marks of the steps in it.

    Parameters
    ----------
    trace : Trace
        A trace.
    steps : int, slice, sequence of int or None
        As `choose_steps` takes it. The window reaches from the first chosen step's start to the end of
        the last one, or of the last GPU event launched in them, which may be later.
    start_us, end_us : float or None
        Narrow the window, in the axis's own reading: from the start of the first chosen step.

    Raises
    ------
    UsageError
        The window is empty, or the trace is.
    """
    chosen = choose_steps(trace, steps)
    first, last, name = _bounds(trace, chosen)
    window = Window(
        start_ns=first if start_us is None else first + round(start_us * 1000),
        end_ns=last if end_us is None else first + round(end_us * 1000),
        origin_ns=first,
        origin_name=name,
    )
    if window.end_ns <= window.start_ns:
        raise UsageError(
            f"the window from {us(window.start_us)} to {us(window.end_us)} is empty; "
            f"this trace reaches from 0 to {us((last - first) / 1000)}"
        )
    return window, _marks(trace, chosen, window)


def _bounds(trace: Trace, chosen: list[int]) -> tuple[int, int, str]:
    """Return first and last nanosecond of the chosen steps, and the name of what comes first."""
    if not len(trace):
        raise UsageError(
            "nothing to draw: the trace holds no event; was step() called until a step was active?"
        )
    if not chosen:
        end_ns = int(sound_end(trace).max())
        return int(trace.ts.min()), end_ns, "the trace"
    rows = [trace.steps[at].row for at in chosen]
    launched = trace.gpu_rows[np.isin(trace.step_index[trace.gpu_rows], chosen)]
    ends = np.concatenate([np.asarray(rows, dtype=np.int64), launched])
    return int(trace.ts[rows[0]]), int(sound_end(trace)[ends].max()), trace.steps[chosen[0]].name


def _marks(trace: Trace, chosen: list[int], window: Window) -> tuple[Mark, ...]:
    """Return a mark for each chosen step's start and for the last one's end."""
    marks = [(int(trace.ts[trace.steps[at].row]), trace.steps[at].name) for at in chosen]
    if chosen:
        last: Step = trace.steps[chosen[-1]]
        marks.append((int(trace.ts[last.row] + trace.dur[last.row]), f"end of {last.name}"))
    inside = (mark for mark in marks if window.start_ns <= mark[0] <= window.end_ns)
    return tuple(Mark((ns - window.origin_ns) / 1000, name) for ns, name in inside)
