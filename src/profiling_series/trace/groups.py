"""Rows grouped by a key, in time that does not grow with the number of groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .event_table import EventTable


def groups(key: np.ndarray) -> Iterator[np.ndarray]:
    """Indices of each group of equal keys, in their order; groups by rising key."""
    order = np.argsort(key, kind="stable")
    edges = np.flatnonzero(np.diff(key[order])) + 1
    yield from (part for part in np.split(order, edges) if len(part))


def pid_codes(trace: EventTable) -> np.ndarray:
    """A number for the process of each lane, equal for equal pids (1 and "1" differ): int64[lanes]."""
    codes: dict[tuple[type, object], int] = {}
    return np.array([codes.setdefault((type(lane.pid), lane.pid), len(codes)) for lane in trace.lanes] or [0])


def last_before(call_key: np.ndarray, call_ts: np.ndarray, key: np.ndarray, ts: np.ndarray) -> np.ndarray:
    """For each (key, ts) the index of the last call of that key that began by ts, else of its first.

    Each key must be among those of the calls; calls that begin at once count in their order.
    """
    size = len(call_key)
    order = np.lexsort((call_ts, call_key))
    is_query = np.repeat([False, True], [size, len(key)])
    merged = np.lexsort((is_query, np.concatenate([call_ts, ts]), np.concatenate([call_key, key])))
    before = np.cumsum(~is_query[merged]) - 1
    found = np.empty(len(key), np.int64)
    found[merged[is_query[merged]] - size] = before[is_query[merged]]
    first = np.searchsorted(call_key[order], key)
    return order[np.maximum(found, first)]
