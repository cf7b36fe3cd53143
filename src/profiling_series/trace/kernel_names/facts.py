"""What the rules find in a name: the attributes that pieces of it fill, and where the pieces lie."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from profiling_series.trace.kernel_names.fused import split_ops
from profiling_series.trace.kernel_names.model import NOT_KNOWN, Part
from profiling_series.trace.kernel_names.rules import Rule, compiled, raw

LISTS = frozenset({"dtypes", "fused_ops", "memory"})
_NUMBERS = frozenset({"stages", "number"})
SLOT = re.compile(r"\{([a-z0-9_]*)(?::([a-z0-9-]+))?\}")


@dataclass
class Facts:
    """What was found so far: attributes of the name, values and texts of the groups, spans of the name."""

    attributes: dict[str, Any] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    spans: list[tuple[int, int, Part]] = field(default_factory=list)


def take_groups(rule: Rule, match: re.Match[str], facts: Facts) -> None:
    """Note the pattern's groups: their spans, and the attributes that they fill."""
    for key in rule.regex.groupindex:
        if match.group(key):
            group = key.split("__")[0]  # dtype__out is one more dtype
            entry = rule.fields.get(group) or {"say": NOT_KNOWN}
            if group == "family":
                entry = {"say": rule.data["family"], "source": rule.data["source"], "field": "family"}
            note(entry, match.group(key), match.span(key), facts, {}, group)


def take_first(search: tuple[dict[str, Any], ...], body: str, facts: Facts) -> None:
    """Note the first entry of the search that occurs anywhere in the name."""
    for entry in search:
        if match := compiled(entry["pattern"]).search(body):
            key = "v" if "v" in match.re.groupindex and match.group("v") else 0
            note(entry, match.group(key), match.span(key), facts, match.groupdict())
            return


def note(
    entry: dict[str, Any],
    text: str,
    span: tuple[int, int],
    facts: Facts,
    groups: dict[str, str | None],
    group: str | None = None,
) -> None:
    """Note one piece of the name: its value, the attribute that it fills, and its meaning."""
    value = _value(entry, text)
    attribute = entry.get("field")
    if value is not None and attribute:
        _fill(facts.attributes, attribute, value)
    for key, fixed in entry.get("set", {}).items():
        facts.attributes.setdefault(key, fixed)
    if group:
        facts.texts.setdefault(group, text)
        facts.values.setdefault(group, ", ".join(value) if value else text)
    meaning = NOT_KNOWN
    if value is not None:
        slots = {"": ", ".join(value), **{key: found or "" for key, found in groups.items()}}
        meaning = _fill_slots(entry.get("say", NOT_KNOWN), slots)
    known = meaning != NOT_KNOWN
    part = Part(text, meaning, entry.get("source") if known else None, attribute if known else None)
    facts.spans.append((*span, part))


def _value(entry: dict[str, Any], text: str) -> list[str] | None:
    """Return the values that an entry makes of a text; None where its table does not know the text."""
    if "value" in entry:
        return [entry["value"]]
    texts = compiled(entry["each"]).findall(text) if "each" in entry else [text]
    if entry.get("lower"):
        texts = [each.lower() for each in texts]
    if entry.get("field") == "fused_ops":
        texts = list(split_ops(text))
    if "join" in entry:
        texts = [entry["join"].join(texts)]
    if "table" in entry:
        table = raw()["tables"][entry["table"]]
        texts = [table[each] for each in texts if each in table]
    return texts or None


def _fill(attributes: dict[str, Any], attribute: str, value: list[str]) -> None:
    """Set an attribute of the name; the first to speak wins, and lists grow without repeats."""
    if attribute in LISTS:
        known = attributes.setdefault(attribute, [])
        known.extend(each for each in value if each not in known)
    elif attribute in _NUMBERS:
        if len(value[0]) <= 9:
            attributes.setdefault(attribute, int(value[0]))
    else:
        attributes.setdefault(attribute, value[0])


def _fill_slots(template: str, slots: dict[str, str]) -> str:
    return SLOT.sub(lambda slot: slots.get(slot.group(1), slot.group()), template)
