"""The parent's side of a measurement: start the fresh process, follow it, and make one answer of its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from profiling_series.errors import CaptureError, UsageError
from profiling_series.format import one_line
from profiling_series.profiler.failure import first_line
from profiling_series.profiler.reuse import KEEP, REUSE
from profiling_series.profiler.talk import Answer, Order
from profiling_series.results import AnyRequest

_COMMAND = ("-P", "-m", "profiling_series.profiler.child")  # -P: the caller's folder may hold a torch.py
AT_ONCE = 6
"""Processes started side by side; each holds an imported torch, some hundred MB."""

Progress = Callable[[str], None] | None


@dataclass(frozen=True)
class Done:
    """What a process left: its files, and how many seconds it and each of its stages took."""

    paths: list[Path]
    elapsed_s: float
    stages_s: dict[str, float]


def run(request: AnyRequest, *, device: str, out: Path, progress: Progress = None) -> list[Path]:
    """Return the files that a fresh process wrote under `out`.

    Parameters
    ----------
    request : AnyRequest
        What to measure.
    device : {"auto", "cuda", "cpu"}
        Where.
    out : Path
        Absolute folder to write to.
    progress : callable, optional
        Called with a few words at each stage.

    Returns
    -------
    list of Path
        Of a capture, one trace a window of the schedule.

    Raises
    ------
    UsageError
        The machine cannot do what was asked; the message is the child's.
    CaptureError
        The process failed or died; `details` holds what it wrote to standard error.
    """
    return run_each([request], device=device, outs=[out], progress=progress)[0].paths


def run_each(
    requests: Sequence[AnyRequest], *, device: str, outs: Sequence[Path], progress: Progress = None
) -> list[Done]:
    """Return what one fresh process a request left, in their order.

    Up to `AT_ONCE` processes start side by side and import torch together, which is most of their time. Then
    one after the other touches the device and measures, while the rest wait for their turn.

    Parameters
    ----------
    requests : sequence of AnyRequest
        What to measure.
    device : {"auto", "cuda", "cpu"}
        Where.
    outs : sequence of Path
        An absolute folder for each.
    progress : callable, optional
        Called with a few words at each stage.

    Raises
    ------
    UsageError
        As in `run`; the first that fails ends all.
    CaptureError
        As in `run`.
    """
    pairs = list(zip(requests, outs, strict=True))
    done: list[Done] = []
    for first in range(0, len(pairs), AT_ONCE):
        part = pairs[first : first + AT_ONCE]
        with ExitStack() as stack:
            children = [
                stack.enter_context(_Child(request, device, out, progress, waits=len(part) > 1))
                for request, out in part
            ]
            for child in children:
                child.until_ready()
            done += [child.measure() for child in children]
    return done


class _Child:
    """One fresh process, from its start to its end."""

    def __init__(
        self, request: AnyRequest, device: str, out: Path, progress: Progress, *, waits: bool
    ) -> None:
        self._order = Order(request, device, os.fspath(out), waits)
        self._progress = progress
        self._answer = Answer()
        self._stage = ""
        self._stages: dict[str, float] = {}
        self._resources = ExitStack()

    def __enter__(self) -> Self:
        with self._resources as stack:
            # Compiler workers may outlive the child for a moment, and still write to its caches.
            scratch = tempfile.TemporaryDirectory(prefix="profiling_series_", ignore_cleanup_errors=True)
            caches = stack.enter_context(scratch)
            self._log = stack.enter_context(tempfile.TemporaryFile())
            self._since = self._began = time.monotonic()
            self._process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, *_COMMAND],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._log,
                    env=_environment(Path(caches), cold=self._order.request.cold),
                    text=True,
                    encoding="utf-8",
                )
            )
            stack.callback(self._end)
            self._tell(msgspec.json.encode(self._order).decode(), last=not self._order.waits)
            self._resources = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resources.close()

    def until_ready(self) -> None:
        """Return when torch is imported there; at once for a process that does not wait."""
        if self._order.waits:
            self._follow()

    def measure(self) -> Done:
        """Return what it left, after it was told to go on."""
        if self._order.waits and self._answer.ready:
            waited = time.monotonic() - self._since
            self._began, self._since = self._began + waited, self._since + waited
            self._tell("go", last=True)
            self._follow()
        elif not self._order.waits:
            self._follow()
        self._process.wait()
        self._log.seek(0)
        details = self._log.read().decode("utf-8", "replace")
        paths = _result(self._answer, self._process.returncode, details, self._stage)
        return Done(paths, round(time.monotonic() - self._began, 3), self._stages)

    def _tell(self, line: str, *, last: bool) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it died at once; its exit code tells more
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
            if last:
                self._process.stdin.close()

    def _follow(self) -> None:
        """Read what it says, until it is ready or ends."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answer = msgspec.json.decode(line, type=Answer)
            self._clock()
            if self._answer.ready:
                return
            if self._answer.progress is not None:
                self._stage = self._answer.progress
                if self._progress is not None:
                    self._progress(self._stage)
        self._clock()

    def _clock(self) -> None:
        """Count the time since the last answer to the stage that it passed in."""
        stage, now = self._stage.partition(":")[0] or "starting Python", time.monotonic()
        self._stages[stage] = round(self._stages.get(stage, 0.0) + now - self._since, 3)
        self._since = now

    def _end(self) -> None:
        """Leave no process behind after Ctrl-C, or an error in a progress function or in another process."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


def _result(answer: Answer, code: int, details: str, stage: str) -> list[Path]:
    if answer.done is not None:
        return [Path(path) for path in answer.done]
    if answer.error is not None:
        if answer.usage:
            raise UsageError(answer.error)
        raise CaptureError(answer.error, details)
    stage = f" while {stage}" if stage else ""
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        hint = "; was it out of memory?" if -code == signal.SIGKILL else ""
        raise CaptureError(f"the capture's process was ended by {name}{stage}{hint}", details)
    last = one_line(first_line("\n".join(reversed(details.splitlines()))))
    raise CaptureError(f"the capture's process ended with code {code}{stage}: {last}", details)


def _environment(scratch: Path, *, cold: bool) -> dict[str, str]:
    environment = dict(os.environ)
    # By absolute paths: the caller may have been started with PYTHONPATH=src and have changed its folder
    # since.
    package = Path(__file__).resolve().parents[2]
    others = [entry for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]
    environment["PYTHONPATH"] = os.pathsep.join([str(package), *others])
    for name in (KEEP, REUSE):  # the parent keeps its copies itself
        environment.pop(name, None)
    if cold:
        # "Cold" includes an empty compiler cache: a cached kernel would make the first call nearly a warm
        # one.
        environment["TORCHINDUCTOR_CACHE_DIR"] = str(scratch / "inductor")
        environment["TRITON_CACHE_DIR"] = str(scratch / "triton")
    return environment
