"""Python frames of a trace recorded ``with_stack``: who called whom, and ends that can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import categories as c

if TYPE_CHECKING:
    from .model import Trace


@dataclass(frozen=True)
class Frames:
    """Python frames in time order.

    Attributes
    ----------
    rows : int64[n]
        Rows of the frames in the trace.
    parent : int64[n]
        Index (into these arrays) of the calling frame, -1 at top.
    end : int64[n]
        End in ns since the trace's base, no later than the caller's: a frame whose return was missed is
        recorded as lasting until the profiler stopped.
    """

    rows: np.ndarray
    parent: np.ndarray
    end: np.ndarray


def python_frames(trace: Trace) -> Frames:
    """Frames of a trace, nested by the ids that the profiler gave them.

    Time alone cannot nest them: a frame whose return was missed covers its later siblings. The ids are read
    from the file's args, so this takes a second pass over it.
    """
    rows = trace.of_kind(c.PYTHON)
    args = trace.args_of(rows.tolist())
    index = {number: i for i, a in enumerate(args) if isinstance(number := a.get("Python id"), int)}
    above = (a.get("Python parent id") for a in args)
    parent = np.array(
        [index.get(number, -1) if isinstance(number, int) else -1 for number in above], np.int64
    )
    end = trace.end[rows].copy()
    # A caller begins no later than what it calls, so callers come first in time order (the longer on a tie).
    for i, above in enumerate(parent.tolist()):
        if 0 <= above < i:
            end[i] = min(end[i], end[above])
    return Frames(rows, parent, np.maximum(end, trace.ts[rows]))
