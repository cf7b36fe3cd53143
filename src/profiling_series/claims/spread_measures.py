"""Measures over many runs: of one kernel's times, and of two programs, each in several processes."""

from __future__ import annotations

from statistics import median
from typing import Any

from ..report.comparison import Comparison
from .kernel_measures import _gemm_us
from .registry import UNTOLD, Measured, measure


@measure
def _gemm_range_percent(x: Any) -> Measured:
    """Return how far the product's longest run lies above its shortest, % of the median."""
    each = _gemm_us(x).each
    return Measured(100 * (max(each) - min(each)) / median(each)) if len(each) > 1 else UNTOLD


@measure
def _gemm_mean_factor(x: Any) -> Measured:
    """Return how many times the median the mean of the product's runs is."""
    each = _gemm_us(x).each
    return Measured(sum(each) / len(each) / median(each)) if len(each) > 1 else UNTOLD


@measure
def _cpu_step_factor(x: Any) -> Measured:
    """Return how many times the CPU's time of a step the second program takes; x is a `Comparison`.

    One value a pair of processes; untold for fewer processes than a factor needs.
    """
    if not isinstance(x, Comparison) or not x.enough_runs:
        return UNTOLD
    factors = x.factors(lambda run: run.cpu_us.median)
    return Measured(factors[0], factors[1:]) if factors else UNTOLD
