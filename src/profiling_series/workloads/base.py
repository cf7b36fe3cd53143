"""What a workload is, and the small helpers that every workload is written with."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import operator
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from profiling_series.errors import UsageError

if TYPE_CHECKING:
    import torch

#: Bytes of one element, by the short names that the series uses in its file names.
DTYPE_BYTES = {"bf16": 2, "fp16": 2, "fp32": 4, "fp64": 8}
_TORCH_NAMES = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64"}


class Workload(Protocol):
    """Something to measure: a frozen dataclass of parameters that can be prepared into a step.

    Attributes
    ----------
    name : str
        The name on the command line, ``"matmul-add"``.
    series : str
        The folder of its artefacts, ``"01_matmul_add"``; no two workloads share one.
    annotation : str
        The ``record_function`` name around each step.
    code : str
        Name of the module, in `profiling_series.workloads.steps`, that holds what a step runs.
    """

    name: ClassVar[str]
    series: ClassVar[str]
    annotation: ClassVar[str]
    code: ClassVar[str]

    def prepare(self, device: str, seed: int) -> Step:
        """Return the step, its data allocated on `device` and filled from `seed`; imports torch."""

    def flops(self) -> int | None:
        """Return the floating-point operations of one step, or None where the count means little."""

    def bytes_moved(self) -> int | None:
        """Return the bytes that one step must move at least: each input read and each output written once."""

    def required_bytes(self) -> int:
        """Return the bytes of memory that must be free before `prepare` may allocate."""

    def params(self) -> dict[str, Any]:
        """Return the parameters as plain JSON values."""

    def slug_parts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the parts of the file name: those always given, and the non-default others by name."""


@dataclass(frozen=True)
class Step:
    """One call of the measured function with its prepared arguments.

    The function and its arguments are kept apart so that ``torch.compile`` sees the function that a reader
    would compile, not a wrapper around it.
    """

    function: Callable[..., object]
    arguments: tuple[object, ...]

    def __call__(self) -> object:
        """Return what the function gives for the prepared arguments."""
        return self.function(*self.arguments)

    def compiled(self, mode: str) -> Step:
        """Return the same step through ``torch.compile``, which compiles at its first call."""
        import torch

        return Step(torch.compile(self.function, mode=mode), self.arguments)


def positive_int(owner: str, field: str, value: object) -> int:
    """Return `value` as an int of at least 1, or raise `UsageError` that names the field."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(f"{owner}: {field} must be a whole number, not {value!r}") from None
    if number < 1:
        raise UsageError(f"{owner}: {field} must be at least 1, not {number}")
    return number


def known_dtype(owner: str, value: object) -> str:
    """Return `value` if it is the short name of a dtype, or raise `UsageError` that lists them."""
    if not isinstance(value, str) or value not in DTYPE_BYTES:
        raise UsageError(f"{owner}: unknown dtype {value!r}; choose one of {', '.join(DTYPE_BYTES)}")
    return value


def torch_dtype(name: str) -> torch.dtype:
    """Return torch's dtype for a short name such as ``"bf16"``."""
    import torch

    dtype: torch.dtype = getattr(torch, _TORCH_NAMES[name])
    return dtype


def named_when_changed(workload: Any, *, always: tuple[str, ...]) -> tuple[str, ...]:
    """Return ``("batch64", …)`` for every field that is not at its default and not in `always`.

    Naming each changed field keeps one file name from standing for two sets of parameters.
    """
    parts = []
    for field in fields(workload):
        value = getattr(workload, field.name)
        if field.name not in always and value != field.default:
            parts.append(f"{field.name.replace('_', '-')}{value}")
    return tuple(parts)


def code_digest(workload: Workload) -> str:
    """Return 16 hex digits that change when the code of the workload's step changes.

    Comments, docstrings and layout do not count: the module is parsed, not run, and written out again before
    it is hashed. Keep those modules plain (no f-strings), since that form must be the same for every Python.
    """
    spec = importlib.util.find_spec(workload.code)
    if spec is None or spec.origin is None:
        raise UsageError(f"{workload.name}: there is no module {workload.code}")
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()[:16]
