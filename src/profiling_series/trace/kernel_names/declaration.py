"""Where the name is in a C++ declaration: after its return type, before its parameters."""

from __future__ import annotations

_LONG_RETURN_TYPE = "std::enable_if<"
_KD = ".kd"


def name_span(text: str) -> tuple[int, int]:
    """Return begin and end of the part that the rules read.

    Left out are the parameters (they repeat the template's arguments), a return type other than ``void``
    (which the rules know), and AMD's ``.kd`` (kernel descriptor). The parameters start at the first ``(``
    outside of all brackets that follows a name or a ``>`` at once; so neither ``(anonymous namespace)`` nor
    ``Memcpy HtoD (Pinned -> Device)`` is cut.

    Parameters
    ----------
    text : str
        A name, demangled.

    Returns
    -------
    tuple of int
        Begin and end.

    Examples
    --------
    >>> name_span("void f<int>(int)"), name_span("std::enable_if<((8)>(0)), void>::type f<int>(int)")
    ((0, 11), (38, 44))
    """
    if text.endswith(_KD):
        return 0, len(text) - len(_KD)
    start = angles = parentheses = 0
    long_return_type = text.startswith(_LONG_RETURN_TYPE)
    for at, char in enumerate(text):
        if char == "(":
            if not angles and not parentheses and _ends_a_name(text, at):
                return start, at
            parentheses += 1
        elif char == ")":
            parentheses = max(0, parentheses - 1)
        elif parentheses:
            continue  # a comparison in here is no bracket
        elif char == "<":
            angles += 1
        elif char == ">":
            angles = max(0, angles - 1)
        elif char == " " and long_return_type and not angles:
            start = at + 1
    return start, len(text)


def _ends_a_name(text: str, at: int) -> bool:
    """Whether a name or a template's arguments end right before a place."""
    return at > 0 and (text[at - 1] in "_>" or text[at - 1].isalnum())


def around_meaning(text: str) -> str:
    """Return what the text before or after the name is."""
    if text.startswith("("):
        return "the types of the kernel's parameters"
    if text == _KD:
        return "the suffix of a kernel descriptor (AMD)"
    if text.startswith(_LONG_RETURN_TYPE):
        return "the type that the function returns"
    return f"not read: {len(text)} characters more"
