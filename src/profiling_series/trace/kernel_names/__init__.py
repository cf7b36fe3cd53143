"""What a GPU kernel's name tells, and what it does not.

`family` gives a short label, `decode` every piece with the source of its meaning. Only what is documented, or
was measured, is said; the rest is "not known", part by part.
"""

from profiling_series.trace.kernel_names.decode import decode, family
from profiling_series.trace.kernel_names.model import KernelName, Part, Source
from profiling_series.trace.kernel_names.rules import sources

__all__ = ["KernelName", "Part", "Source", "decode", "family", "sources"]
