"""What a measuring process is told, and what it answers: one JSON object a line."""

from __future__ import annotations

from msgspec import Struct

from profiling_series.results import AnyRequest


class Order(Struct, frozen=True):
    """What to measure, on which device, and the absolute folder to write to.

    A process that is one of several says when it is ready, and waits for a second line, its turn.
    """

    request: AnyRequest
    device: str
    out: str
    waits: bool = False


class Answer(Struct, frozen=True, omit_defaults=True):
    """A stage that begins, that the process is ready, the files that are done, or why there are none.

    `usage` says of an error that this machine cannot do what was asked.
    """

    progress: str | None = None
    ready: bool = False
    done: list[str] | None = None
    error: str | None = None
    usage: bool = False
