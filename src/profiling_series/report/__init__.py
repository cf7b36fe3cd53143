"""Showing what was read, alone, over many runs, or two side by side. Nothing here imports torch."""

from __future__ import annotations

from .chain import dispatch_chain
from .compare import compare
from .comparison import Comparison, comparison
from .distribution import distribution
from .footprints import footprints
from .kernel_names import kernel_names
from .launches import launches
from .ops import ops
from .over_processes import over_processes
from .roofline import roofline
from .side_by_side import side_by_side
from .step_times import step_times
from .summary import summary
from .table import table
from .timeline import timeline
from .view import View, show

__all__ = [
    "Comparison",
    "View",
    "compare",
    "comparison",
    "dispatch_chain",
    "distribution",
    "footprints",
    "kernel_names",
    "launches",
    "ops",
    "over_processes",
    "roofline",
    "show",
    "side_by_side",
    "step_times",
    "summary",
    "table",
    "timeline",
]
