"""Finding events one at a time in text that may be broken: by their braces, else by where the next begins."""

from __future__ import annotations

import re

import msgspec

from .columns import Loss
from .single import Reader

SEARCHED_BYTES = 4 << 20
_OPEN_OR_END = re.compile(rb"[{\]]")
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}]', re.S)
_NEXT_EVENT = re.compile(rb'\}\s*,\s*\{\s*"(?:ph|name|cat|pid|tid|ts|args|id|bp)"\s*:|\}\s*\]')
_FOLLOWS = re.compile(rb"\s*(?:[,\]]|$)")


def event_end(text: bytes, start: int) -> int:
    """End of the object at ``start``: by its braces outside strings, else where the next event may begin."""
    depth = 0
    for match in _TOKEN.finditer(text, start):
        depth += {b"{": 1, b"}": -1}.get(match[0], 0)
        if not depth:
            try:
                msgspec.json.decode(text[start : match.end()])
                return match.end()
            except (msgspec.DecodeError, RecursionError):
                break
    # Broken: up to where the next event seems to begin, or to where the braces closed if nothing follows.
    guess = _NEXT_EVENT.search(text, start, start + SEARCHED_BYTES)
    if guess:
        return guess.start() + 1
    if not depth and match and _FOLLOWS.match(text, match.end()):
        return match.end()
    return len(text)


def read_pieces(
    text: bytes, offset: int, reader: Reader, limit: int | None = None
) -> tuple[int, bytes | None]:
    """Take in the events of ``text`` up to ``limit``; what is broken is repaired, or counted as lost.

    Parameters
    ----------
    text : bytes
        Array elements, from the start of one on.
    offset : int
        Where ``text`` stands in the file.
    reader : Reader
        Gets the events.
    limit : int, optional
        No event that starts behind it is read.

    Returns
    -------
    size : int
        How much of ``text`` was dealt with.
    footer : bytes or None
        What follows the array's closing bracket, None if it was not met.
    """
    limit = len(text) if limit is None else limit
    at = 0
    while at < limit:
        found = _OPEN_OR_END.search(text, at)
        begin = min(found.start(), limit) if found else limit
        between = text[at:begin].strip(b" \t\r\n,")
        if between:
            reader.tables.losses.append(
                Loss("text between events", offset + at, between[:80].decode(errors="replace"))
            )
        if not found or found.start() >= limit:
            return limit, None
        if found[0] == b"]":
            return len(text), text[found.end() :]
        at = event_end(text, begin)
        reader.read(text[begin:at], offset + begin)
    return at, None
