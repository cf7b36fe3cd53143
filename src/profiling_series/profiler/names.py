"""Names of regions: what torch can write, what people see, and what a file may be called.

Kineto writes a region's name into its JSON as it stands: a ``"`` breaks the file, a backslash becomes ``/``,
and a name with any character outside printable ASCII comes back as ``unknown`` (all such regions then look
like one). So a recording runs under a *safe* name, percent-encoded where needed, and the exported trace and
table get the real one back. A plain name is its own safe name.
"""

from __future__ import annotations

import hashlib
import re
from urllib.parse import quote

from profiling_series.errors import UsageError

_UNSAFE = re.compile(r'[^ -~]|["\\]|%(?=[0-9A-Fa-f]{2})')
_RESERVED = "ProfilerStep#"
_LONGEST_FILE_NAME = 120


def safe(name: str) -> str:
    """Return a printable ASCII name without quotes and backslashes, another one for every name."""
    return _UNSAFE.sub(lambda match: quote(match[0].encode("utf-8", "surrogatepass"), safe=""), name)


def check(name: object) -> str:
    """Return `name` if a recording can bear it, or raise `UsageError`."""
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"a recording needs a name, such as 'train_step', not {name!r:.80}")
    if name.startswith(_RESERVED):
        raise UsageError(f"{name!r:.80}: names that start with {_RESERVED} belong to torch's own steps")
    return name


def file_stem(name: str) -> str:
    """Return a file name for a recording: letters, digits, ``.``, ``_`` and ``-``; all else becomes ``_``.

    A name that had to be changed or cut keeps a few digits of its hash, so that two names do not share a
    file.
    """
    stem = re.sub(r"[^\w.-]", "_", name).lstrip(".")
    while len(stem.encode("utf-8", "replace")) > _LONGEST_FILE_NAME:
        stem = stem[:-1]
    if stem == name:
        return stem
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{stem}_{digest}"
