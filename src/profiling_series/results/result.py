"""What the results of all requests have in common: where they come from, and a line that says it."""

from __future__ import annotations

from msgspec import Struct

from profiling_series.results.provenance import Provenance


class Result(Struct, frozen=True, dict=True):
    """Something that was measured, with its provenance.

    Parameters
    ----------
    provenance : Provenance
        GPU, driver, torch, CUDA, Python, date, request, digest, and ``source``: ``"live"`` or ``"recorded"``.
    """

    provenance: Provenance

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.key}: {self.source_line}>"

    @property
    def key(self) -> str:
        """Return the name of the files, ``"01_matmul_add/64_bf16_cold_eager"``."""
        return self.provenance.key

    @property
    def source(self) -> str:
        """Return ``"live"`` if this process, or its child, measured it, ``"recorded"`` if not."""
        return self.provenance.source

    @property
    def source_line(self) -> str:
        """Return the line to put under every picture: live or recorded, on what, with which torch, when."""
        return self.provenance.line

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what a reader should know, one line each."""
        return self.provenance.warnings

    @property
    def on_gpu(self) -> bool:
        """Return whether a GPU was measured."""
        return self.provenance.machine.gpu is not None
