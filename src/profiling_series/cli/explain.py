"""``profiling-series explain ID…``: what a finding means, and what to do about it."""

from __future__ import annotations

import argparse
import textwrap
from difflib import get_close_matches
from typing import Any

from profiling_series.errors import UsageError

_DESCRIPTION = """\
Explain findings: what one sees, what it usually means, what to do, and where that holds.
`profiling-series read` names them; without an ID, all are listed.
"""
_WIDTH = 88


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
        "explain", help="explain a finding", description=_DESCRIPTION
    )
    parser.add_argument("ids", metavar="ID", nargs="*", help="such as overhead-bound or cold-first-step")
    parser.set_defaults(work=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print what is known of the findings; return the exit code, 0.

    Parameters
    ----------
    args : argparse.Namespace
        ``ids``.

    Returns
    -------
    int
        Always 0.

    Raises
    ------
    UsageError
        There is no such finding.
    """
    from profiling_series.findings import RULES

    if not args.ids:
        width = max(map(len, RULES))
        for rule in RULES.values():
            print(f"{rule.id:<{width}}  {rule.title}")
        return 0
    for name in args.ids:
        if name not in RULES:
            near = ", ".join(get_close_matches(name, RULES))
            then = f"near: {near}" if near else "`profiling-series explain` lists all"
            raise UsageError(f"no finding is called {name!r}; {then}")
    for at, name in enumerate(args.ids):
        rule = RULES[name]
        print(("\n" if at else "") + f"{rule.id}: {rule.title}")
        told = {"you see": rule.sees, "it means": rule.means, "do": rule.do, "holds": rule.holds_for}
        for label, text in told.items():
            indent = " " * 12
            plain = text.replace("`", "")
            print(textwrap.fill(f"  {label:<10}{plain}", _WIDTH, subsequent_indent=indent))
    return 0
