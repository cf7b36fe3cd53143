"""Results that several measures of one trace share, worked out once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from .model import Trace

T = TypeVar("T")


def per_trace(measure: Callable[[Any], T]) -> Callable[[Any], T]:
    """The function, its result kept with the trace (a trace never changes)."""
    key = f"{measure.__module__}.{measure.__qualname__}"

    @wraps(measure)
    def cached(trace: Trace) -> T:
        kept = trace.memo
        if key not in kept:
            kept[key] = measure(trace)
        return kept[key]

    return cached
