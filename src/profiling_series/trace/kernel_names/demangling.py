"""C++ symbols made readable: ``_ZN2at6native…`` to ``at::native::…``."""

from __future__ import annotations

import re

_MAX_SYMBOL = 8192  # Longer ones are not worth a parser's time; they are read like broken ones.
_NESTED = re.compile(r"_?_Z(?:TS)?N[KVrO]*")
_PLAIN = re.compile(r"_?_Z(?:TS)?(?=\d)")
_LENGTH = re.compile(r"[1-9]\d{0,3}")


def is_mangled(name: str) -> bool:
    """Whether it looks like a symbol of the Itanium C++ ABI.

    Examples
    --------
    >>> is_mangled("_ZN2at6native3fooEv"), is_mangled("_Zebra")
    (True, False)
    """
    return _NESTED.match(name) is not None or _PLAIN.match(name) is not None


def demangle(name: str) -> str:
    """Return the C++ declaration of a mangled symbol, and any other name as it is; never fails.

    A symbol that cannot be read in full (cut, or not quite by the ABI) gives the qualified name at its head.

    Notes
    -----
    The `Itanium C++ ABI <https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling>`_ defines the encoding;
    the ``demangle`` package reads it. It is imported on first use: most traces hold no mangled name.

    Examples
    --------
    >>> demangle("_ZN2at6native11FillFunctorIfEE")
    'at::native::FillFunctor<float>'
    >>> demangle("_ZN2at6native27unrolled_elementwise_kernelIprobeEEviT_")
    'at::native::unrolled_elementwise_kernel'
    """
    if not is_mangled(name):
        return name
    if len(name) <= _MAX_SYMBOL:
        whole = _library(name)
        if whole != name:
            return whole
    return _head(name) or name


def _library(name: str) -> str:
    """Return what the library makes of it, or the name itself."""
    try:
        import demangle as library
    except ImportError:  # The package works without it, and then shows the head of the symbol.
        return name
    shown = str(library.demangle(name, language="itanium", style="gnu"))
    return shown.removeprefix("typeinfo name for ")  # SYCL (XPU) kernels are known by the name of a type


def _head(name: str) -> str:
    """Return the qualified name at the start of a symbol: identifiers, each after its length."""
    start = _NESTED.match(name) or _PLAIN.match(name)
    position = start.end() if start else 0
    pieces: list[str] = []
    while len(pieces) < 32 and (length := _LENGTH.match(name, position)):
        begin = length.end()
        position = begin + int(length.group())
        piece = name[begin:position]
        if len(piece) < int(length.group()):
            break
        pieces.append("(anonymous namespace)" if piece.startswith("_GLOBAL__N_") else piece)
    return "::".join(pieces)
