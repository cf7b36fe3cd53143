"""What every planted fault has in common: a flag, and a twin that differs in that flag alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, Self

from profiling_series.errors import UsageError
from profiling_series.workloads.base import named_when_changed, positive_int

_FLAGS = {"yes": True, "true": True, "no": False, "false": False}


def flag(text: str) -> bool:
    """Return the truth value of ``"yes"`` or ``"no"``, as the command line gives it."""
    try:
        return _FLAGS[text.lower()]
    except KeyError:
        raise ValueError(f"yes or no, not {text!r}") from None


def whole(default: int, help: str) -> Any:
    """Return a field for a whole number of at least 1."""
    return field(default=default, metadata={"help": help, "type": int})


@dataclass(frozen=True)
class Planted:
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

    name: ClassVar[str]
    #: Parameters with which a CPU runs a step in milliseconds: they show the fault's code, not its cost.
    small: ClassVar[dict[str, int]]

    fault: bool = field(default=False, metadata={"help": "plant the fault (yes or no)", "type": flag})

    def __post_init__(self) -> None:
        """Check the parameters."""
        if not isinstance(self.fault, bool):
            raise UsageError(f"{self.name}: fault must be True or False, not {self.fault!r:.80}")
        for each in fields(self):
            if each.name != "fault":
                value = positive_int(self.name, each.name, getattr(self, each.name))
                object.__setattr__(self, each.name, value)

    @classmethod
    def tiny(cls, *, fault: bool) -> Self:
        """Return the workload in the sizes of `small`."""
        return cls(fault=fault, **cls.small)

    def params(self) -> dict[str, Any]:
        """Return the parameters as plain JSON values."""
        return asdict(self)

    def slug_parts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return ``("faulty",)`` or ``("healthy",)``, and every other field that is not at its default."""
        return ("faulty" if self.fault else "healthy",), named_when_changed(self, always=("fault",))
