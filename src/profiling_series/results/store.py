"""Where captures are kept: a trace, a table and a provenance under a key, each written whole or not."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from profiling_series.errors import ProfilingSeriesError, UsageError
from profiling_series.results.provenance import Provenance
from profiling_series.results.request import AnyRequest
from profiling_series.results.schema1 import as_schema_2

_SUFFIXES = (".json.gz", ".txt", ".provenance.json")
#: What a description of a capture, and what figures without a trace, are called.
PROVENANCE = _SUFFIXES[-1]
FIGURES = ".measure.json"
# Above this the last percents of compression cost more time than they are worth.
_SMALL_BYTES = 32 << 20


@dataclass(frozen=True)
class Files:
    """The three paths of one capture.

    Parameters
    ----------
    trace : Path
        The gzipped trace, ``<key>.json.gz``.
    table : Path
        torch's own table, ``<key>.txt``.
    provenance : Path
        Where, when and from what it was made, ``<key>.provenance.json``.
    """

    trace: Path
    table: Path
    provenance: Path


def files_of(base: Path) -> Files:
    """Return the three paths for a folder and key, or for any one of the three given as `base`."""
    text = os.fspath(base)
    for suffix in sorted(_SUFFIXES, key=len, reverse=True):
        if text.endswith(suffix):
            text = text[: -len(suffix)]
            break
    return _files(text)


def _files(base: str) -> Files:
    # Not with_suffix(): a key may hold dots.
    return Files(*(Path(base + suffix) for suffix in _SUFFIXES))


def place(out: str | os.PathLike[str], key: str) -> Files:
    """Return where `key` goes under `out`, the folders made, all of it known to be writable.

    Parameters
    ----------
    out : path-like
        Folder of the captures.
    key : str
        The capture's key, folders separated by ``/``.

    Returns
    -------
    Files
        The paths to write.

    Raises
    ------
    UsageError
        The path is empty, is or crosses a file, is a device, or cannot be written: told before anything is
        recorded, since torch itself says nothing.
    """
    return Files(*_places(out, key, _SUFFIXES))


def place_figures(out: str | os.PathLike[str], key: str) -> Path:
    """Return where the figures of a key go under `out`; otherwise as `place`."""
    return _places(out, key, (FIGURES,))[0]


def _places(out: str | os.PathLike[str], key: str, suffixes: tuple[str, ...]) -> list[Path]:
    text = os.fspath(out) if isinstance(out, str | os.PathLike) else ""
    if not isinstance(text, str) or not text or "\0" in text:
        raise UsageError(f"out must be a folder to write to, not {out!r:.80}")
    base = os.path.join(os.path.abspath(text), key)
    paths = [Path(base + suffix) for suffix in suffixes]
    folder = paths[0].parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write captures to {text}: {error.strerror}: {error.filename}") from None
    for path in paths:
        if path.exists() and not path.is_file():
            raise UsageError(f"cannot write {path}: there is something there that is not a plain file")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write captures to {folder}: permission denied")
    return paths


def write(files: Files, trace: bytes, table: str, provenance: Provenance) -> None:
    """Return None with all three files in place; each appears whole or stays as it was.

    Parameters
    ----------
    files : Files
        From `place`.
    trace : bytes
        The trace, gzipped.
    table : str
        torch's table.
    provenance : Provenance
        Where they come from.

    Raises
    ------
    ProfilingSeriesError
        The disk is full, or refuses for another reason.
    """
    described = structs.replace(provenance, trace_sha256=hashlib.sha256(trace).hexdigest())
    _replace(files.trace, trace)
    _replace(files.table, table.encode("utf-8", "backslashreplace"))
    _replace(files.provenance, _encoded(described))


def write_figures(path: Path, figures: msgspec.Struct) -> None:
    """Return None with the figures in their file, from `place_figures`, as JSON; otherwise as `write`."""
    _replace(path, _encoded(figures))


def _encoded(described: msgspec.Struct) -> bytes:
    # ASCII, with escapes: a region's name may hold what UTF-8 cannot.
    return (json.dumps(msgspec.to_builtins(described), indent=1, allow_nan=False) + "\n").encode("ascii")


def compress(data: bytes) -> bytes:
    """Return the bytes gzipped, without a date, so that equal traces give equal files."""
    return gzip.compress(data, compresslevel=9 if len(data) < _SMALL_BYTES else 5, mtime=0)


def read(base: Path) -> tuple[Files, str, Provenance]:
    """Return the paths, the table and the provenance of a stored capture.

    Parameters
    ----------
    base : Path
        Folder and key, or the path of any of the three files.

    Returns
    -------
    tuple of Files, str and Provenance
        What `write` wrote; the trace itself is left to be read when it is needed. Where the trace is not the
        one that the provenance describes, the provenance's warnings say so.

    Raises
    ------
    UsageError
        One of the three files is missing, or the provenance is none of ours.
    """
    files = files_of(base)
    try:
        table = files.table.read_text(encoding="utf-8")
        found = hashlib.sha256(files.trace.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(f"no capture here: {error.filename}: {error.strerror}") from None
    provenance = read_provenance(files.provenance)
    if provenance.trace_sha256 not in (None, found):
        note = f"{files.trace.name} is not the trace that its provenance describes: it was changed since"
        provenance = structs.replace(provenance, warnings=(*provenance.warnings, note))
    return files, table, provenance


def read_provenance(path: Path) -> Provenance:
    """Return what ``….provenance.json`` says, or raise `UsageError` in one line."""
    what = "the provenance of a capture"
    provenance: Provenance = _decoded(_provenance(_facts(path, what)), Provenance, path, what)
    if provenance.schedule is None:
        raise UsageError(f"{path}: not {what}: it has no schedule")
    return provenance


def read_figures(path: Path, kinds: Any) -> Any:
    """Return what ``….measure.json`` holds, one of `kinds`, or raise `UsageError` in one line."""
    what = "a measurement of this package"
    facts = _facts(path, what)
    if facts.get("schema") == 1:
        facts = {"kind": facts.get("kind"), "provenance": facts, **facts.get("values", {})}
    if isinstance(facts.get("provenance"), dict):
        facts["provenance"] = _provenance(facts["provenance"])
    return _decoded(facts, kinds, path, what)


def _facts(path: Path, what: str) -> dict[str, Any]:
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"no capture here: {error.filename}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path}: not {what}: {error}") from None
    if not isinstance(facts, dict):
        raise UsageError(f"{path}: not {what}: no JSON object")
    return facts


def _provenance(facts: dict[str, Any]) -> dict[str, Any]:
    """Return the facts as today's, without a request that is no longer understood."""
    if facts.get("schema") == 1:
        facts = as_schema_2(facts)
    try:
        msgspec.convert(facts.get("request"), AnyRequest | None)
    except msgspec.ValidationError:
        return {**facts, "request": None}
    return facts


def _decoded(facts: dict[str, Any], kind: Any, path: Path, what: str) -> Any:
    try:
        return msgspec.convert(facts, kind)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: not {what}: {error}") from None


def _replace(path: Path, data: bytes) -> None:
    # In the same folder: os.replace is atomic only within one file system. Several processes that write one
    # path then leave the file of one of them, never a mixture.
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, 0o666 & ~_umask())  # mkstemp makes files that only their owner may read
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)
        raise ProfilingSeriesError(f"cannot write {path}: {error.strerror}") from None


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current
