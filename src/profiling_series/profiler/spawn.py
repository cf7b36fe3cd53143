"""The parent's side of a capture: start the fresh process, follow it, and make one answer of its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import profiling_series
from profiling_series.errors import CaptureError, UsageError
from profiling_series.profiler.captured import KEEP
from profiling_series.profiler.failure import first_line
from profiling_series.profiler.request import Request
from profiling_series.text import one_line

_COMMAND = ("-P", "-m", "profiling_series.profiler.child")  # -P: the caller's folder may hold a torch.py


def run(
    request: Request, *, device: str, out: Path, progress: Callable[[str], None] | None = None
) -> list[Path]:
    """Return the traces that a fresh process wrote under `out`, one a window of the schedule.

    Parameters
    ----------
    request : Request
        What to capture.
    device : {"auto", "cuda", "cpu"}
        Where.
    out : Path
        Absolute folder to write to.
    progress : callable, optional
        Called with a few words at each stage.

    Returns
    -------
    list of Path
        Paths of the traces.

    Raises
    ------
    UsageError
        The machine cannot do what was asked; the message is the child's.
    CaptureError
        The process failed or died; `details` holds what it wrote to standard error.
    """
    order = {"request": request.to_json(), "device": device, "out": os.fspath(out)}
    # Compiler workers may outlive the child for a moment, and still write to its caches.
    caches = tempfile.TemporaryDirectory(prefix="profiling_series_", ignore_cleanup_errors=True)
    with caches as scratch, tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, *_COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=_environment(Path(scratch), cold=not request.warm),
            text=True,
            encoding="utf-8",
        )
        try:
            answer = _follow(process, order, progress)
            process.wait()
        finally:
            if process.poll() is None:  # Ctrl-C, or an error in the caller's progress function
                process.kill()
                process.wait()
        log.seek(0)
        details = log.read().decode("utf-8", "replace")
    return _result(answer, process.returncode, details)


def _follow(
    process: subprocess.Popen[str], order: dict[str, Any], progress: Callable[[str], None] | None
) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        json.dump(order, process.stdin)
        process.stdin.close()
    except BrokenPipeError:  # it died at once; its exit code tells more
        pass
    answer: dict[str, Any] = {}
    for line in process.stdout:
        answer = json.loads(line)
        if progress is not None and "progress" in answer:
            progress(answer["progress"])
    return answer


def _result(answer: dict[str, Any], code: int, details: str) -> list[Path]:
    if "done" in answer:
        return [Path(path) for path in answer["done"]]
    if "error" in answer:
        if answer["kind"] == "usage":
            raise UsageError(answer["error"])
        raise CaptureError(answer["error"], details)
    stage = f" while {answer['progress']}" if "progress" in answer else ""
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
    package = Path(profiling_series.__file__).resolve().parent.parent
    others = [entry for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]
    environment["PYTHONPATH"] = os.pathsep.join([str(package), *others])
    environment.pop(KEEP, None)  # the parent keeps its copy itself
    if cold:
        # "Cold" includes an empty compiler cache: a cached kernel would make the first call nearly a warm
        # one.
        environment["TORCHINDUCTOR_CACHE_DIR"] = str(scratch / "inductor")
        environment["TRITON_CACHE_DIR"] = str(scratch / "triton")
    return environment
