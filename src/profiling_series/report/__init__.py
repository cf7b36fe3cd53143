"""Showing what was read: summary, torch's table, timeline, dispatch chain. Nothing here imports torch."""

from __future__ import annotations

from .chain import dispatch_chain
from .summary import summary
from .table import table
from .timeline import timeline
from .view import View, show

__all__ = ["View", "dispatch_chain", "show", "summary", "table", "timeline"]
