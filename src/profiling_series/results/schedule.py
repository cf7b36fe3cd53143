"""Which steps of a loop are recorded: the terms of ``torch.profiler.schedule``, checked before it runs."""

from __future__ import annotations

import operator

from msgspec import Struct, structs

from profiling_series.errors import UsageError


class Schedule(Struct, frozen=True):
    """How many steps to skip, to warm the profiler up with, and to record.

    Parameters
    ----------
    wait : int
        Steps that run without the profiler.
    warmup : int
        Steps that run with the profiler on, whose events are thrown away. With 0 the profiler's own start-up
        falls into the first recorded step.
    active : int
        Steps that are recorded, at least 1.
    repeat : int
        How many such windows are recorded, one after the other, each into files of its own.

    Raises
    ------
    UsageError
        The schedule can never record anything, or would never end.
    """

    wait: int = 1
    warmup: int = 1
    active: int = 3
    repeat: int = 1

    def __post_init__(self) -> None:
        """Check that the schedule records something and comes to an end."""
        for field in structs.fields(self):
            value = getattr(self, field.name)
            try:
                if isinstance(value, bool):
                    raise TypeError
                structs.force_setattr(self, field.name, operator.index(value))
            except TypeError:
                raise UsageError(f"schedule: {field.name} must be a whole number, not {value!r}") from None
        for name in ("wait", "warmup"):
            if getattr(self, name) < 0:
                raise UsageError(f"schedule: {name} must be 0 or more, not {getattr(self, name)}")
        if self.active < 1:
            raise UsageError(f"schedule: active={self.active} never records a step; it must be at least 1")
        if self.repeat < 1:
            # torch reads repeat=0 as "for ever"; such a recording has no end to write its file at.
            raise UsageError(f"schedule: repeat={self.repeat}; it must be at least 1, so that the loop ends")

    @property
    def cycle_steps(self) -> int:
        """Return the steps of one window: wait + warmup + active."""
        return self.wait + self.warmup + self.active

    @property
    def steps(self) -> int:
        """Return the steps of the whole loop: repeat · (wait + warmup + active)."""
        return self.repeat * self.cycle_steps

    @property
    def recorded_steps(self) -> int:
        """Return how many of those steps are recorded: repeat · active."""
        return self.repeat * self.active

    def params(self) -> dict[str, int]:
        """Return the four numbers by name."""
        return structs.asdict(self)

    def slug_parts(self) -> tuple[str, ...]:
        """Return ``("active20", …)``: every term that differs from the default, by name."""
        return tuple(
            f"{field.name}{getattr(self, field.name)}"
            for field in structs.fields(self)
            if getattr(self, field.name) != field.default
        )

    def __str__(self) -> str:
        terms = f"wait {self.wait} + warmup {self.warmup} + active {self.active}"
        return terms if self.repeat == 1 else f"{self.repeat} × ({terms})"
