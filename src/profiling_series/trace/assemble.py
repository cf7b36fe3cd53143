"""Blocks of columns to a Trace: joined, sorted, cleared of events that cannot be placed in time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from .lazy_args import ArgsReader
from .load import DEFAULT_MAX_BYTES, Loaded, load
from .load.columns import DTYPES
from .load.text import undo_path_escapes
from .model import Columns, Lane, Trace
from .places import place_of

FAR_NS = 1_000_000_000  # events at 0 are bogus where all others are at least a second away
VERY_FAR_NS = 86_400 * FAR_NS  # no recording is a day long
_MAX_SPAN_NS = 2**61


def read(path: str | Path, max_bytes: int = DEFAULT_MAX_BYTES) -> Trace:
    """Trace held by a file that ``torch.profiler`` wrote, plain or gzipped by its content.

    Parameters
    ----------
    path : str or Path
        The file.
    max_bytes : int
        Largest decompressed size that is read.

    Returns
    -------
    Trace
        Its columns are in memory; args of single events are read when asked for.

    Raises
    ------
    TraceError
        The file is missing, empty, too large, or not a trace; the message is one line: file, what, where.
    """
    loaded = load(Path(path), max_bytes)
    columns, copy_rows, copy_bytes, set_aside = _columns(loaded)
    base = int(columns["ts"][0]) if len(columns["ts"]) else 0
    names = [undo_path_escapes(n) for n in loaded.tables.names.values]
    lost = sum(loss.count for loss in loaded.tables.losses.lost())
    warnings = _warnings(
        loaded, set_aside, sum(a != b for a, b in zip(names, loaded.tables.names.values, strict=True))
    )
    ts = columns["ts"]
    ts -= np.uint64(base)
    return Trace(
        file=str(path),
        columns=Columns(
            ts.view(np.int64),
            columns["dur"],
            columns["name"],
            columns["cat"],
            columns["lane"],
            columns["correlation"],
            columns["queue"],
            columns["where"],
        ),
        names=names,
        cats=loaded.tables.cats.values,
        lanes=_lanes(loaded),
        queues=loaded.tables.queues.values,
        base_ns=base,
        metadata=loaded.metadata,
        copy_rows=copy_rows,
        copy_bytes=copy_bytes,
        warnings=warnings,
        skipped_events=lost + sum(set_aside.values()),
        reader=ArgsReader(loaded.source, loaded.tables),
    )


def _columns(loaded: Loaded) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, Counter[str]]:
    """Sorted columns, the sizes of the copies by row, and how many events were set aside, by reason."""
    gathered = loaded.columns
    copy_at, copy_bytes = gathered.copies()
    ts, dur = gathered.take("ts"), gathered.take("dur")
    keep, set_aside = _placeable(ts, dur)
    order = _order(ts, dur)
    if keep is not None:
        order = order[keep[order]]
    columns = {"ts": ts[order], "dur": dur[order]}
    del ts, dur
    for key in DTYPES:
        if key not in columns:
            columns[key] = gathered.take(key)[order]
    if not len(copy_at):
        return columns, copy_at, copy_bytes, set_aside
    place = np.full(int(order.max(initial=0)) + 1, -1, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    rows = np.where(copy_at < len(place), place[np.minimum(copy_at, len(place) - 1)], -1).astype(np.int64)
    return columns, rows[rows >= 0], copy_bytes[rows >= 0], set_aside


def _placeable(ts: np.ndarray, dur: np.ndarray) -> tuple[np.ndarray | None, Counter[str]]:
    """Which events have a usable time (None for all), and how many have not, by reason."""
    if not len(ts) or (ts.min() > 0 and dur.min() >= 0 and int(ts.max()) - int(ts.min()) < _MAX_SPAN_NS):
        return None, Counter()
    keep = np.ones(len(ts), bool)
    counts: Counter[str] = Counter()
    negative = dur < 0
    zero = ts == 0
    # A re-based trace begins at 0; where events lost their times, they have no duration, or the rest is far.
    if zero.any() and not zero.all():
        zero &= (dur == 0) if int(ts[~zero].min()) < VERY_FAR_NS else True
    if zero.any() and not zero.all() and int(ts[~zero].min()) >= FAR_NS:
        counts["at time 0"] = int((zero & ~negative).sum())
        keep &= ~zero
    counts["of negative duration"] = int(negative.sum())
    keep &= ~negative
    if keep.any():
        middle = float(np.median(ts[keep]))  # one lost event, at whichever end, must not cost the others
        far = np.abs(ts.astype(np.float64) - middle) > _MAX_SPAN_NS / 2
        counts["at an impossible time"] = int((far & keep).sum())
        keep &= ~far
    return keep, Counter({k: n for k, n in counts.items() if n})


def _order(ts: np.ndarray, dur: np.ndarray) -> np.ndarray:
    """Order by (start, longest first, as in the file).

    torch writes nearly sorted runs, which a stable sort likes.
    """
    order = np.argsort(ts, kind="stable")
    if len(order) < 2**31:
        order = order.astype(np.int32)
    sorted_ts = ts[order]
    tied = np.flatnonzero(sorted_ts[1:] == sorted_ts[:-1])
    del sorted_ts
    if len(tied):
        among = np.union1d(tied, tied + 1)
        rows = order[among]
        order[among] = rows[np.lexsort((-dur[rows], ts[rows]))]
    return order


def _lanes(loaded: Loaded) -> list[Lane]:
    labels = loaded.tables.labels
    return [
        Lane(
            pid,
            tid,
            str(labels.get(("thread_name", pid, tid)) or labels.get(("process_labels", pid, 0)) or ""),
        )
        for pid, tid in loaded.tables.lanes.values
    ]


def _warnings(loaded: Loaded, set_aside: Counter[str], paths: int) -> list[str]:
    """What was odd about the file, one sentence a kind."""
    found = []
    for loss in loaded.tables.losses.all():
        what = ("repaired" if loss.kept else "skipped: broken or unusable") + f" ({loss.kind})"
        found.append(f"{_count(loss.count)} {what}, the first at {place_of(loaded.source, loss.first)}")
    found += [f"{_count(n)} set aside: {reason}" for reason, n in set_aside.items()]
    if paths:
        found.append(
            f"{paths} name{'s' * (paths != 1)} held a file location with unescaped backslashes; put back"
        )
    if not loaded.array_closed:
        found.append(
            "the file is cut short: its event array is never closed "
            f"(it ends at byte {loaded.end_offset:,}); the whole events before that were kept"
        )
    elif not loaded.whole:
        found.append("the file is cut short after its events: keys that follow them may be missing")
    if loaded.trailing_bytes:
        found.append(
            f"more text follows the end of the trace ({loaded.trailing_bytes:,} bytes or more, not read): "
            "did two processes write to one file?"
        )
    return found


def _count(n: int) -> str:
    return f"{n} event{'s' * (n != 1)}"
