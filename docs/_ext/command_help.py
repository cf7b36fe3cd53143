"""The `command-help` directive: the help of the command line, as it prints it, a section a command."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING
from unittest import mock

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

COLUMNS = "88"


class CommandHelp(SphinxDirective):
    """``.. command-help::``: every command of ``profiling-series``, with its ``--help``."""

    def run(self) -> list[nodes.Node]:
        """Return a literal block for the command itself, and a section for each of its commands."""
        from profiling_series.cli.parser import build_parser

        with mock.patch.dict(os.environ, {"COLUMNS": COLUMNS, "NO_COLOR": "1"}):
            parser = build_parser()
            shown: list[nodes.Node] = [_block(parser)]
            for name, command in _commands(parser).items():
                section = nodes.section(ids=[f"command-{name}"], names=[f"command-{name}"])
                section += [
                    nodes.title("", "", nodes.literal("", f"profiling-series {name}")),
                    _block(command),
                ]
                shown.append(section)
        return shown


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the commands of a parser, by name."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {name: command for group in groups for name, command in group.choices.items()}


def _block(parser: argparse.ArgumentParser) -> nodes.Node:
    text = parser.format_help().rstrip()
    return nodes.literal_block(text, text, language="text")


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("command-help", CommandHelp)
