"""One event's text to a dict, with the repairs that keep an event whose JSON is broken.

torch writes names into its JSON almost unescaped: a Windows path brings lone backslashes, a compiled
code object brings double quotes, a C++ symbol control characters. Those kinds are mended here; what
cannot be mended is lost, and says so.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

_LONE_BACKSLASH = re.compile(r'\\(?!["\\/bfnrtu])|\\u(?![0-9a-fA-F]{4})')
_PAIR_OR_LONE = re.compile(r'(\\\\)|\\(?!")')
_CONTROL_IN_PATH = re.compile(r"[\n\t\r\x08\f][^\n]*\.pyx?\(\d+\)")
_ESCAPE_OF = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\b": r"\b", "\f": r"\f"}
_NAME_VALUE = re.compile(r'("name":\s*")(.*?)("\s*,\s*"(?:pid|ph|cat|ts|tid|dur|args)":)', re.S)
_BARE_INF = re.compile(r"(?<=[:,\[\s])-?(?:inf|nan|NaN|Infinity)(?=\s*[,}\]])", re.I)


class _Decoder(json.JSONDecoder):
    def __init__(self) -> None:
        # NaN and Infinity are no numbers to reckon with: they become None ("unknown").
        super().__init__(parse_float=Decimal, parse_constant=lambda _: None, strict=False)


_DECODER = _Decoder()


def parse_object(raw: bytes) -> tuple[dict[str, Any] | None, str]:
    """Event held by ``raw`` (its braces included) and what had to be repaired ("" for nothing).

    (None, reason) where no repair gives an object.
    """
    text, repaired = _decode_utf8(raw)
    try:
        value = _DECODER.decode(text)
        if not isinstance(value, dict):
            return None, "not an object"
        return value, repaired
    except (ValueError, RecursionError) as error:
        reason = _reason(error, text)
    for repair, what in _REPAIRS:
        mended = repair(text)
        if mended == text:
            continue
        try:
            value = _DECODER.decode(mended)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value, what
    return None, reason


def _decode_utf8(raw: bytes) -> tuple[str, str]:
    try:
        return raw.decode(), ""
    except UnicodeDecodeError:
        return raw.decode(errors="replace"), "bytes that are not UTF-8"


def _reason(error: Exception, text: str) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    message = str(error).split(": line")[0]
    if "escape" in message or "backslash" in message:
        return "unescaped backslash"
    if text.count('"') % 2:
        return "unterminated string"
    return message[:1].lower() + message[1:]


def undo_path_escapes(name: str) -> str:
    r"""Name in which a file location gets back the backslashes that JSON read as escapes.

    ``proj\new_table.py(7): build``, written with a lone backslash, is valid JSON for a name with a line
    break in it; no file location holds one.
    """
    if not _CONTROL_IN_PATH.search(name):
        return name
    return re.sub(r"[\n\t\r\x08\f]", lambda m: _ESCAPE_OF[m[0]], name)


def escape_backslashes(text: str) -> str:
    """Text in which every backslash but one before a quote stands for itself."""
    if _LONE_BACKSLASH.search(text):
        return _PAIR_OR_LONE.sub(r"\\\\", text)
    return text


def escape_quotes(text: str) -> str:
    """Text in which the quotes inside the value of "name" are escaped."""
    return _NAME_VALUE.sub(lambda m: m[1] + re.sub(r'(?<!\\)"', r'\\"', m[2]) + m[3], text, count=1)


def _both(text: str) -> str:
    return escape_quotes(escape_backslashes(text))


_REPAIRS = (
    (escape_backslashes, "unescaped backslash"),
    (escape_quotes, "unescaped quote"),
    (_both, "unescaped quote and backslash"),
    (lambda text: _BARE_INF.sub("null", text), "a bare inf or nan"),
)
