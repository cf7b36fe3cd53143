"""The fresh process of a measurement: ``python -m profiling_series.profiler.child``, told by JSON.

As a process's fifth profile, the first launch of a step took 280–309 µs on an NVIDIA H200 where it took 41–69
as its first; so each capture gets a process of its own. Standard input holds an `Order`, standard output an
`Answer` a line.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO

import msgspec

from profiling_series.errors import UsageError
from profiling_series.profiler.bench import find_ceilings, time_step
from profiling_series.profiler.capture_loop import profile_capture
from profiling_series.profiler.failure import explain
from profiling_series.profiler.sweep_loop import profile_sweep
from profiling_series.profiler.talk import Answer, Order
from profiling_series.results import AnyRequest, CeilingsRequest, Request, SweepRequest, TimingRequest
from profiling_series.results.asked import Asked

#: What measures each kind of request.
WORK: dict[type[Asked], Callable[..., list[Path]]] = {
    Request: profile_capture,
    SweepRequest: profile_sweep,
    TimingRequest: time_step,
    CeilingsRequest: find_ceilings,
}


def main() -> int:
    """Return 0 with the files written and named on standard output, 1 with an error named there."""
    answers = _own_stdout()
    try:
        order = msgspec.json.decode(sys.stdin.readline(), type=Order)
        _say(answers, Answer(progress="importing torch"))
        import torch  # noqa: F401

        _import_ahead(order.request)
        if order.waits:
            _say(answers, Answer(ready=True))
            if not sys.stdin.readline():
                return 1  # its turn will not come
        paths = WORK[type(order.request)](order.request, order.device, order.out, partial(_tell, answers))
    except Exception as error:
        traceback.print_exc()
        known = explain(error)
        _say(answers, Answer(error=str(known), usage=isinstance(known, UsageError)))
        return 1
    _say(answers, Answer(done=[str(path) for path in paths]))
    return 0


def _import_ahead(request: AnyRequest) -> None:
    """Import what the measurement will, before its turn: several processes do that side by side.

    The profiler reads a setting of Inductor's when it starts, which imports that, and Triton: seconds in
    which the others would wait. The compiler's own modules take longer than torch.
    """
    modes = request.points if isinstance(request, SweepRequest) else (request,)
    compiles = any(getattr(one, "compile", None) is not None for one in modes)
    if compiles:
        import torch._inductor.compile_fx
    else:
        import torch._inductor.config  # noqa: F401


def _own_stdout() -> IO[str]:
    """Return the real standard output for our answers alone; what libraries print goes to standard error."""
    sys.stdout.flush()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _tell(answers: IO[str], stage: str) -> None:
    _say(answers, Answer(progress=stage))


def _say(answers: IO[str], answer: Answer) -> None:
    print(msgspec.json.encode(answer).decode(), file=answers, flush=True)


if __name__ == "__main__":
    sys.exit(main())
