"""Every number that a page, a claim or a view shows: by name and with parameters, defined once.

Importing the modules is what enters their measures in the register.
"""

from __future__ import annotations

from . import footprints, ops, pairs, runs, spread, steps, sweeps, values, work
from .language import answer, evaluate
from .model import REGISTER, UNTOLD, Measure, Measured

__all__ = [
    "REGISTER",
    "UNTOLD",
    "Measure",
    "Measured",
    "answer",
    "evaluate",
    "footprints",
    "ops",
    "pairs",
    "runs",
    "spread",
    "steps",
    "sweeps",
    "values",
    "work",
]
