"""Every measure that a claim can name. Importing the modules is what enters them in the registry."""

from __future__ import annotations

from . import kernel_measures, run_measures, spread_measures
from .registry import MEASURES, Measured

__all__ = ["MEASURES", "Measured", "kernel_measures", "run_measures", "spread_measures"]
