"""Whether what a step runs is still what it was: digests of its code, module by module."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path

from profiling_series.errors import UsageError
from profiling_series.workloads.base import Workload

#: What every step module is written with: the frame of a step, and the names of types. It decides nothing
#: that a step runs.
_FRAME = "profiling_series.workloads.base"


def code_digests(workload: Workload) -> dict[str, str]:
    """Return a digest of each module that the workload's step runs, by the module's name.

    The first is the workload's own; the others are those of the same package that it imports, and that they
    import. None of them is run for it.
    """
    if _path(workload.code) is None:
        raise UsageError(f"{workload.name}: there is no module {workload.code}")
    found: dict[str, str] = {}
    waiting = [workload.code]
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            tree = _parsed(name)
            waiting += _imported(tree, name.partition(".")[0])
            found[name] = _digest(tree)
    return found


def code_is_as_it_was(then: Mapping[str, str]) -> bool:
    """Return whether every module that `code_digests` named then has the same digest now."""
    return all(_path(name) is not None and _digest(_parsed(name)) == digest for name, digest in then.items())


def _digest(tree: ast.Module) -> str:
    """Return 16 hex digits that change when the code of a module changes.

    Comments, docstrings and layout do not count: the module is parsed, and written out again before it is
    hashed. Keep those modules plain (no f-strings), since that form must be the same for every Python.
    """
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()[:16]


def _imported(tree: ast.Module, package: str) -> Iterator[str]:
    """Yield the modules of a package, the frame aside, that a module imports anywhere in it."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # What is imported from a package may be a module of it, or a name.
            names = [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            if name.startswith(f"{package}.") and name != _FRAME and _path(name) is not None:
                yield name


def _path(name: str) -> Path | None:
    """Return the file of a module, found without an import; None where there is none.

    A package in between is none of the code: its own module only says what lies in it.
    """
    top, *inner = name.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent.joinpath(*inner).with_suffix(".py") if inner else Path(spec.origin)
    return path if path.is_file() else None


def _parsed(name: str) -> ast.Module:
    path = _path(name)
    assert path is not None
    return ast.parse(path.read_text(encoding="utf-8"))
