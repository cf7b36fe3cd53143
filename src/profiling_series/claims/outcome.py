"""Holding a published figure, or a reader's guess, against what this build measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..format import number, share, us
from ..measures import Measured, answer
from .model import Claim, Published, Value

HOLDS, DIFFERS, WITHIN_NOISE, NOT_TOLD = "holds", "differs", "within noise", "not told"
MEANINGS = {
    HOLDS: "Holds: this build's figure lies within the tolerance of the other.",
    WITHIN_NOISE: "Within noise: outside the tolerance, yet among this build's own steps or processes.",
    DIFFERS: "Differs: outside both the tolerance and the values of this build's own steps or processes.",
    NOT_TOLD: "Not told: this capture cannot answer, for want of a GPU, of steps, or of a table.",
}


@dataclass(frozen=True)
class Outcome:
    """A claim, what this build measured, and how each published figure compares."""

    claim: Claim
    measured: Measured
    words: tuple[str, ...]


def outcome(claim: Claim, x: Any) -> Outcome:
    """Return how a capture answers a claim.

    Parameters
    ----------
    claim : Claim
        What was asked and published.
    x : Capture or Trace, or a list of them
        What to ask; of several processes the median answers.

    Returns
    -------
    Outcome
        One word for each published figure, in their order.
    """
    measured = answer(x, claim.measure)
    words = tuple(word(measured, published, claim.tolerance) for published in claim.published)
    return Outcome(claim, measured, words)


def word(measured: Measured, other: Published | Value, tolerance: float) -> str:
    """Return ``"holds"``, ``"within noise"``, ``"differs"`` or ``"not told"``.

    Parameters
    ----------
    measured : Measured
        This build's answer.
    other : Published or float or str
        What it is held against; a range holds from its low to its high.
    tolerance : float
        Part of the other figure by which they may differ.

    Returns
    -------
    str
        ``holds``: the median lies in [low − tolerance·|low|, high + tolerance·|high|]. ``within noise``: it
        does not, yet the other figure lies between the least and the greatest value of this capture's steps.
        ``differs``: neither. ``not told``: the capture has no answer. Words hold when they are equal.
    """
    value = measured.value
    if value is None:
        return NOT_TOLD
    low, high = _range(other)
    if isinstance(value, str) or isinstance(low, str) or isinstance(high, str):
        return HOLDS if str(value).casefold() == str(low).casefold() else DIFFERS
    # The last term forgives what binary fractions do to decimal ones.
    if low - tolerance * abs(low) - 1e-9 <= value <= high + tolerance * abs(high) + 1e-9:
        return HOLDS
    if len(measured.each) > 1 and min(measured.each) <= high and max(measured.each) >= low:
        return WITHIN_NOISE
    return DIFFERS


def _range(other: Published | Value) -> tuple[Value, Value]:
    """Return the two ends of what is held against this build; equal for a single figure."""
    if not isinstance(other, Published):
        return other, other
    if other.value is not None:
        return other.value, other.value
    # `model.parse` lets no figure pass that has neither a value nor both ends.
    return other.low or 0.0, other.high or 0.0


def told(value: Value | None, claim: Claim) -> str:
    """Return a value with its unit, as people read it.

    Parameters
    ----------
    value : float or str or None
        A figure, a word, or nothing.
    claim : Claim
        Whose unit it has.

    Returns
    -------
    str
        ``"cannot be told"`` for None.
    """
    if value is None:
        return "cannot be told"
    if isinstance(value, str):
        return value
    if claim.unit == "µs":
        return us(value)
    figure = f"{value:,.0f}" if value == int(value) else number(value)
    noun = claim.unit if not claim.units or value == 1 else claim.units
    return f"{figure} {noun}".strip()


def published_told(published: Published, claim: Claim) -> str:
    """Return a published figure or range with its unit.

    Parameters
    ----------
    published : Published
        What was published.
    claim : Claim
        Whose unit it has.

    Returns
    -------
    str
        ``"19.0–25.0 µs"`` for a range.
    """
    if published.value is not None:
        return told(published.value, claim)
    return f"{number(published.low)}–{number(published.high)} {claim.units or claim.unit}"


def tolerance_told(claim: Claim) -> str:
    """Return a claim's tolerance in words.

    Parameters
    ----------
    claim : Claim
        A claim.

    Returns
    -------
    str
        ``"±5 %"``, or ``"none"``: they must be equal.
    """
    return f"±{share(claim.tolerance)}" if claim.tolerance else "none, they must be equal"
