"""How long the events of one name take, run by run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from ..trace import Trace
from ..trace import categories as c
from ..trace.gpu import impossible
from ..trace.host import self_times
from .model import measure
from .subjects import Run


@dataclass(frozen=True)
class Spread:
    """The times of one name's events, in the order in which they ran.

    Attributes
    ----------
    trace : Trace
        Whose events they are.
    name : str
        The kernel, or where the trace holds no GPU work the op.
    kernel : bool
        Whether it is a kernel; an op's times are self times.
    each_us : numpy.ndarray
        One time a run, µs.
    rows : numpy.ndarray
        The row of each run.
    step : numpy.ndarray
        The number N of the ``ProfilerStep#N`` that each run belongs to.
    """

    trace: Trace
    name: str
    kernel: bool
    each_us: np.ndarray
    rows: np.ndarray
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
    each_us, step = time[rows] / 1000, numbers[trace.step_index[rows]]
    return Spread(trace, trace.names[chosen], kernel, each_us, rows, step)


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


@measure()
def hottest(run: Run, part: str = "") -> Spread | None:
    """Return the runs of the kernel that takes most time in the steps, or of one by a part of its name.

    In a trace without GPU work those of the op with the most self time.
    """
    try:
        return spread(run.trace, part or None)
    except UsageError:
        return None  # no steps, or nothing in them


@measure("µs", over="run")
def dur(runs: Spread) -> list[float]:
    """Return how long a run takes; of an op its self time."""
    return [float(value) for value in runs.each_us]


@measure()
def name(runs: Spread) -> str:
    """Return the name of the kernel, or of the op."""
    return runs.name


@measure()
def is_kernel(runs: Spread) -> bool:
    """Return whether it is a kernel."""
    return runs.kernel


@measure()
def changed_args(runs: Spread) -> str | None:
    """Return which arguments of the longest run differ from those of a usual one, numbers of events apart."""
    order = np.argsort(runs.each_us, kind="stable")
    one, other = (runs.trace.args(int(runs.rows[at])) for at in (order[-1], order[len(order) // 2]))
    changed = {key for key in one if one[key] != other.get(key)}
    return ", ".join(sorted(changed - _COUNTERS)) or None


_COUNTERS = {"correlation", "External id", "Ev Idx", "Record function id"}
