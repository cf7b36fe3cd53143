"""Blocks of columns to a Trace: joined, sorted, cleared of events that cannot be placed in time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from .lazy_args import ArgsReader
from .load import DEFAULT_MAX_BYTES, Loaded, load
from .load.columns import DTYPES, Block, Loss
from .load.text import undo_path_escapes
from .model import Columns, Lane, Trace
from .places import place_of

FAR_NS = 1_000_000_000  # events at 0 are bogus where all others are at least a second away
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

    Raises
    ------
    TraceError
        The file is missing, empty, too large, or not a trace; the message is one line: file, what, where.
    """
    loaded = load(Path(path), max_bytes)
    columns, copy_rows, copy_bytes, set_aside = _columns(loaded)
    base = int(columns["ts"][0]) if len(columns["ts"]) else 0
    names = [undo_path_escapes(n) for n in loaded.tables.names.values]
    lost = [loss for loss in loaded.tables.losses if not loss.kept]
    warnings = _warnings(
        loaded, set_aside, sum(a != b for a, b in zip(names, loaded.tables.names.values, strict=True))
    )
    ts = (columns["ts"] - np.uint64(base)).view(np.int64)
    return Trace(
        file=str(path),
        columns=Columns(
            ts,
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
        skipped_events=len(lost) + sum(set_aside.values()),
        reader=ArgsReader(loaded.source, loaded.tables),
    )


def _columns(loaded: Loaded) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, Counter[str]]:
    """Sorted columns, the sizes of the copies by row, and how many events were set aside, by reason."""
    blocks = loaded.blocks
    starts = np.cumsum([0, *(len(b.ts) for b in blocks)])
    copy_at = np.concatenate(
        [b.copy_at + s for b, s in zip(blocks, starts, strict=False)] or [np.empty(0, np.int64)]
    )
    copy_bytes = np.concatenate([b.copy_bytes for b in blocks] or [np.empty(0, np.int64)])
    columns = {key: _take(blocks, key) for key in DTYPES}
    blocks.clear()
    keep, set_aside = _placeable(columns["ts"], columns["dur"])
    order = _order(columns["ts"], columns["dur"])
    if not keep.all():
        order = order[keep[order]]
    place = np.full(len(keep), -1, np.int64)
    place[order] = np.arange(len(order))
    for key in columns:
        columns[key] = columns[key][order]
    rows = place[copy_at]
    return columns, rows[rows >= 0], copy_bytes[rows >= 0], set_aside


def _take(blocks: list[Block], key: str) -> np.ndarray:
    """One column of all blocks, taken out of them so that it is held once."""
    if not blocks:
        return np.empty(0, DTYPES[key])
    joined = np.concatenate([getattr(b, key) for b in blocks])
    for block in blocks:
        setattr(block, key, np.empty(0, DTYPES[key]) if key != "ts" else joined[:0])
    return joined


def _placeable(ts: np.ndarray, dur: np.ndarray) -> tuple[np.ndarray, Counter[str]]:
    """Which events have a usable time, and how many have not, by reason."""
    keep = np.ones(len(ts), bool)
    counts: Counter[str] = Counter()
    negative = dur < 0
    zero = ts == 0
    if zero.any() and not zero.all() and int(ts[~zero].min()) >= FAR_NS:
        counts["at time 0"] = int((zero & ~negative).sum())
        keep &= ~zero
    counts["of negative duration"] = int(negative.sum())
    keep &= ~negative
    if keep.any():
        far = (ts.astype(np.float64) - float(ts[keep].min())) > _MAX_SPAN_NS
        counts["at an impossible time"] = int((far & keep).sum())
        keep &= ~far
    return keep, Counter({k: n for k, n in counts.items() if n})


def _order(ts: np.ndarray, dur: np.ndarray) -> np.ndarray:
    """Order by (start, longest first, as in the file).

    torch writes nearly sorted runs, which a stable sort likes.
    """
    order = np.argsort(ts, kind="stable")
    sorted_ts = ts[order]
    tied = np.flatnonzero(sorted_ts[1:] == sorted_ts[:-1])
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
    for kept in (False, True):
        kinds: dict[str, list[Loss]] = {}
        for loss in loaded.tables.losses:
            if loss.kept == kept:
                kinds.setdefault(loss.kind, []).append(loss)
        for kind, losses in kinds.items():
            where = place_of(loaded.source, losses[0].offset)
            what = ("repaired" if kept else "skipped: broken or unusable") + f" ({kind})"
            found.append(f"{_count(len(losses))} {what}, the first at {where}")
    found += [f"{_count(n)} set aside: {reason}" for reason, n in set_aside.items()]
    if paths:
        found.append(
            f"{paths} name{'s' * (paths != 1)} held a file location with unescaped backslashes; put back"
        )
    if not loaded.closed:
        found.append(
            "the file is cut short: its event array is never closed "
            f"(it ends at byte {loaded.end_offset:,}); the whole events before that were kept"
        )
    if loaded.trailing_bytes:
        found.append(
            f"more text follows the end of the trace ({loaded.trailing_bytes:,} bytes or more, not read): "
            "did two processes write to one file?"
        )
    return found


def _count(n: int) -> str:
    return f"{n} event{'s' * (n != 1)}"
