"""Showing what was read, alone, over many runs, or two side by side. Nothing here imports torch."""

from __future__ import annotations

from .chain import dispatch_chain
from .compare import compare
from .comparison import Comparison, comparison
from .distribution import distribution
from .side_by_side import side_by_side
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
    "show",
    "side_by_side",
    "summary",
    "table",
    "timeline",
]
