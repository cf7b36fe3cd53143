"""Arithmetic on sets of half-open intervals [start, end), as pairs of sorted int64 arrays."""

from __future__ import annotations

import numpy as np

Intervals = tuple[np.ndarray, np.ndarray]


def union(start: np.ndarray, end: np.ndarray) -> Intervals:
    """Disjoint, sorted intervals that cover what the given ones cover; empty ones vanish."""
    keep = end > start
    start, end = start[keep], end[keep]
    if not len(start):
        return start, end
    if np.any(start[1:] < start[:-1]):
        order = np.argsort(start, kind="stable")
        start, end = start[order], end[order]
    reach = np.maximum.accumulate(end)
    first = np.flatnonzero(np.concatenate(([True], start[1:] > reach[:-1])))
    return start[first], reach[np.append(first[1:] - 1, len(start) - 1)]


def measure(intervals: Intervals) -> int:
    """Sum of the lengths of disjoint intervals."""
    return int((intervals[1] - intervals[0]).sum())


def clip(intervals: Intervals, low: int, high: int) -> Intervals:
    """The part of the intervals inside [low, high)."""
    start, end = np.maximum(intervals[0], low), np.minimum(intervals[1], high)
    keep = end > start
    return start[keep], end[keep]


def covered(intervals: Intervals, at: np.ndarray) -> np.ndarray:
    """How much of disjoint ``intervals`` lies before each point of ``at``."""
    start, end = intervals
    if not len(start):
        return np.zeros(len(at), np.int64)
    total = np.concatenate(([0], np.cumsum(end - start)))
    k = np.searchsorted(start, at, side="right")
    over = np.where(k > 0, np.maximum(end[np.maximum(k - 1, 0)] - at, 0), 0)
    return total[k] - over


def covered_between(intervals: Intervals, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How much of disjoint ``intervals`` lies inside each [low, high)."""
    return np.maximum(covered(intervals, high) - covered(intervals, low), 0)


def covered_by(intervals: Intervals, at: np.ndarray) -> np.ndarray:
    """Whether each point of ``at`` lies in one of disjoint ``intervals``."""
    start, end = intervals
    if not len(start):
        return np.zeros(len(at), bool)
    k = np.searchsorted(start, at, side="right") - 1
    return (k >= 0) & (at < end[np.maximum(k, 0)])


def intersect(a: Intervals, b: Intervals) -> Intervals:
    """Intervals in both of two disjoint sets."""
    if not len(a[0]) or not len(b[0]):
        empty = np.empty(0, np.int64)
        return empty, empty
    first = np.searchsorted(b[1], a[0], side="right")
    last = np.searchsorted(b[0], a[1], side="left")
    count = np.maximum(last - first, 0)
    left = np.repeat(np.arange(len(a[0])), count)
    right = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    return np.maximum(a[0][left], b[0][right]), np.minimum(a[1][left], b[1][right])


def gaps(intervals: Intervals, low: int, high: int) -> Intervals:
    """The part of [low, high) that disjoint intervals leave uncovered."""
    start, end = clip(intervals, low, high)
    free_start, free_end = np.concatenate(([low], end)), np.concatenate((start, [high]))
    keep = free_end > free_start
    return free_start[keep], free_end[keep]


def subtract(a: Intervals, b: Intervals) -> Intervals:
    """The part of ``a`` that is not in ``b`` (both disjoint and sorted)."""
    if not len(a[0]) or not len(b[0]):
        return a
    free = gaps(b, int(min(a[0][0], b[0][0])), int(max(a[1][-1], b[1][-1])))
    return intersect(a, free)
