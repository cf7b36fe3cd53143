"""Kernels that stand under one name on one side of a comparison and under another on the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..format import shown
from ..trace.kernel_names import Part, decode, family

NAME_LIMIT = 120
_NOT_KERNELS = ("memory copy", "memset")


def renamed(before: Iterable[str], after: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each kernel whose name changed, with the parts that differ and what they mean.

    Two names are taken for one kernel before and after where each is the only one of its family on its side
    that the other side lacks; where there are several, nothing is said of that family.

    Parameters
    ----------
    before, after : iterable of str
        The names of each side's GPU work.
    """
    sides = [list(before), list(after)]
    gone, new = (
        _by_family(name for name in mine if name not in other)
        for mine, other in zip(sides, reversed(sides), strict=True)
    )
    for label in gone:
        if label not in _NOT_KERNELS and len(gone[label]) == len(new.get(label, ())) == 1:
            yield _told(label, gone[label][0], new[label][0])


def _by_family(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of each family."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(family(name), []).append(name)
    return found


def _told(label: str, before: str, after: str) -> str:
    changes = "; ".join(_changes(before, after))
    told = f": {changes}" if changes else ""
    return f"Another {label} kernel: {shown(before, NAME_LIMIT)} became {shown(after, NAME_LIMIT)}{told}."


def _changes(before: str, after: str) -> Iterator[str]:
    """Yield the parts that differ, where both names fall into as many parts."""
    one, other = decode(before).parts, decode(after).parts
    if len(one) != len(other):
        return
    for was, now in zip(one, other, strict=True):
        if was.text != now.text:
            yield f"{shown(was.text, 40)} → {shown(now.text, 40)} ({_meaning(now)})"


def _meaning(part: Part) -> str:
    return part.meaning or "not known"
