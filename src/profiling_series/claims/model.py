"""What was published: claims with their questions, figures, machines and sources, all in ``claims.toml``."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ..errors import UsageError

Value = float | str


@dataclass(frozen=True)
class Source:
    """Where a figure was published: its title, and its address if it has one."""

    title: str
    url: str | None = None


@dataclass(frozen=True)
class Published:
    """One published answer to a claim's question.

    Attributes
    ----------
    machine : str
        What it was measured on.
    source : Source
        Who says so.
    value : float or str or None
        The figure, or the word; None where only a range was given.
    low, high : float or None
        The range, where several runs were published.
    """

    machine: str
    source: Source
    value: Value | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Claim:
    """A question that a lesson asks, how this build answers it, and what was published.

    Attributes
    ----------
    id : str
        Its name.
    question : str
        What the reader guesses.
    measure : str
        An expression of `profiling_series.measures`, asked of the capture.
    unit : str
        ``"µs"``, a noun in the singular, or nothing for a word.
    capture : str
        Key of the capture that the published figures are of.
    tolerance : float
        Part of the published figure by which this build's may differ and still hold; 0 for counts.
    published : tuple of Published
        The series' own first.
    note : str
        What to know about the difference.
    units : str
        The noun in the plural; nothing for a symbol.
    """

    id: str
    question: str
    measure: str
    unit: str
    capture: str
    tolerance: float
    published: tuple[Published, ...]
    note: str = ""
    units: str = ""


@cache
def all_claims() -> tuple[Claim, ...]:
    """Return every claim, in the order of the data file.

    Returns
    -------
    tuple of Claim
        Read from the package's ``claims.toml`` once.
    """
    data = tomllib.loads(files(__package__).joinpath("claims.toml").read_text(encoding="utf-8"))
    return parse(data)


def parse(data: dict[str, Any]) -> tuple[Claim, ...]:
    """Return the claims of a parsed data file.

    Parameters
    ----------
    data : dict
        With ``source``, a table of sources by name, and ``claim``, a list.

    Returns
    -------
    tuple of Claim
        In the file's order.

    Raises
    ------
    ValueError
        A published figure says nothing.
    """
    sources = {name: Source(**entry) for name, entry in data["source"].items()}
    claims = []
    for entry in data["claim"]:
        published = tuple(
            Published(**{**answer, "source": sources[answer["source"]]}) for answer in entry["published"]
        )
        for answer in published:
            if answer.value is None and (answer.low is None or answer.high is None):
                raise ValueError(f"claim {entry['id']}: a published figure needs a value, or low and high")
        claims.append(Claim(**{**entry, "published": published}))
    return tuple(claims)


def claim(claim_id: str) -> Claim:
    """Return the claim of an id.

    Parameters
    ----------
    claim_id : str
        Such as ``"launches-per-step"``.

    Returns
    -------
    Claim
        The claim.

    Raises
    ------
    UsageError
        There is none; the message names the nearest.
    """
    known = {found.id: found for found in all_claims()}
    if claim_id in known:
        return known[claim_id]
    near = difflib.get_close_matches(str(claim_id), known, n=4, cutoff=0.4)
    hint = f"did you mean {', '.join(near)}?" if near else f"there are {', '.join(known)}"
    raise UsageError(f"no claim {str(claim_id)[:80]!r}; {hint}")
