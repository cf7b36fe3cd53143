"""A name cut into its pieces, in order: groups and searches, and the words between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from profiling_series.trace.kernel_names.facts import Facts, note
from profiling_series.trace.kernel_names.model import NOT_KNOWN, Part
from profiling_series.trace.kernel_names.rules import Rule, compiled

_SEPARATOR = re.compile(r"[^A-Za-z0-9]+")
_WORD = re.compile(r"[A-Za-z0-9]+")


def cut_parts(rule: Rule, body: str, facts: Facts) -> list[Part]:
    """Return the pieces of the name in order, with words read in the gaps between the groups."""
    parts: list[Part] = []
    position = 0
    for begin, end, part in sorted(facts.spans, key=lambda span: (span[0], -span[1])):
        if begin < position:
            continue  # within a piece already taken (a search that hits a group)
        parts.extend(_gap(rule, body, position, begin, facts))
        parts.append(part)
        position = end
    parts.extend(_gap(rule, body, position, len(body), facts))
    return parts


def _gap(rule: Rule, body: str, begin: int, end: int, facts: Facts) -> Iterator[Part]:
    """Yield the pieces between two groups: word by word where the rule knows words, else as one."""
    if begin >= end:
        return
    if not rule.words:
        yield _unread(body[begin:end])
        return
    position = begin
    while position < end:
        if separator := _SEPARATOR.match(body, position, end):
            yield _unread(separator.group())
            position = separator.end()
            continue
        part, position = _word(rule, body, position, end, facts)
        yield part


def _word(rule: Rule, body: str, position: int, end: int, facts: Facts) -> tuple[Part, int]:
    """Return the piece that starts here, known or not, and where it ends."""
    for entry in rule.words:
        match = compiled(entry["pattern"]).match(body, position, end)
        if match and (match.end() == end or not body[match.end()].isalnum()):
            value = match.group("v") if "v" in match.re.groupindex else match.group()
            note(entry, value, match.span(), facts, match.groupdict())
            noted = facts.spans.pop()[2]
            return Part(match.group(), noted.meaning, noted.source, noted.field), match.end()
    word = _WORD.match(body, position, end)
    stop = word.end() if word else position + 1
    return Part(body[position:stop]), stop


def _unread(text: str) -> Part:
    """Return a piece of which nothing is said; a mere separator has no meaning to miss."""
    return Part(text, NOT_KNOWN if any(char.isalnum() for char in text) else "")
