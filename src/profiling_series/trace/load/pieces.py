"""Events one at a time in text that may be broken: by their braces, else by where the next begins."""

from __future__ import annotations

import re

import msgspec

from .single import Reader
from .text import object_end, parse_object

_OPEN_OR_END = re.compile(rb"[{\]]")
_NEXT_EVENT = re.compile(rb'\}\s*,\s*\{\s*"(?:ph|name|cat|pid|tid|ts|dur|args|id|bp|s|cname)"\s*:|\}\s*\]')
_FOLLOWS = re.compile(rb"\s*(?:[,\]]|\Z)")
_LAST = re.compile(rb"\]\s*\}?\s*\Z")


class Finder:
    """Finds where the events of a text end, sound or not, in time linear in the text.

    A sound event ends where its braces close. A broken one may seem to go on to the end of the text, so what
    is looked at in vain is limited: once that is used up, no event goes beyond where the next seems to begin.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._spare = 4 * len(text) + (1 << 16)
        self._next_events = _NEXT_EVENT.finditer(text)
        self._next = -1

    def end(self, start: int) -> int:
        """End of the object at ``start``: by its braces, else where the next event seems to begin."""
        text = self.text
        reach = start + self._spare if self._spare > 0 else self._next_after(start) + 1
        limit = min(len(text), reach)
        closed = object_end(text, start, limit)
        if closed is not None and _decodes(text[start:closed]):
            return closed
        self._spare -= (closed or limit) - start
        guess = self._next_after(start) + 1
        if guess > len(text):
            return closed if closed is not None and _FOLLOWS.match(text, closed) else len(text)
        if (
            closed is not None
            and closed > guess
            and not _mends(text[start:guess])
            and _mends(text[start:closed])
        ):
            return closed  # the guess was a list of objects among the event's args
        return guess

    def _next_after(self, start: int) -> int:
        """Where the brace stands after which the next event seems to begin; the text's length for nowhere."""
        while self._next < start:
            found = next(self._next_events, None)
            self._next = found.start() if found else len(self.text)
        return self._next


def _decodes(text: bytes) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _mends(text: bytes) -> bool:
    return parse_object(text)[0] is not None


def event_end(text: bytes, start: int) -> int:
    """End of the object at ``start`` of a text: by its braces, else where the next event seems to begin."""
    return Finder(text).end(start)


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
    finder, at, junk = Finder(text), 0, False
    while at < limit:
        found = _OPEN_OR_END.search(text, at)
        begin = min(found.start(), limit) if found else limit
        if text[at:begin].strip(b" \t\r\n,") and not junk:
            reader.tables.losses.add("text between events", offset + at)
            junk = True
        if not found or found.start() >= limit:
            return limit, None
        if found[0] == b"]":
            if not junk or _LAST.match(text, begin):
                return len(text), text[found.end() :]
            at = found.end()  # of some list in what is left of a broken event
            continue
        junk = False
        at = finder.end(begin)
        reader.read(text[begin:at], offset + begin)
    return at, None
