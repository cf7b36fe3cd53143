"""The errors that this package raises on purpose: each carries one clear line for its reader."""

from __future__ import annotations


class ProfilingSeriesError(Exception):
    """Base of every error of this package; its message is one line: what, where, what to do."""


class TraceError(ProfilingSeriesError):
    """The file cannot be read as a trace (the command line exits with 3)."""


class NotATraceError(TraceError):
    """A file of another kind: sound, perhaps, and no trace."""


class UsageError(ProfilingSeriesError, ValueError):
    """The call asks for what cannot be done, here or anywhere (the command line exits with 2)."""


class RecordingMissing(UsageError):
    """No recording of these parameters is shipped with the package."""


class CaptureError(ProfilingSeriesError):
    """A capture was started and did not come back with a trace (the command line exits with 1).

    Attributes
    ----------
    details : str
        All that the capture's process wrote to its standard error, or an empty string.
    """

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details
