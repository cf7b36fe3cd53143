"""From the file that torch exported to one that every JSON reader takes, with what it holds counted.

torch reports no failure here: an export into a missing folder writes nothing, one during warm-up writes a
valid file without events, and a ``"`` in any region's name makes the file unreadable. So the file is read
back before it is called a recording.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from profiling_series.errors import CaptureError

# Both layouts of Kineto put "pid" right behind an event's name: torch 2.11 on the same line, 2.13 on the
# next.
_NAME_FIELD = re.compile(rb'"name": "([^\n]*?)",(?=\s*"pid":)')
_TRACE_NAME = re.compile(rb'"traceName":\s*"[^\n]*"\s*\}\s*\Z')
_GPU_CATEGORIES = ("kernel", "gpu_memcpy", "gpu_memset")


@dataclass(frozen=True)
class Exported:
    """A checked trace: strict JSON, and what was found in it.

    Parameters
    ----------
    data : bytes
        The JSON document.
    events : int
        Complete ("X") events.
    gpu_events : int
        Kernels, copies and memsets.
    cpu_ops : int
        Operators on the CPU.
    unknown_regions : int
        Regions whose names torch could not write; all of them are called ``unknown`` in the file.
    silent_threads : int
        Threads that launched GPU work without a single op on record: Python threads, which torch does not
        follow.
    """

    data: bytes
    events: int
    gpu_events: int
    cpu_ops: int
    unknown_regions: int
    silent_threads: int

    def warnings(self, *, gpu_expected: bool) -> list[str]:
        """Return what a reader of this trace should know about it, one line each."""
        lines = []
        if gpu_expected and not self.gpu_events:
            lines.append(
                "the trace holds no GPU events although CUDA was profiled: another tool may hold CUPTI "
                "(nsys, compute-sanitizer, DCGM), its use may not be permitted here, or the steps launched "
                "nothing"
            )
        if self.unknown_regions:
            lines.append(
                f"{self.unknown_regions} regions are called 'unknown': torch writes only printable ASCII "
                "names of record_function, all others are merged under that one name"
            )
        if self.silent_threads and self.cpu_ops:  # without CPU activity no thread has an op
            lines.append(
                f"{self.silent_threads} threads launched GPU work without an op on record: torch does not "
                "follow the Python threads that your code starts"
            )
        return lines


def read_back(path: Path, *, shown: Mapping[str, str], title: str) -> Exported:
    """Return the exported file as strict JSON, with safe names turned back into the real ones.

    Parameters
    ----------
    path : Path
        What ``export_chrome_trace`` was asked to write.
    shown : mapping of str to str
        Real name of each safe name that differs from it.
    title : str
        Value for the file's ``traceName``, in place of a temporary path.

    Returns
    -------
    Exported
        The document and its counts.

    Raises
    ------
    CaptureError
        There is no file, or it is not JSON and could not be repaired.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CaptureError(f"torch wrote no trace to {path} ({error.strerror}); is the disk full?") from None
    data = _TRACE_NAME.sub(lambda _: b'"traceName": ' + json.dumps(title).encode() + b"\n}\n", data)
    for safe, real in shown.items():
        data = data.replace(b'"name": "%s"' % safe.encode(), b'"name": ' + json.dumps(real).encode())
    try:
        return _counted(data)
    except ValueError:
        data = _NAME_FIELD.sub(_with_quotes_escaped, data)
    try:
        return _counted(data)
    except ValueError as error:
        raise CaptureError(
            f"torch wrote a trace that is not JSON: {error}; free text in add_metadata?"
        ) from None


def _with_quotes_escaped(match: re.Match[bytes]) -> bytes:
    name = re.sub(rb'(?<!\\)((?:\\\\)*)"', rb'\1\\"', match[1])
    return b'"name": "%s",' % name


def _counted(data: bytes) -> Exported:
    """Return the counts of a strict JSON trace; raise ValueError for any other (NaN and bad UTF-8, too)."""
    import msgspec

    event_type = msgspec.defstruct(
        "ExportedEvent", [("ph", str, ""), ("cat", str, ""), ("name", str, ""), ("tid", int | str, "")]
    )
    file_type = msgspec.defstruct("ExportedFile", [("traceEvents", list[event_type])])  # type: ignore[valid-type]
    file: Any = msgspec.json.decode(data, type=file_type)
    events = [event for event in file.traceEvents if event.ph == "X"]
    categories = Counter(event.cat for event in events)
    with_ops = {event.tid for event in events if event.cat in ("cpu_op", "user_annotation")}
    launching = {
        event.tid
        for event in events
        if event.cat in ("cuda_runtime", "cuda_driver") and "Launch" in event.name
    }
    return Exported(
        data=data,
        events=len(events),
        gpu_events=sum(categories[name] for name in _GPU_CATEGORIES),
        cpu_ops=categories["cpu_op"],
        unknown_regions=sum(event.cat == "user_annotation" and event.name == "unknown" for event in events),
        silent_threads=len(launching - with_ops),
    )
