"""``profiling-series kernel NAME…``: what a kernel's name tells, piece by piece."""

from __future__ import annotations

import argparse
import dataclasses
import json
from typing import TYPE_CHECKING, Any

from profiling_series.format import visible

if TYPE_CHECKING:
    from profiling_series.trace.kernel_names import KernelName, Part

_DESCRIPTION = """\
Say what the name of a GPU kernel tells: who made it, what it computes, types, tile, layout, and each piece
with the source of its meaning. What is neither documented nor measured is "not known".
"""

_EPILOG = """\
Quote the name: it may hold spaces, brackets and <>.

examples:
  profiling-series kernel nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT
  profiling-series kernel 'triton_poi_fused__unsafe_view_gelu_mul_0' --json
"""

_LABELS = {"dtypes": "types", "tensor_cores": "Tensor Cores", "fused_ops": "fused ops"}
_SEEN = "  (seen to mean this; documented nowhere)"
_LONGEST_SHOWN = 160  # characters of one piece in a terminal; --json gives all


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Return the parser of the command, added to the others'.

    Parameters
    ----------
    subparsers : argparse special action
        What ``add_subparsers`` returned.

    Returns
    -------
    argparse.ArgumentParser
        Its ``work`` is `run`.
    """
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "kernel",
        help="say what a kernel's name tells",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "names", metavar="NAME", nargs="+", help="name of a kernel, as a trace or a table has it"
    )
    parser.add_argument(
        "--json", action="store_true", help="one JSON object a line for each name, for programs"
    )
    parser.set_defaults(work=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print what the names tell; return the exit code, 0.

    Parameters
    ----------
    args : argparse.Namespace
        ``names`` and ``json``.

    Returns
    -------
    int
        Always 0: "not known" is an answer.
    """
    from profiling_series.trace.kernel_names import decode

    for at, name in enumerate(args.names):
        kernel = decode(name)
        if args.json:
            print(json.dumps(as_dict(kernel)))
        else:
            print(("\n" if at else "") + as_text(kernel))
    return 0


def as_dict(kernel: KernelName) -> dict[str, Any]:
    """Return the decoded name as plain data, with the sources that it cites.

    Parameters
    ----------
    kernel : KernelName
        A decoded name.

    Returns
    -------
    dict
        The attributes of `KernelName`, ``summary``, and ``sources`` by id.
    """
    cited = {source.id: dataclasses.asdict(source) for source in _cited(kernel)}
    return {**dataclasses.asdict(kernel), "summary": kernel.summary, "sources": cited}


def as_text(kernel: KernelName) -> str:
    """Return the decoded name as lines for a terminal, control characters written out.

    Parameters
    ----------
    kernel : KernelName
        A decoded name.

    Returns
    -------
    str
        Several lines.
    """
    lines = [_shown(kernel.name) or "(empty name)"]
    if kernel.demangled != kernel.name:
        lines.append(f"  demangled     {_shown(kernel.demangled)}")
    lines.append(f"  {'in short':<13} {visible(kernel.summary)}")
    lines += [f"  {label:<13} {visible(value)}" for label, value in _facts(kernel)]
    pieces = [part for part in kernel.parts if part.meaning]
    width = min(32, max((len(_shown(part.text)) for part in pieces), default=0))
    lines += [f"  {'pieces' if at == 0 else '':<13} {_piece(part, width)}" for at, part in enumerate(pieces)]
    lines += [f"  {'mind' if at == 0 else '':<13} {note}" for at, note in enumerate(kernel.notes)]
    for at, source in enumerate(_cited(kernel)):
        lines.append(
            f"  {'sources' if at == 0 else '':<13} [{source.id}] {source.title} {source.url or ''}".rstrip()
        )
    return "\n".join(lines)


def _facts(kernel: KernelName) -> list[tuple[str, str]]:
    """Return the lines that say something, and one that lists what the name does not tell."""
    cores = {True: "yes (Tensor Cores, or AMD's Matrix Cores)", False: "no", None: ""}[kernel.tensor_cores]
    seen = {_LABELS.get(field, field) for field in kernel.seen}
    optional = {
        "types": ", ".join(kernel.dtypes),
        "tile": kernel.tile or "",
        "stages": str(kernel.stages) if kernel.stages is not None else "",
        "layout": kernel.layout or "",
        "Tensor Cores": cores,
        "architecture": kernel.architecture or "",
        "epilogue": kernel.epilogue or "",
    }
    facts = [
        ("family", kernel.family),
        ("library", kernel.library or "not known"),
        ("operation", kernel.operation or "not known"),
        ("kind", kernel.kind or ""),
        ("fused ops", ", ".join(kernel.fused_ops)),
        ("number", "" if kernel.number is None else str(kernel.number)),
        ("memory", " to ".join(kernel.memory)),
        *optional.items(),
    ]
    told = [(label, value + _SEEN * (label in seen)) for label, value in facts if value]
    silent = [label for label, value in optional.items() if not value]
    tiled = kernel.tile or kernel.layout or kernel.tensor_cores is not None
    if tiled and silent:  # of a copy or an elementwise kernel, nobody asks for the tile
        told.append(("not known", ", ".join(silent)))
    return told


def _piece(part: Part, width: int) -> str:
    source = f"  [{part.source}]" if part.source else ""
    return f"{_shown(part.text):<{width}}  {visible(part.meaning)}{source}"


def _shown(text: str) -> str:
    """Return the text fit for a terminal, cut where it is long."""
    cut = text[:_LONGEST_SHOWN]
    more = len(text) - len(cut)
    return visible(cut) + (f"… (+{more} characters)" if more else "")


def _cited(kernel: KernelName) -> list[Any]:
    """Return the sources that the pieces name, in their order, each once."""
    from profiling_series.trace.kernel_names import sources

    known = sources()
    return [known[each] for each in dict.fromkeys(part.source for part in kernel.parts if part.source)]
