"""One event's text to a dict, with the repairs that keep an event whose JSON is broken.

torch writes names into its JSON almost unescaped: a Windows path brings lone backslashes, a compiled
code object brings double quotes, a C++ symbol control characters. Those kinds are mended here; what
cannot be mended is lost, and says so. All of it takes time linear in the text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import Any

_LONE_BACKSLASH = re.compile(r'\\(?!["\\/bfnrtu])|\\u(?![0-9a-fA-F]{4})')
_PAIR_OR_LONE = re.compile(r'(\\\\)|\\(?!")')
_ESCAPED = re.compile("[\n\t\r\b\f]")
_ESCAPE_OF = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\b": r"\b", "\f": r"\f"}
_LOCATION = re.compile(r"\.pyx?\(\d+\)")
_NAME_KEY = re.compile(r'"name"\s*:\s*"')
_AFTER_NAME = re.compile(r'"\s*,\s*"(?:pid|ph|cat|ts|tid|dur|args|id)"\s*:')
_QUOTE = re.compile(r'\\.|"', re.S)
_CLOSES = re.compile(r"\s*(?:[,:}\]]|\Z)")
_CLOSING_BACKSLASH = re.compile(r'(?<!\\)\\(?="\s*(?:,\s*"|[}\]]))')
_BARE_INF = re.compile(r"(?<=[:,\[\s])-?(?:inf|nan|NaN|Infinity)(?=\s*[,}\]])", re.I)
_SURROGATES = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)", re.S)
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[{}]', re.S)


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent that Decimal cannot hold: no number to reckon with
        return None


def _finite(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


# NaN and Infinity are no numbers to reckon with: they become None ("unknown").
_EXACT = json.JSONDecoder(parse_float=_decimal, parse_constant=lambda _: None, strict=False)
_FLOATS = json.JSONDecoder(parse_float=_finite, parse_constant=lambda _: None, strict=False)


def parse_object(raw: bytes, exact: bool = True) -> tuple[dict[str, Any] | None, str]:
    """Event held by ``raw`` (its braces included) and what had to be repaired ("" for nothing).

    (None, reason) where no repair gives an object. Numbers with a point are Decimals, or floats.
    """
    decode = (_EXACT if exact else _FLOATS).decode
    text, repaired = _decode_utf8(raw)
    if "\\u" in text:
        whole = _SURROGATES.sub(lambda m: r"\ufffd" if m[1] else m[0], text)
        text, repaired = whole, repaired if whole == text else "half of a surrogate pair"
    try:
        value = decode(text)
        return (value, repaired) if isinstance(value, dict) else (None, "not an object")
    except (ValueError, RecursionError) as error:
        reason = _reason(error, text)
    if reason == TOO_DEEP:
        return None, reason
    tried = {text}
    numbered = _BARE_INF.sub("null", text)
    starts = [(text, "")] if numbered == text else [(text, ""), (numbered, "a bare inf or nan")]
    for (start, bare_what), (repair, what) in product(starts, _REPAIRS):
        mended = repair(start)
        if mended in tried:
            continue
        tried.add(mended)
        try:
            value = decode(mended)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value, " and ".join(filter(None, (what, bare_what)))
    return None, reason


def _decode_utf8(raw: bytes) -> tuple[str, str]:
    try:
        return raw.decode(), ""
    except UnicodeDecodeError:
        return raw.decode(errors="replace"), "bytes that are not UTF-8"


TOO_DEEP = "nested too deeply"


def _reason(error: Exception, text: str) -> str:
    if isinstance(error, RecursionError):
        return TOO_DEEP
    message = str(error).split(": line")[0]
    if "escape" in message or "backslash" in message:
        return "unescaped backslash"
    if "digits" in message:
        return "a number of too many digits"
    if text.count('"') % 2:
        return "unterminated string"
    return message[:1].lower() + message[1:]


def object_end(text: bytes, start: int, limit: int) -> int | None:
    """End of the object that opens at ``start``, by its braces outside strings; None if not by ``limit``."""
    depth = 0
    for match in _TOKEN.finditer(text, start, limit):
        depth += {b"{": 1, b"}": -1}.get(match[0], 0)
        if not depth:
            return match.end()
    return None


def undo_escapes(path: str) -> str:
    r"""Path that gets back the backslashes that JSON read as escapes: ``C:\new`` has no line break in it."""
    return _ESCAPED.sub(lambda m: _ESCAPE_OF[m[0]], path)


def undo_path_escapes(name: str) -> str:
    r"""Name in which a file location gets back the backslashes that JSON read as escapes.

    ``proj\new_table.py(7): build``, written with a lone backslash, is valid JSON for a name with a line
    break in it; no file location holds one.
    """
    if not _ESCAPED.search(name):
        return name
    for number, line in enumerate(name.split("\n")):
        found = _LOCATION.search(line)
        if found and (number or _ESCAPED.search(line[: found.start()])):
            return undo_escapes(name)
    return name


def escape_backslashes(text: str) -> str:
    """Text in which every backslash but one before a quote stands for itself."""
    if _LONE_BACKSLASH.search(text):
        return _PAIR_OR_LONE.sub(r"\\\\", text)
    return text


def escape_quotes(text: str) -> str:
    """Text in which the quotes inside the value of "name" are escaped."""
    key = _NAME_KEY.search(text)
    after = key and _AFTER_NAME.search(text, key.end())
    if not key or not after:
        return text
    value = re.sub(r'(?<!\\)"', r'\\"', text[key.end() : after.start()])
    return text[: key.end()] + value + text[after.start() :]


def escape_closing_backslashes(text: str) -> str:
    """Text in which a backslash that stands last in a string no longer hides the string's end."""
    return _CLOSING_BACKSLASH.sub(r"\\\\", escape_backslashes(text))


def escape_inner_quotes(text: str) -> str:
    """Text in which a quote that ends a string before no comma, colon or bracket is escaped."""
    parts, at, inside = [], 0, False
    for match in _QUOTE.finditer(text):
        if match[0] != '"':
            continue
        if inside and not _CLOSES.match(text, match.end()):
            parts += [text[at : match.start()], "\\"]
            at = match.start()
        else:
            inside = not inside
    return "".join([*parts, text[at:]])


def _same(text: str) -> str:
    return text


_REPAIRS: tuple[tuple[Callable[[str], str], str], ...] = (
    (_same, ""),
    (escape_backslashes, "unescaped backslash"),
    (escape_quotes, "unescaped quote"),
    (lambda text: escape_quotes(escape_backslashes(text)), "unescaped quote and backslash"),
    (escape_inner_quotes, "unescaped quote"),
    (lambda text: escape_inner_quotes(escape_backslashes(text)), "unescaped quote and backslash"),
    (escape_closing_backslashes, "unescaped backslash"),
)
