"""From a ``torch.profiler.profile`` whose window has just closed to a stored capture."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from profiling_series.errors import CaptureError
from profiling_series.format import visible
from profiling_series.profiler import exported, names
from profiling_series.profiler.machine import this_machine
from profiling_series.results import AnyRequest, Capture, Provenance, Schedule, store
from profiling_series.results.capture import from_files
from profiling_series.results.provenance import code_of

if TYPE_CHECKING:
    from torch.profiler import profile

# torch's default; longer names end in "...".
_NAME_COLUMN = 55


@dataclass
class Windows:
    """The recorded windows of one loop, stored one by one as they close.

    Call `close` as ``on_trace_ready``; torch allows one export of a window, and this is the one.

    Parameters
    ----------
    out : path-like
        Folder of the captures.
    key : str
        Their key; with a repeating schedule each window's number is added.
    annotation : str
        The region around each step, by its real name.
    schedule : Schedule
        Which steps are recorded.
    device : str
        ``"cpu"``, or the kind of accelerator: decides how the table is sorted, and whether GPU events are
        expected.
    request : AnyRequest, optional
        What was asked for; None for code of the caller's own.
    notes : list of str
        What a reader of the next window should know, beside what its trace tells.
    failed : dict of str to str
        Of a sweep: why a point could not be measured, by its label.
    abandoned : bool
        Set when the loop failed or ended too early: torch closes a window then as well, and it is not kept.
    captures : list of Capture
        What has been stored so far.
    """

    out: str | os.PathLike[str]
    key: str
    annotation: str
    schedule: Schedule
    device: str
    request: AnyRequest | None = None
    notes: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    abandoned: bool = False
    captures: list[Capture] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def close(self, prof: profile) -> None:
        """Return None, the window that has just closed stored and added to `captures`."""
        if self.abandoned:
            return
        number = len(self.captures) + 1
        key = self.key if self.schedule.repeat == 1 else f"{self.key}_cycle{number}"
        shown = {names.safe(self.annotation): self.annotation}
        trace = _exported(prof, shown={k: v for k, v in shown.items() if k != v}, title=f"{key}.json")
        if not trace.cpu_ops and not trace.gpu_events:
            # Whatever the loop did, torch saw none of it: no op, no kernel.
            raise CaptureError(
                "the recorded steps hold no op and no kernel: does this thread's loop call torch?"
            )
        table = _table(prof, device=self.device, shown={k: visible(v) for k, v in shown.items()})
        provenance = Provenance(
            key=key,
            request=self.request,
            digest=self.request.digest if self.request else None,
            code=code_of(self.request) if self.request else {},
            annotation=self.annotation,
            schedule=self.schedule,
            cycle=number,
            elapsed_s=round(time.monotonic() - self.started, 3),
            machine=this_machine(self.device),
            warnings=(*trace.warnings(gpu_expected=self.device != "cpu"), *self.notes),
            failed=dict(self.failed),
        )
        files = store.place(self.out, key)
        store.write(files, store.compress(trace.data), table, provenance)
        self.captures.append(from_files(files.trace, source="live"))


def _exported(prof: profile, *, shown: Mapping[str, str], title: str) -> exported.Exported:
    with tempfile.TemporaryDirectory(prefix="profiling_series_", dir=_plain_folder()) as folder:
        path = Path(folder) / "trace.json"
        prof.export_chrome_trace(str(path))
        return exported.read_back(path, shown=shown, title=title)


def _plain_folder() -> str:
    # Kineto alters a backslash in the path, and writes the path into the file unescaped.
    for folder in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        if names.safe(folder) == folder and os.access(folder, os.W_OK):
            return folder
    raise CaptureError(
        f"torch cannot export to {tempfile.gettempdir()!r}: set TMPDIR to a folder with a plain ASCII name"
    )


def _table(prof: profile, *, device: str, shown: Mapping[str, str]) -> str:
    averages = prof.key_averages()
    for row in averages:
        row.key = shown.get(row.key, row.key)
    # "device", not "cuda": the attributes were renamed, and both names sort alike.
    order = "self_cpu_time_total" if device == "cpu" else "self_device_time_total"
    return str(averages.table(sort_by=order, row_limit=-1, max_name_column_width=_NAME_COLUMN))
