"""How long the events of one name take, run by run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import UsageError
from . import categories as c
from .gpu import impossible
from .host import self_times

if TYPE_CHECKING:
    from .model import Trace


@dataclass(frozen=True)
class Spread:
    """The times of one name's events, in the order in which they ran.

    Attributes
    ----------
    name : str
        The kernel, or where the trace holds no GPU work the op.
    kernel : bool
        Whether it is a kernel; an op's times are self times.
    each_us : numpy.ndarray
        One time a run, µs.
    step : numpy.ndarray
        The number N of the ``ProfilerStep#N`` that each run belongs to.
    """

    name: str
    kernel: bool
    each_us: np.ndarray
    step: np.ndarray

    @property
    def mean_us(self) -> float:
        """Arithmetic mean, µs: the sum over the number of runs."""
        return float(self.each_us.mean())

    def percentile_us(self, percent: float) -> float:
        """Time that this percentage of the runs stay within, µs, interpolated linearly.

        Parameters
        ----------
        percent : float
            From 0, the shortest, over 50, the median, to 100, the longest.
        """
        return float(np.percentile(self.each_us, percent))


def spread(trace: Trace, name: str | None = None) -> Spread:
    """Return the times of one kernel in the complete steps of a trace; without GPU work, those of one op.

    Parameters
    ----------
    trace : Trace
        A trace with steps.
    name : str, optional
        A part of the name, which must fit one name only; by default the one that takes most time.

    Returns
    -------
    Spread
        A run each; an op that ran several times in a step has several.

    Raises
    ------
    UsageError
        No such name, or several; the message lists some.
    """
    kernel = bool(len(trace.gpu_rows))
    rows = trace.of_kind(c.KERNEL) if kernel else trace.op_rows
    if kernel:
        rows = rows[~np.isin(rows, impossible(trace))]
        time = trace.dur
    else:
        time = np.zeros(len(trace), np.int64)
        time[trace.host_rows] = self_times(trace)
    whole = [at for at, step in enumerate(trace.steps) if step.complete]
    rows = rows[np.isin(trace.step_index[rows], whole)]
    chosen = _choose(trace, rows, time, name)
    rows = rows[trace.name_id[rows] == chosen]
    numbers = np.array([step.number for step in trace.steps])
    return Spread(trace.names[chosen], kernel, time[rows] / 1000, numbers[trace.step_index[rows]])


def _choose(trace: Trace, rows: np.ndarray, time: np.ndarray, part: str | None) -> int:
    """Return the id of the name that is asked for."""
    total = np.bincount(trace.name_id[rows], weights=time[rows], minlength=len(trace.names))
    order = [int(at) for at in np.argsort(-total, kind="stable") if at in set(trace.name_id[rows].tolist())]
    fitting = [at for at in order if part is None or part in trace.names[at]]
    exact = [at for at in fitting if trace.names[at] == part]
    if part is None and fitting:
        return fitting[0]
    if len(exact or fitting) == 1:
        return (exact or fitting)[0]
    what = "the steps hold no kernel and no op" if not order else f"{part!r:.80} fits {len(fitting)} names"
    some = ", ".join(trace.names[at][:60] for at in (fitting or order)[:6])
    raise UsageError(f"{what} of {trace.file}" + (f"; there are {some}" if some else ""))
