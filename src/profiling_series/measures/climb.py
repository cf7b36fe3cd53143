"""Up the calls: which event of some kind lies around another on its thread."""

from __future__ import annotations

import numpy as np

from ..trace import Trace


def nearest(trace: Trace, rows: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the nearest event of `mask` around each host event, itself included; -1 for none.

    Parameters
    ----------
    trace : Trace
        A trace.
    rows : int[n]
        Host events; -1 for none.
    mask : bool[len(trace)]
        Which events count.
    """
    return _climb(trace, rows, mask, first=True)


def outermost(trace: Trace, rows: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the outermost event of `mask` around each host event, itself included; -1 for none.

    Parameters
    ----------
    trace : Trace
        A trace.
    rows : int[n]
        Host events; -1 for none.
    mask : bool[len(trace)]
        Which events count.
    """
    return _climb(trace, rows, mask, first=False)


def _climb(trace: Trace, rows: np.ndarray, mask: np.ndarray, *, first: bool) -> np.ndarray:
    found = np.full(len(rows), -1, np.int64)
    at = np.asarray(rows, np.int64).copy()
    left = np.flatnonzero(at >= 0)
    while len(left):
        here = mask[at[left]]
        found[left[here]] = at[left[here]]
        if first:
            left = left[~here]
        at[left] = trace.parent[at[left]]
        left = left[at[left] >= 0]
    return found
