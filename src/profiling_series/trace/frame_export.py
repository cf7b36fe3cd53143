"""The columns as a data frame, for people's own analysis; pandas and polars load when asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UsageError

if TYPE_CHECKING:
    from .model import Trace


def columns(trace: Trace) -> dict[str, np.ndarray]:
    """One array an attribute, each with one value an event, in time order.

    ``name``, ``cat`` (texts), ``pid``, ``tid`` (as in the file), ``ts_us``, ``dur_us`` (µs since the trace's
    first event; float64), ``correlation`` (-1: none), ``step`` (index into the steps, -1: none), ``launch``
    (row of the call that launched a GPU event, -1), ``parent`` (row of the enclosing host event, -1).
    """
    names, cats = np.array(trace.names or [""], object), np.array(trace.cats or [""], object)
    pids = np.array([lane.pid for lane in trace.lanes] or [0], object)
    tids = np.array([lane.tid for lane in trace.lanes] or [0], object)
    return {
        "name": names[trace.name_id],
        "cat": cats[trace.cat_id],
        "pid": pids[trace.lane_id],
        "tid": tids[trace.lane_id],
        "ts_us": trace.ts / 1000,
        "dur_us": trace.dur / 1000,
        "correlation": trace.correlation,
        "step": trace.step_index,
        "launch": trace.launch_of,
        "parent": trace.parent,
    }


def to_pandas(trace: Trace) -> Any:
    """A `pandas.DataFrame` of `columns`, one row an event.

    Raises
    ------
    UsageError
        pandas is not installed.
    """
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        raise UsageError("to_pandas() needs pandas: pip install pandas") from None
    return pandas.DataFrame(columns(trace))


def to_polars(trace: Trace) -> Any:
    """A `polars.DataFrame` of `columns`, one row an event; pids and tids as texts.

    Raises
    ------
    UsageError
        polars is not installed.
    """
    try:
        polars = importlib.import_module("polars")
    except ImportError:
        raise UsageError("to_polars() needs polars: pip install polars") from None
    data = columns(trace)
    return polars.DataFrame(
        {
            k: [str(x) for x in v] if k in ("pid", "tid") else v.tolist() if v.dtype == object else v
            for k, v in data.items()
        }
    )
