r"""The decoder's rules: data files of patterns that Python and JavaScript read alike, and their Python form.

Most files of ``rules/`` hold ordered rules. What they share: ``pieces.json`` (fields for groups of a pattern,
words for the text between groups, searches for what may stand anywhere, macros), ``tables.json`` (values by
text), ``sources.json`` (where meanings come from) and ``fused_ops.json``. `raw` gives the whole as one plain
object, for a page that decodes names in the browser.

The patterns keep to what both languages read in the same way: named groups as ``(?<name>…)``, no look-behind,
no inline flags, no ``\\s``, no bare dot. ``$`` means the very end.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
import re
from dataclasses import dataclass
from typing import Any

from profiling_series.trace.kernel_names.model import Source

#: The order in which the files' rules are tried: the more telling prefixes first, bare names last.
ORDER = (
    "copies", "inductor", "attention", "collectives", "cublas",
    "cutlass", "cudnn", "pytorch", "rocm", "others",
)  # fmt: skip


@dataclass(frozen=True)
class Rule:
    """One rule: a pattern for a family of names, and what its groups, words and searches mean."""

    data: dict[str, Any]
    hint: tuple[str, ...]
    fields: dict[str, dict[str, Any]]
    words: tuple[dict[str, Any], ...]
    searches: tuple[tuple[dict[str, Any], ...], ...]

    @property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern (compiled when first asked for: most traces need a few)."""
        return compiled(self.data["pattern"])

    def match(self, body: str, whole: str) -> re.Match[str] | None:
        """Match the name without its parameters, after cheap tests for literals in it or in the whole."""
        if self.hint and not any(literal in body for literal in self.hint):
            return None
        if self.data.get("needs", "") not in whole:
            return None
        return self.regex.match(body)


@functools.cache
def raw() -> dict[str, Any]:
    """Return the rules as plain data, macros filled in: ``{"rules": [...], "sources": {...}, ...}``."""
    folder = importlib.resources.files(__package__) / "rules"

    def load(name: str) -> Any:
        return json.loads((folder / f"{name}.json").read_text("utf-8"))

    shared = {**load("pieces"), "tables": load("tables"), "sources": load("sources")}
    macros = shared.pop("macros")
    rules = [rule for name in ORDER for rule in load(name)["rules"]]
    shared["rules"] = rules
    for entry in _entries(shared):
        for name, text in macros.items():
            entry["pattern"] = entry["pattern"].replace("{{" + name + "}}", text)
    shared["fused_ops"] = load("fused_ops")["ops"]
    return dict(shared)


def _entries(shared: dict[str, Any]) -> list[dict[str, Any]]:
    """List every object that carries a pattern."""
    lists = [shared["rules"], *shared["words"].values(), *shared["searches"].values()]
    return [entry for entries in lists for entry in entries]


@functools.cache
def rules() -> tuple[Rule, ...]:
    """Return the rules in the order in which they are tried; the last one matches anything."""
    data = raw()
    made = []
    for rule in data["rules"]:
        made.append(
            Rule(
                data=rule,
                hint=tuple(rule.get("hint", ())),
                fields=_fields(rule.get("fields", {}), data["fields"]),
                words=tuple(entry for name in rule.get("words", ()) for entry in data["words"][name]),
                searches=tuple(tuple(data["searches"][name]) for name in rule.get("search", ())),
            )
        )
    return tuple(made)


def _fields(given: Any, shared: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return a rule's fields: its own, those shared under a name, or several of either (later ones win)."""
    merged: dict[str, dict[str, Any]] = {}
    for each in given if isinstance(given, list) else [given]:
        merged |= shared[each] if isinstance(each, str) else each
    return merged


@functools.cache
def sources() -> dict[str, Source]:
    """Return the sources by id."""
    return {key: Source(key, s["kind"], s["title"], s["url"]) for key, s in raw()["sources"].items()}


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the Python form of a pattern written in the common syntax."""
    return re.compile(to_python(pattern), re.ASCII)


def to_python(pattern: str) -> str:
    r"""Return the pattern in Python's spelling: named groups, and ``$`` as the very end.

    Examples
    --------
    >>> to_python("^nvjet_(?<tile>[0-9]+)$")
    '^nvjet_(?P<tile>[0-9]+)\\Z'
    """
    named = re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", pattern)
    return re.sub(r"(?<!\\)\$", r"\\Z", named)
