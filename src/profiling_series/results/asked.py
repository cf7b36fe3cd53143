"""What every request is and checks alike, and how its fields are told in a file's name."""

from __future__ import annotations

import operator
from typing import ClassVar

from msgspec import Struct, structs

from profiling_series import workloads
from profiling_series.errors import UsageError
from profiling_series.results.digest import digest_of

#: The modes of ``torch.compile``; None stands for eager.
COMPILE_MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


class Asked(Struct, frozen=True, tag_field="kind"):
    """What every request has: a name for its files, and a digest by which its result is found.

    Attributes
    ----------
    leaves_trace : bool
        Whether a trace comes of it, or figures alone.
    """

    leaves_trace: ClassVar[bool] = True

    @property
    def cold(self) -> bool:
        """Return whether the compilers' caches must be empty."""
        return False

    @property
    def key(self) -> str:
        """Return the name of the files; two different requests never share one."""
        raise NotImplementedError

    @property
    def digest(self) -> str:
        """Return 16 hex digits over all fields: equal for equal requests only."""
        return digest_of(self)

    def _whole(self, *names: str) -> None:
        """Have the named fields hold plain ints from 0 on, or raise `UsageError`."""
        for name in names:
            structs.force_setattr(self, name, whole_number(name, getattr(self, name)))


def check_workload(workload: object, instead: str) -> None:
    """Return None, or raise `UsageError` for what is no registered workload; it says what to do instead."""
    if type(workload) not in workloads.WORKLOADS.values():
        raise UsageError(f"{instead}, not {workload!r:.80}")


def check_compile_mode(mode: object) -> None:
    """Return None, or raise `UsageError` for what is neither a mode of ``torch.compile`` nor None."""
    if mode is not None and mode not in COMPILE_MODES:
        raise UsageError(
            f"unknown compile mode {mode!r:.80}; choose one of {', '.join(COMPILE_MODES)}, or None for eager"
        )


def whole_number(name: str, value: object) -> int:
    """Return the value as an int from 0 to 2**63 - 1, or raise `UsageError` that names it."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(f"{name} must be a whole number, not {value!r:.80}") from None
    if not 0 <= number < 2**63:
        raise UsageError(f"{name} must be from 0 to 2**63 - 1, not {number}")
    return number


def compile_slug(mode: str | None) -> str:
    """Return how a file name says the compile mode: ``"eager"``, ``"compile"``, or the mode."""
    return {None: "eager", "default": "compile"}.get(mode, str(mode))


def numbers_slug(**numbers: int) -> tuple[str, ...]:
    """Return ``("seed1", "run2")``, each number that is not 0 with its name."""
    return tuple(f"{name}{number}" for name, number in numbers.items() if number)
