"""Reading traces: load → events → links → measures. Nothing here imports torch."""

from __future__ import annotations

from ..errors import TraceError
from .assemble import read
from .frames import Frames, python_frames
from .model import Event, Lane, Trace
from .steps import Step

__all__ = ["Event", "Frames", "Lane", "Step", "Trace", "TraceError", "python_frames", "read"]
