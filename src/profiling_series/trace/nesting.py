"""Which event encloses which, on lanes where calls nest."""

from __future__ import annotations

import numpy as np

from .groups import groups

FEW_LANES = 64
MOST_LEVELS = 32_000  # deeper nesting than any program's; its levels would not fit 16 bits


def parents(start: np.ndarray, end: np.ndarray, lane: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(Index of the enclosing event of each event, its end clamped to that of its parent).

    Events are sorted by (start, longest first); an event's parent is the innermost open one of its lane that
    began before it and has not ended at its start; -1 at top level. A child that overruns its parent
    (rounding, an unfinished region) is clamped to it.

    Parameters
    ----------
    start, end : int64[n]
        Nanoseconds.
    lane : int[n]
        Thread of each event; events of different lanes never enclose each other.

    Returns
    -------
    parent : int32[n]
        Index of the enclosing event.
    clamped : int64[n]
        End, no later than the parent's.
    """
    parent = np.full(len(start), -1, np.int32)
    clamped = end.copy()
    numbers = np.unique(lane)
    # Looking once more at every event for each lane takes less memory, and for many lanes too much time.
    few = len(numbers) <= FEW_LANES
    for rows in (np.flatnonzero(lane == number) for number in numbers) if few else groups(lane):
        rows = rows.astype(np.int32)
        parent_of, ends = _one_lane(start[rows], end[rows])
        parent[rows] = np.where(parent_of >= 0, rows[parent_of], -1)
        if ends is not None:
            clamped[rows] = ends
    return parent, clamped


def _one_lane(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Parents on one lane, and the clamped ends where some had to be clamped."""
    parent = _proper(start, end)
    if parent is not None:
        inside = np.flatnonzero(parent >= 0)
        if np.all(end[inside] <= end[parent[inside]]):
            return parent, None
    return _with_overruns(start, end)


def _proper(start: np.ndarray, end: np.ndarray) -> np.ndarray | None:
    """Parents of properly nested events, by counting; None where they nest too deeply for that.

    An event's depth is the number of events that began before it less those that have ended; its parent is
    the last one before it that is one level up. Times are doubled so that an event of no length ends after
    its start.
    """
    begin = start * 2
    finish = end * 2
    finish += end == start
    finish.sort()
    depth = np.arange(len(start), dtype=np.int32)
    depth -= np.searchsorted(finish, begin, side="right").astype(np.int32)
    del begin, finish
    if len(depth) and depth.max() > MOST_LEVELS:
        return None
    # Sorted by depth, file order kept (numpy sorts 16-bit numbers by radix): each level is a run in which
    # one search finds all parents.
    levels = np.maximum(depth, 0).astype(np.int16)
    order = np.argsort(levels, kind="stable").astype(np.int32)
    edges = np.concatenate(([0], np.cumsum(np.bincount(levels, minlength=1))))
    parent = np.full(len(start), -1, np.int32)
    for level in range(1, len(edges) - 1):
        above, here = order[edges[level - 1] : edges[level]], order[edges[level] : edges[level + 1]]
        if len(above) and len(here):
            place = np.searchsorted(above, here) - 1
            parent[here] = np.where(place >= 0, above[np.maximum(place, 0)], -1)
    return parent


def _with_overruns(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same with a stack, for lanes where some event ends after the one that encloses it."""
    parent = np.full(len(start), -1, np.int32)
    clamped = end.copy()
    starts, ends = start.tolist(), end.tolist()
    stack: list[int] = []
    for i, (s, e) in enumerate(zip(starts, ends, strict=True)):
        while stack and ends[stack[-1]] <= s and not (ends[stack[-1]] == s == starts[stack[-1]] == e):
            stack.pop()
        if stack:
            parent[i] = stack[-1]
            if e > ends[stack[-1]]:
                ends[i] = clamped[i] = ends[stack[-1]]
        stack.append(i)
    return parent, clamped
