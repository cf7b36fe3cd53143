"""Events one at a time in text that may be broken: by their braces, else by where the next begins."""

from __future__ import annotations

import re

import msgspec

from .single import Reader
from .text import object_end, parse_object

_OPEN_OR_END = re.compile(rb"[{\]]")
# torch begins an event with its phase, metadata and other writers with another key; so do objects in args.
_SURE = re.compile(rb'\{\s*"ph"\s*:')
_MAYBE = re.compile(rb'\}\s*,\s*(\{)\s*"(?:name|cat|pid|tid|ts|dur|args|id|bp|s|cname)"\s*:')
_FOLLOWS = re.compile(rb"\s*(?:[,\]]|\Z)")
_ARRAY_END = re.compile(rb'\}\s*\](?=\s*(?:,\s*"|\}\s*\Z|\Z))')
_BETWEEN = b" \t\r\n,"


class Finder:
    """Finds where the events of a text end, sound or not, in time linear in the text.

    A sound event ends where its braces close. A broken one may seem to go on to the end of the text, so what
    is looked at in vain is limited: once that is used up, no event goes beyond where the next seems to begin.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.open = False  # the last one neither closed nor has a next event behind it
        self._spare = 4 * len(text) + (1 << 16)
        self._sure, self._maybe = _Places(_SURE, text, 0), _Places(_MAYBE, text, 1)

    def end(self, start: int) -> int:
        """End of the object at ``start``: by its braces, else where the next event seems to begin."""
        text = self.text
        reach = start + self._spare if self._spare > 0 else self.next_after(start)
        limit = min(len(text), reach)
        closed = object_end(text, start, limit)
        self.open = False
        if closed is not None and _decodes(text[start:closed]):
            return closed
        self._spare -= (closed or limit) - start
        sure, following = self._sure.after(start), self.next_after(start)
        self.open = closed is None and sure == len(text)
        if following == len(text):
            return self._last_end(start, closed)
        if closed is None:
            return self._trimmed(start, sure if sure < len(text) else following)
        if closed <= sure < len(text) and not text[closed:sure].strip(_BETWEEN):
            return closed
        following = self._trimmed(start, following)
        # One of them is inside the event, or has another inside: that which can be mended is the event.
        near, far = sorted((closed, following))
        return far if near == far or (not _mends(text[start:near]) and _mends(text[start:far])) else near

    def _trimmed(self, start: int, end: int) -> int:
        while end > start + 1 and self.text[end - 1] in _BETWEEN:
            end -= 1
        return end

    def _last_end(self, start: int, closed: int | None) -> int:
        """End of a broken event after which no other seems to begin."""
        follows = closed is not None and _FOLLOWS.match(self.text, closed) is not None
        if closed is not None and follows and _mends(self.text[start:closed]):
            return closed
        found = _ARRAY_END.search(self.text, start)
        if found:
            return found.start() + 1
        return closed if closed is not None and follows else len(self.text)

    def next_after(self, start: int) -> int:
        """Where the next event seems to begin behind ``start``; the text's length for nowhere."""
        return min(self._sure.after(start), self._maybe.after(start))


class _Places:
    """Where a pattern matches in a text, asked for at places that only rise."""

    def __init__(self, pattern: re.Pattern[bytes], text: bytes, group: int) -> None:
        self._matches = pattern.finditer(text)
        self._group, self._end, self._at = group, len(text), -1

    def after(self, start: int) -> int:
        while self._at <= start:
            found = next(self._matches, None)
            self._at = found.start(self._group) if found else self._end
        return self._at


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
    text: bytes,
    offset: int,
    reader: Reader,
    limit: int | None = None,
    more: bool = False,
    wait: bool = False,
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
    more : bool
        Whether other events follow the text.
    wait : bool
        Whether an event that does not end in the text is left alone, to be read with what follows.

    Returns
    -------
    size : int
        How much of ``text`` was dealt with.
    footer : bytes or None
        What follows the array's closing bracket, None if it was not met.
    """
    limit = len(text) if limit is None else limit
    finder, at = Finder(text), 0
    while at < limit:
        found = _OPEN_OR_END.search(text, at)
        begin = min(found.start(), limit) if found else limit
        if text[at:begin].strip(_BETWEEN) and reader.sound:
            reader.tables.losses.add("text between events", offset + at)
            reader.sound = False
        if not found or found.start() >= limit:
            return limit, None
        if found[0] == b"]":
            # After something broken, a bracket may be that of a list in it: unless nothing more follows.
            if reader.sound or not (more or finder.next_after(begin) < len(text)):
                return len(text), text[found.end() :]
            at = found.end()
            continue
        at = finder.end(begin)
        if wait and (finder.open or at == len(text)):
            return begin, None
        reader.read(text[begin:at], offset + begin)
    return at, None
