"""The text around the event array: finding where it begins, and the metadata before and after it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ...errors import NotATraceError, TraceError
from .source import BOM, Source
from .text import object_end, parse_object, undo_escapes

MAX_HEAD_BYTES = 64 << 20
_ARRAY = re.compile(rb'"traceEvents"\s*:\s*')
_WHITESPACE = b" \t\r\n"


def find_events(source: Source, stream: Iterator[bytes]) -> tuple[bytes, int]:
    """(Bytes read so far, offset just behind the bracket that opens the event array).

    Raises
    ------
    TraceError
        The file holds no such array; the message says what it holds.
    """
    head = next(stream, b"")
    text = head.removeprefix(BOM).lstrip(_WHITESPACE)
    if not text:
        raise TraceError(f"{source.shown}: the file holds nothing but white space")
    begin = len(head) - len(text)
    if text[:1] == b"[":
        return head, begin + 1
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in text[:4]:
        raise TraceError(f"{source.shown}: UTF-16 or UTF-32 text, or binary; save the trace as UTF-8")
    if text[:1] != b"{":
        raise TraceError(
            f"{source.shown}: not JSON: line 1, column 1 begins with {_shown(text[:12])}; "
            "expected a trace that export_chrome_trace wrote"
        )
    searched = begin
    while True:
        found = _ARRAY.search(head, searched)
        if found and found.end() < len(head):
            if head[found.end() : found.end() + 1] != b"[":
                raise TraceError(f"{source.shown}: traceEvents is no list (byte {found.end()})")
            return head, found.end() + 1
        more = next(stream, b"")
        if not more or len(head) > MAX_HEAD_BYTES:
            raise NotATraceError(f"{source.shown}: {_what_else(head, bool(more))}")
        searched = max(begin, len(head) - 64)
        head += more


def _shown(raw: bytes) -> str:
    return ascii(raw.decode(errors="replace"))


def _what_else(text: bytes, longer: bool) -> str:
    """What a file without traceEvents is."""
    if longer:
        return f"no traceEvents in the first {len(text):,} bytes; not a torch.profiler trace"
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        place = (
            f" at line {error.lineno}, column {error.colno}"
            if isinstance(error, json.JSONDecodeError)
            else ""
        )
        return f"not readable as JSON{place}, and no traceEvents in it; is the file cut or of another kind?"
    if isinstance(value, dict) and "nodes" in value:
        count = len(value["nodes"]) if isinstance(value["nodes"], list) else 0
        return (
            f"an execution trace ({count} node{'s' * (count != 1)}), not a profiler trace; "
            "give the file that export_chrome_trace wrote"
        )
    keys = ", ".join(ascii(str(key)[:40])[1:-1] for key in list(value)[:5]) if value else "none"
    return f"no traceEvents in it (keys: {keys}); not a torch.profiler trace"


def metadata_of(head: bytes, footer: bytes | None) -> tuple[dict[str, Any], int, bool]:
    """Top-level keys beside the events, how many bytes follow the document, and whether it is complete."""
    metadata: dict[str, Any] = {}
    text = head.removeprefix(BOM).lstrip(_WHITESPACE)
    if text[:1] == b"{":
        found = _ARRAY.search(text)
        before = text[: found.start()] if found else text
        metadata |= _object(before.rstrip(_WHITESPACE + b",") + b"}")
    if footer is None:
        return metadata, 0, False
    rest = footer.lstrip(_WHITESPACE)
    if text[:1] == b"[":
        return metadata, len(rest), True
    text = b"{" + rest.lstrip(b",")
    end = object_end(text, 0, len(text))
    if end is None:
        # Cut short, or broken by a quote in a value: then it ends as it should.
        return metadata | _object(text), 0, text.rstrip(_WHITESPACE).endswith(b"}")
    return metadata | _object(text[:end]), len(text[end:].strip(_WHITESPACE)), True


def _object(raw: bytes) -> dict[str, Any]:
    value = parse_object(raw, exact=False)[0] or {}
    name = value.get("traceName")
    if isinstance(name, str):
        value["traceName"] = undo_escapes(name)
    return value
