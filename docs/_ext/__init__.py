"""What this site adds to Sphinx: measured values in prose, pictures, provenance, no half-stale builds.

One extension, `_ext`, whose parts are modules of one subject each. Order matters in two places: the stamp is
compared before sphinx-gallery decides what to run, and notebooks are rewritten after it wrote them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import (
    captures,
    claims_page,
    command_help,
    findings,
    kernel_decoder,
    kernel_pieces,
    kernels,
    llms,
    notebooks,
    perfetto,
    planted,
    recorded,
    source_of,
    speed,
    stamp,
    this_build,
    values,
    views,
)

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Register every part and return the extension's metadata."""
    shown = (
        views,
        claims_page,
        this_build,
        command_help,
        speed,
        recorded,
        findings,
        planted,
        kernel_pieces,
        kernel_decoder,
        source_of,
        llms,
        perfetto,
    )
    for part in (stamp, captures, values, kernels, *shown, notebooks):
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
