"""What a workload is, and the small helpers that every workload is written with."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, get_args, get_type_hints

import msgspec

from profiling_series.errors import UsageError

if TYPE_CHECKING:
    import torch

#: Bytes of one element, by the short names that the series uses in its file names.
DTYPE_BYTES = {"bf16": 2, "fp16": 2, "fp32": 4, "fp64": 8}
_TORCH_NAMES = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64"}
#: The type of a workload's elements; what it is for and what may be chosen is told to the command line.
Dtype = Annotated[
    str, msgspec.Meta(description="type of the elements", extra={"choices": tuple(DTYPE_BYTES)})
]


class _Tag:
    """The name under which a workload is known: the tag of its struct."""

    def __get__(self, workload: object, owner: type[Workload]) -> str:
        return str(owner.__struct_config__.tag)


class Workload(msgspec.Struct, frozen=True, tag_field="name"):
    """Something to measure: parameters that can be prepared into a step.

    A subclass gives its name as the ``tag`` of its struct, ``"matmul-add"``, and describes each parameter
    with `msgspec.Meta`, for the command line.

    Attributes
    ----------
    name : str
        The name on the command line and in files.
    series : str
        The folder of its artefacts, ``"01_matmul_add"``; no two workloads share one.
    annotation : str
        The ``record_function`` name around each step.
    code : str
        Name of the module, in `profiling_series.workloads.steps`, that holds what a step runs.
    """

    name: ClassVar[_Tag] = _Tag()
    series: ClassVar[str]
    annotation: ClassVar[str]
    code: ClassVar[str]

    def prepare(self, device: str, seed: int) -> Step:
        """Return the step, its data allocated on `device` and filled from `seed`; imports torch."""
        raise NotImplementedError

    def unavailable(self, device: str) -> str | None:
        """Return why it cannot run on `device` (no such dtype there, a second GPU is needed), or None.

        Asked in the process that measures, before anything is allocated; may import torch.
        """
        return None

    def flops(self) -> int | None:
        """Return the floating-point operations of one step, or None where the count means little."""
        raise NotImplementedError

    def bytes_moved(self) -> int | None:
        """Return the bytes that one step must move at least: each input read and each output written once."""
        raise NotImplementedError

    def required_bytes(self) -> int:
        """Return the bytes of memory that must be free before `prepare` may allocate."""
        raise NotImplementedError

    def slug_parts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the parts of the file name: those always given, and the non-default others by name."""
        raise NotImplementedError

    def params(self) -> dict[str, int | str | bool | None]:
        """Return the parameters by name, as plain JSON values."""
        return msgspec.structs.asdict(self)


class Parameter(NamedTuple):
    """A parameter of a workload, as the command line takes it."""

    name: str
    help: str
    default: int | str | bool | None
    parse: Callable[[str], int | str | bool]
    choices: tuple[str, ...] | None


def parameters(workload: type[Workload]) -> tuple[Parameter, ...]:
    """Return the parameters of a workload, in their order, from its annotations."""
    hints = get_type_hints(workload, include_extras=True)
    return tuple(_parameter(hints[one.name], one) for one in msgspec.structs.fields(workload))


def _parameter(hint: Any, field: msgspec.structs.FieldInfo) -> Parameter:
    kind, about = get_args(hint)  # Annotated[kind, about]; a kind may be "int | None"
    kinds = {kind, *get_args(kind)}
    parse: Callable[[str], int | str | bool] = yes_or_no if bool in kinds else int if int in kinds else str
    choices = (about.extra or {}).get("choices")
    return Parameter(field.name, about.description, field.default, parse, choices)


def yes_or_no(text: str) -> bool:
    """Return the truth value of ``"yes"`` or ``"no"``, as the command line gives it."""
    if text.lower() not in ("yes", "no"):
        raise ValueError(f"yes or no, not {text!r}")
    return text.lower() == "yes"


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


def set_positive_ints(workload: Workload, *names: str) -> None:
    """Check the named fields, and have them hold plain ints; for ``__post_init__``, before all else."""
    for name in names:
        value = positive_int(workload.name, name, getattr(workload, name))
        msgspec.structs.force_setattr(workload, name, value)


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


def named_when_changed(workload: Workload, *, always: tuple[str, ...]) -> tuple[str, ...]:
    """Return ``("batch64", …)`` for every field that is not at its default and not in `always`.

    Naming each changed field keeps one file name from standing for two sets of parameters.
    """
    parts = []
    for field in msgspec.structs.fields(workload):
        value = getattr(workload, field.name)
        if field.name not in always and value != field.default:
            parts.append(f"{field.name.replace('_', '-')}{value}")
    return tuple(parts)
