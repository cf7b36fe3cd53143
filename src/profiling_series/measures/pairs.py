"""Measures of two programs: each side is asked as several processes are."""

from __future__ import annotations

from typing import Any

from .model import measure
from .subjects import Pair, Run, subject


@measure()
def before(pair: Pair) -> Any:
    """Return the processes of the first program."""
    return subject(list(pair.pair.before.sources))


@measure()
def after(pair: Pair) -> Any:
    """Return the processes of the second program."""
    return subject(list(pair.pair.after.sources))


@measure()
def _before(run: Run) -> None:
    """Return nothing: one run alone is no pair; `comparison(a, b)` is."""


@measure()
def _after(run: Run) -> None:
    """Return nothing: one run alone is no pair; `comparison(a, b)` is."""
