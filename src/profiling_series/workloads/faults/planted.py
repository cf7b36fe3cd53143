"""What every planted fault has in common: a flag, and a twin that differs in that flag alone."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from msgspec import Meta, structs

from profiling_series.errors import UsageError
from profiling_series.workloads.base import Workload, named_when_changed, set_positive_ints


class Planted(Workload, frozen=True):
    """A workload with a fault that can be left out.

    Parameters
    ----------
    fault : bool
        Whether the fault is in it. Two workloads that differ in nothing else are twins.

    Raises
    ------
    UsageError
        A parameter is out of range.
    """

    #: Parameters with which a CPU runs a step in milliseconds: they show the fault's code, not its cost.
    small: ClassVar[dict[str, int]]

    fault: Annotated[bool, Meta(description="plant the fault (yes or no)")] = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        if not isinstance(self.fault, bool):
            raise UsageError(f"{self.name}: fault must be True or False, not {self.fault!r:.80}")
        set_positive_ints(self, *(field.name for field in structs.fields(self) if field.name != "fault"))

    @classmethod
    def tiny(cls, *, fault: bool) -> Self:
        """Return the workload in the sizes of `small`."""
        return cls(fault=fault, **cls.small)

    def slug_parts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return ``("faulty",)`` or ``("healthy",)``, and every other field that is not at its default."""
        return ("faulty" if self.fault else "healthy",), named_when_changed(self, always=("fault",))
