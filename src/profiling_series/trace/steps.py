"""Steps: where they are, and what belongs to each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import categories as c
from .groups import groups, pid_codes
from .intervals import covered_between, measure, union
from .losses import lost_launches

if TYPE_CHECKING:
    from .model import Trace


@dataclass(frozen=True)
class Step:
    """One ``ProfilerStep#N`` of a process; times in µs, None where the trace cannot tell.

    Attributes
    ----------
    ts_us, dur_us : float
        The CPU's side only.
    period_us : float or None
        Start to the start of the next step of an unbroken run.
    complete : bool
        False for the empty step that the last ``step()`` opens, and where kernels were lost.
    gpu_events : int or None
        GPU events launched in the step.
    gpu_sum_us, gpu_busy_us : float or None
        Their plain sum, and the union over each device, summed.
    overhead_us : float
        Profiler overhead inside the step.
    row, number, run : int
        Row in the trace, N, and which unbroken run of steps it is in.
    empty : bool
        Whether it is a trailing step with nothing in it.
    """

    name: str
    pid: int | str
    tid: int | str
    ts_us: float
    dur_us: float
    period_us: float | None
    complete: bool
    gpu_events: int | None
    gpu_sum_us: float | None
    gpu_busy_us: float | None
    overhead_us: float
    row: int
    number: int
    run: int
    empty: bool


@dataclass(frozen=True)
class StepTable:
    """Rows, numbers and unbroken runs of the steps, which are empty, the step of each event (-1: none)."""

    rows: np.ndarray
    number: np.ndarray
    run: np.ndarray
    empty: np.ndarray
    index: np.ndarray
    borrowed: bool


def find_steps(trace: Trace) -> StepTable:
    """Steps of a trace and what belongs to them.

    A host event belongs to the step of its process in which it starts, on any thread; a GPU event to the step
    of its launch, whenever it ran.
    """
    host = trace.host_rows
    rows = host[trace.named(c.STEP.match, host) & (trace.kind[host] != c.CALL)]
    numbers = [int(found[1]) for r in rows.tolist() if (found := c.STEP.match(trace.name(r)))]
    number = np.array(numbers, np.int64)
    index = np.full(len(trace), -1, np.int32)
    borrowed = False
    if len(rows):
        borrowed = _assign_host(trace, rows, index)
        gpu = trace.gpu_rows
        launch = trace.launch_of[gpu]
        index[gpu] = np.where(launch >= 0, index[launch], -1)
    run = _runs(trace, rows, number)
    return StepTable(rows, number, run, _empty(trace, rows, run, index), index, borrowed)


def _assign_host(trace: Trace, rows: np.ndarray, index: np.ndarray) -> bool:
    """Fill in the step of each host event; True where a process had to use another's steps."""
    host = trace.host_rows
    pids = pid_codes(trace)
    host_pid, step_pid = pids[trace.lane_id[host]], pids[trace.lane_id[rows]]
    own = {int(step_pid[part[0]]): part for part in groups(step_pid)}
    borrowed = False
    for part in groups(host_pid):
        mine, steps = host[part], own.get(int(host_pid[part[0]]))
        if steps is None:
            # Post-processed files may put the steps under a pid of their own; several would be a guess.
            if len(own) != 1 or not np.any(trace.kind[mine] == c.CALL):
                continue
            steps, borrowed = np.arange(len(rows)), True
        lanes = {int(trace.lane_id[rows[steps[p[0]]]]): steps[p] for p in groups(trace.lane_id[rows[steps]])}
        main = max(lanes.values(), key=lambda own: (len(own), -own[0]))  # that of most steps, else the first
        _assign(trace, mine, rows, main, index)
        if len(lanes) > 1:
            for here in groups(trace.lane_id[mine]):
                if (lane := int(trace.lane_id[mine[here[0]]])) in lanes:
                    _assign(trace, mine[here], rows, lanes[lane], index)
    return borrowed


def _assign(trace: Trace, events: np.ndarray, rows: np.ndarray, steps: np.ndarray, index: np.ndarray) -> None:
    # Steps are few and events many, both in time order: look the steps up among the events.
    when = trace.ts[events]
    first = np.searchsorted(when, trace.ts[rows[steps]], side="left")
    last = np.searchsorted(when, trace.end[rows[steps]], side="left")
    # A step that overlaps the next one (never on one thread of torch's) ends where that begins.
    last = np.minimum(last, np.append(first[1:], len(events)))
    found = np.full(len(events), -1, np.int32)
    for step, low, high in zip(steps.tolist(), first.tolist(), last.tolist(), strict=True):
        found[low:high] = step
    index[events] = found


