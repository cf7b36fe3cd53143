"""The same recording for code of your own: ``with record("my_step") as rec``, or a function to call."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from profiling_series.errors import UsageError
from profiling_series.profiler import activities as acts
from profiling_series.profiler import names
from profiling_series.profiler.reuse import keep
from profiling_series.profiler.window import Windows
from profiling_series.results import Capture, Schedule, store
from profiling_series.results.capture import combined
from profiling_series.results.request import WARM_CALLS

if TYPE_CHECKING:
    from torch.profiler import ProfilerActivity

_DEFAULT_SCHEDULE = Schedule()
_COLD = (
    "a cold recording needs a fresh process, and {what} runs in yours: start your script anew for each "
    "recording, or use capture(workload, warm=False)"
)
_running: Recorder | None = None


class Recorder:
    """A recording in progress; made by `record`.

    Call `step` once at the end of each iteration. Each step runs inside a region of the recording's name.
    When the block ends, `capture` is what was recorded.

    Parameters
    ----------
    windows : Windows
        Where the recorded windows go.
    activities : list of ProfilerActivity
        What torch profiles.
    options : dict
        Further options of ``torch.profiler.profile``.
    replaces : bool
        Whether an older recording lies where this one goes.
    """

    def __init__(
        self,
        windows: Windows,
        activities: list[ProfilerActivity],
        options: dict[str, Any],
        replaces: bool = False,
    ) -> None:
        self._windows = windows
        self._activities = activities
        self._options = options
        self._profiler: Any = None
        self._region: Any = None
        self._finished = False
        self._replaces = replaces
        #: Steps completed so far.
        self.steps = 0

    def __enter__(self) -> Self:
        global _running
        from torch.profiler import profile

        if self._finished or self._profiler is not None:
            raise UsageError("a recording runs once: call record() again for another")
        if _running is not None:
            raise UsageError(
                "a recording is already running in this process: end it before you start another"
            )
        acts.refuse_running_profiler()
        self._profiler = profile(
            activities=self._activities,
            schedule=acts.torch_schedule(self._windows.schedule),
            on_trace_ready=self._windows.close,
            **self._options,
        )
        self._profiler.__enter__()
        _running = self
        self._open_region()
        return self

    def step(self) -> None:
        """Return None; the step ends here and the next begins."""
        if self._profiler is None:
            raise UsageError("step() belongs inside the `with record(…)` block")
        self._close_region()
        self.steps += 1
        self._profiler.step()
        self._open_region()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global _running
        self._close_region()
        note = self._unfinished()
        if note:
            self._windows.notes.append(note)
        # torch closes a window here even if its steps are still to come, or have failed.
        self._windows.abandoned = kind is not None or self._active_steps() == 0
        try:
            acts.wait_for_other_gpus()
            self._profiler.__exit__(kind, error, trace)
        finally:
            self._profiler, self._finished, _running = None, True, None
        if kind is not None:
            print(f"profiling-series: nothing written, for the loop raised {kind.__name__}", file=sys.stderr)
            return
        if not self._windows.captures:
            raise UsageError(note or "nothing was recorded")
        keep(self.capture)
        if note:
            warnings.warn(note, stacklevel=2)
        print(self._told(), file=sys.stderr, flush=True)

    def _told(self) -> str:
        """Return what was recorded, what was not, and where it is now."""
        terms = self._windows.schedule
        before = terms.wait + terms.warmup
        first = "the first" if before == 1 else f"the first {before}"
        skipped = f" (not {first}: wait {terms.wait} + warmup {terms.warmup})" if before else ""
        missing = (
            "" if self.steps >= terms.steps else f", of {terms.recorded_steps} that the schedule asks for"
        )
        here = Path.cwd()
        paths = [one.trace_path for one in self._windows.captures]
        paths = [path.relative_to(here) if path.is_relative_to(here) else path for path in paths]
        where = " and ".join(shlex.quote(str(path)) for path in paths)
        replaced = ", in place of an older recording" if self._replaces else ""
        done = f"{self._recorded_steps()} of {self.steps} step{'s' * (self.steps != 1)}"
        return f"profiling-series: recorded {done}{skipped}{missing} in {where}{replaced}"

    @property
    def capture(self) -> Capture:
        """Return what was recorded: the last window, which knows all of them where the schedule repeats."""
        if not self._windows.captures:
            raise UsageError("there is no capture yet: it is made when the last active step of a window ends")
        return combined(self._windows.captures)

    def _open_region(self) -> None:
        from torch.profiler import record_function

        self._region = record_function(names.safe(self._windows.annotation))
        self._region.__enter__()

    def _close_region(self) -> None:
        region, self._region = self._region, None
        if region is not None:
            region.__exit__(None, None, None)

    def _active_steps(self) -> int:
        """Return how many recorded steps of the window that is still open have ended."""
        terms = self._windows.schedule
        if self.steps >= terms.steps:
            return 0
        return max(0, self.steps % terms.cycle_steps - terms.wait - terms.warmup)

    def _recorded_steps(self) -> int:
        """Return how many steps have been recorded in all windows."""
        terms = self._windows.schedule
        if self.steps >= terms.steps:
            return terms.recorded_steps
        return self.steps // terms.cycle_steps * terms.active + self._active_steps()

    def _unfinished(self) -> str | None:
        """Return what a loop that was shorter than the schedule has missed, with the numbers needed."""
        terms = self._windows.schedule
        if self.steps >= terms.steps:
            return None
        needed = f"call step() once an iteration, in at least {terms.steps} iterations: {terms}"
        if self.steps == 0:
            return f"step() was never called, so nothing was recorded; {needed}"
        done, ended = self._recorded_steps(), f"{self.steps} step{'s' * (self.steps != 1)}"
        if done == 0:
            return f"the loop ended after {ended}, before one was recorded; {needed}"
        return f"the loop ended after {ended}: {done} of {terms.recorded_steps} recorded; {needed}"


def record(
    name: str,
    *,
    out: str | os.PathLike[str] = "traces",
    schedule: Schedule = _DEFAULT_SCHEDULE,
    activities: Iterable[str | ProfilerActivity] | None = None,
    warm: bool = True,
    record_shapes: bool = False,
    with_stack: bool = False,
) -> Recorder:
    """Return a recorder, to be used as ``with record("train_step") as rec:`` with ``rec.step()`` in the loop.

    Parameters
    ----------
    name : str
        Name of the files and of the region around each step; any text. In one of several ranks, the rank is
        added to the files' name.
    out : path-like
        Folder of the captures, made where missing.
    schedule : Schedule
        Which iterations are recorded. Files are written as soon as the last active step ends; further
        iterations run without the profiler.
    activities : iterable of {"cpu", "cuda", "xpu"} or ProfilerActivity, optional
        What to profile; by default the CPU, and the accelerator if there is one.
    warm : bool
        Only True: a recording in your process is as warm as your process is.
    record_shapes : bool
        Record the shapes of each op's inputs, at some cost.
    with_stack : bool
        Record the Python stack of each op, at much cost in time and memory; the more with ``torch.compile``.

    Returns
    -------
    Recorder
        Whose ``capture`` is the recording when the block has ended; a line on stderr then says where it is.
        An older recording of that name is replaced.

    Raises
    ------
    UsageError
        Before anything runs: for a name, path, schedule or activity that cannot work, or where a profiler is
        already running. After the loop: where it was too short to record a step.

    Examples
    --------
    >>> with record("my_step") as rec:  # doctest: +SKIP
    ...     for batch in loader:
    ...         train(batch)
    ...         rec.step()
    >>> rec.capture.trace.verdict["regime"]  # doctest: +SKIP
    'overhead-bound'
    """
    names.check(name)
    if not isinstance(schedule, Schedule):
        raise UsageError(f"schedule must be a profiling_series.Schedule, not {schedule!r:.80}")
    if not warm:
        raise UsageError(_COLD.format(what="record()"))
    chosen, device, notes = acts.choose(activities)
    key = names.file_stem(name) + acts.rank_suffix()
    replaces = store.place(out, key).trace.exists()
    windows = Windows(
        out=os.path.abspath(out),  # the loop may change its folder
        key=key,
        annotation=name,
        schedule=schedule,
        device=device,
        notes=notes,
    )
    options = {"record_shapes": record_shapes, "with_stack": with_stack}
    return Recorder(windows, chosen, options, replaces)


def record_callable(
    function: Callable[[], object],
    name: str,
    *,
    out: str | os.PathLike[str] = "traces",
    schedule: Schedule = _DEFAULT_SCHEDULE,
    activities: Iterable[str | ProfilerActivity] | None = None,
    warm: bool = True,
    record_shapes: bool = False,
    with_stack: bool = False,
) -> Capture:
    """Return the capture of a function, called once a step in this process after three warm-up calls.

    Parameters
    ----------
    function : callable
        Called without arguments.
    name : str
        Name of the files and of the region around each call.
    out : path-like
        Folder of the captures, made where missing.
    schedule : Schedule
        Which calls are recorded.
    activities : iterable of {"cpu", "cuda", "xpu"} or ProfilerActivity, optional
        What to profile; by default the CPU, and the accelerator if there is one.
    warm : bool
        Only True: what runs in your process is not cold.
    record_shapes : bool
        Record the shapes of each op's inputs, at some cost.
    with_stack : bool
        Record the Python stack of each op, at much cost in time and memory.

    Returns
    -------
    Capture
        Stored under `out`.

    Raises
    ------
    UsageError
        As in `record`.
    """
    if not callable(function):
        raise UsageError(f"record_callable takes a function, not {function!r:.80}")
    if not warm:
        raise UsageError(_COLD.format(what="record_callable()"))
    recorder = record(
        name,
        out=out,
        schedule=schedule,
        activities=activities,
        record_shapes=record_shapes,
        with_stack=with_stack,
    )
    for _ in range(WARM_CALLS):
        function()
    with recorder as rec:
        for _ in range(schedule.steps):
            function()
            rec.step()
    return rec.capture