def _runs(trace: Trace, rows: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Number of the unbroken run (same thread, N counting up by one) that each step is in."""
    run = np.zeros(len(rows), np.int64)
    last: dict[int, int] = {}
    count = 0
    for i, lane in enumerate(trace.lane_id[rows].tolist()):
        before = last.get(lane)
        if before is not None and number[i] == number[before] + 1:
            run[i] = run[before]
        else:
            run[i], count = count, count + 1
        last[lane] = i
    return run


def _empty(trace: Trace, rows: np.ndarray, run: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Which steps are the last of their run, with no op and no call: the last ``step()`` opened them."""
    filled = np.zeros(len(rows), bool)
    host = trace.host_rows
    step = index[host]
    counted = (trace.kind[host] != c.ANNOTATION) & (step >= 0)
    counted[np.searchsorted(host, rows)] = False
    filled[step[counted]] = True
    last = np.zeros(len(rows), bool)
    last[[part[-1] for part in groups(run)]] = True
    return last & ~filled & bool(len(rows) > 1 or filled.any())


def steps(trace: Trace) -> tuple[Step, ...]:
    """Steps of a trace, in time order."""
    table = trace.step_table
    if not len(table.rows):
        return ()
    known = bool(np.any(trace.launch_of[trace.gpu_rows] >= 0))
    gpu_count, gpu_sum, gpu_busy = gpu_work(trace, len(table.rows))
    lost = np.zeros(len(table.rows), bool)
    without = lost_launches(trace)
    lost[table.index[without][table.index[without] >= 0]] = True
    rows = trace.overhead_rows
    overhead = union(trace.ts[rows], trace.end[rows])
    start, end = trace.ts[table.rows], trace.end[table.rows]
    inside = covered_between(overhead, start, end)
    period = _periods(trace, table)
    found = []
    for i, row in enumerate(table.rows.tolist()):
        event = trace.event(row)
        tells = known and not lost[i]
        found.append(
            Step(
                event.name,
                event.pid,
                event.tid,
                event.ts_us,
                event.dur_us,
                period[i],
                complete=not table.empty[i] and not lost[i],
                gpu_events=int(gpu_count[i]) if tells else None,
                gpu_sum_us=float(gpu_sum[i]) / 1000 if tells else None,
                gpu_busy_us=float(gpu_busy[i]) / 1000 if tells else None,
                overhead_us=float(inside[i]) / 1000,
                row=row,
                number=int(table.number[i]),
                run=int(table.run[i]),
                empty=bool(table.empty[i]),
            )
        )
    return tuple(found)


def gpu_work(trace: Trace, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """GPU events launched in each step: their number, their sum and their union a device, in nanoseconds."""
    rows = trace.gpu_rows
    step = trace.step_index[rows]
    inside = step >= 0
    rows, step = rows[inside], step[inside]
    number = np.bincount(step, minlength=count)
    total, busy = np.zeros(count, np.int64), np.zeros(count, np.int64)
    from .gpu import device_numbers, sound_end

    end = sound_end(trace)[rows]
    np.add.at(total, step, end - trace.ts[rows])
    device = device_numbers(trace, rows)
    order = np.lexsort((trace.ts[rows], device, step))
    edges = np.flatnonzero(np.diff(step[order]) | np.diff(device[order])) + 1
    for part in np.split(order, edges):
        if len(part):
            busy[step[part[0]]] += measure(union(trace.ts[rows[part]], end[part]))
    return number, total, busy


def _periods(trace: Trace, table: StepTable) -> list[float | None]:
    """Time from each step's start to that of the next of its run, µs (an empty last one counts as next)."""
    found: list[float | None] = [None] * len(table.rows)
    last: dict[int, int] = {}
    for i, run in enumerate(table.run.tolist()):
        if run in last:
            found[last[run]] = float(trace.ts[table.rows[i]] - trace.ts[table.rows[last[run]]]) / 1000
        last[run] = i
    return found
