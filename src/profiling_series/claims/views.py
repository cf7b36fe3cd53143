"""Showing a claim beside this build: one question folded until it is opened, and the table of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..format import elide, escape, prose, shown
from ..report.blocks import Block, Column, Grid, Notes, html_of, text_of
from ..report.markup import scrolling
from ..report.source import provenance_of
from ..report.view import View
from .model import Claim, Value, all_claims, claim
from .outcome import MEANINGS, Outcome, outcome, published_told, told, tolerance_told, word


def check(claim_id: str, capture: Any, guess: Value | None = None) -> View:
    """Return a guess, the published figures and this build's side by side, and whether they agree.

    On a page the answer is folded until the reader opens it. A mismatch is shown; it is no error.

    Parameters
    ----------
    claim_id : str
        Which claim, ``"launches-per-step"``.
    capture : Capture or Trace, or a list of them
        What this build measured; of several processes the median counts.
    guess : float or str, optional
        What the reader expects, from the code and the shapes.

    Returns
    -------
    View
        Each figure with its word: holds, within noise, differs, or not told; `outcome.word` defines them.

    Raises
    ------
    UsageError
        No such claim; the message names the nearest.
    """
    found = outcome(claim(claim_id), capture)
    rows = _rows(found, guess)
    several = capture if isinstance(capture, list) else [capture]
    notes = _notes(found, rows, getattr(several[0], "key", None) if several else None, len(several))
    return View(
        kind="check",
        provenance=provenance_of(capture),
        to_text=lambda: _check_text(found.claim, rows, notes),
        to_html=lambda: _check_html(found.claim, guess, rows, notes),
    )


_Row = tuple[str, str, str, str | None]


def _rows(found: Outcome, guess: Value | None) -> tuple[_Row, ...]:
    """Return who says what: name, figure, word, address."""
    one = found.claim
    rows: list[_Row] = []
    if guess is not None:
        rows.append(
            ("The guess", shown(told(guess, one)), word(found.measured, guess, found.claim.tolerance), None)
        )
    for published, its_word in zip(found.claim.published, found.words, strict=True):
        who = f"{published.machine}, {published.source.title}"
        rows.append((who, published_told(published, one), its_word, published.source.url))
    rows.append(("This build", shown(told(found.measured.value, one)), "", None))
    return tuple(rows)


def _notes(found: Outcome, rows: tuple[_Row, ...], key: str | None, processes: int) -> tuple[str, ...]:
    """Return what to know about the comparison."""
    notes = [found.claim.note] if found.claim.note else []
    each = found.measured.each
    if len(each) > 1 and min(each) != max(each):
        over = "step by step" if processes == 1 else f"over {processes} processes"
        notes.append(f"This build, {over}: {told(min(each), found.claim)} to {told(max(each), found.claim)}.")
    if key is not None and key != found.claim.capture:
        notes.append(f"Published for {found.claim.capture}; this capture is {shown(key)}.")
    shown_words = {its_word for _, _, its_word, _ in rows if its_word}
    notes += [meaning for its_word, meaning in MEANINGS.items() if its_word in shown_words]
    notes.append(f"Tolerance: {tolerance_told(found.claim)}.")
    return tuple(notes)


def _check_text(claim: Claim, rows: tuple[_Row, ...], notes: tuple[str, ...]) -> str:
    """Return the comparison as text; a terminal cannot fold."""
    columns = (
        Column("Who", figures=False, flexible=True),
        Column("figure"),
        Column("against this build", figures=False),
    )
    grid = Grid(claim.question, columns, tuple(row[:3] for row in rows))
    return text_of([grid, Notes("Notes", notes)])


def _check_html(claim: Claim, guess: Value | None, rows: tuple[_Row, ...], notes: tuple[str, ...]) -> str:
    """Return the comparison, folded."""
    hint = (
        "make a guess, then open"
        if guess is None
        else f"the guess: {shown(told(guess, claim))}; open to check"
    )
    body = "\n".join(
        f'<tr><th scope="row" style="text-align:left">{_who(who, url)}</th>'
        f'<td class="ps-num" style="text-align:right">{prose(figure)}</td><td>{_word(its_word)}</td></tr>'
        for who, figure, its_word, url in rows
    )
    items = "".join(f"<li>{prose(note)}</li>" for note in notes)
    table = (
        '<table class="ps-grid"><thead><tr>'
        '<th scope="col" style="text-align:left">Who</th>'
        '<th scope="col" class="ps-num" style="text-align:right">figure</th>'
        '<th scope="col" style="text-align:left">against this build</th></tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table>"
    )
    return (
        f'<details><summary>{prose(claim.question)} <span class="ps-hint">({prose(hint)})</span></summary>\n'
        f'{scrolling(claim.question, table)}\n<ul class="ps-notes">{items}</ul></details>'
    )


def _who(who: str, url: str | None) -> str:
    """Return who says it, linked where it can be read."""
    return f'<a href="{escape(url)}">{prose(who)}</a>' if url else prose(who)


def _word(its_word: str) -> str:
    """Return the word of a comparison with its class."""
    return f'<span class="ps-verdict ps-{its_word.replace(" ", "-")}">{its_word}</span>' if its_word else ""


def claims_table(captures: Iterable[Any], claims: Iterable[Claim] | None = None) -> View:
    """Return all claims, a table a capture: each published figure with the word for it, and this build's.

    Parameters
    ----------
    captures : iterable of Capture
        What this build has; each claim is asked of the capture that it names.
    claims : iterable of Claim, optional
        By default every claim of the data file.

    Returns
    -------
    View
        A column a machine, the series' own first; `outcome.word` defines the words.
    """
    by_key = {capture.key: capture for capture in captures}
    chosen = tuple(all_claims() if claims is None else claims)
    lines = dict.fromkeys(provenance_of(capture) for capture in by_key.values())
    return View(
        kind="claims",
        provenance="this build: " + ("; ".join(lines) or "no capture"),
        # A terminal has no room for questions; their ids are what `check` takes.
        to_text=lambda: text_of(_blocks(chosen, by_key, _TERMINAL)),
        to_html=lambda: html_of(_blocks(chosen, by_key, _PAGE)) + _sources(chosen),
    )


class _Form(NamedTuple):
    """How a claim is named, and how long a figure or a word may be."""

    name: Callable[[Claim], str]
    width: int


_TERMINAL = _Form(lambda one: one.id, 18)
_PAGE = _Form(lambda one: one.question, 80)


def _blocks(claims: tuple[Claim, ...], by_key: dict[str, Any], form: _Form) -> list[Block]:
    """Return a table a capture, and how to read them."""
    keys = dict.fromkeys(one.capture for one in claims)
    tables: list[Block] = [_table(key, claims, by_key.get(key), form) for key in keys]
    return [*tables, Notes("How to read it", tuple(MEANINGS.values()))]


def _table(key: str, claims: tuple[Claim, ...], capture: Any, form: _Form) -> Grid:
    """Return the claims of one capture, a row each."""
    mine = [one for one in claims if one.capture == key]
    machines = list(dict.fromkeys(p.machine for one in mine for p in one.published))
    rows = []
    for one in mine:
        answer = outcome(one, capture) if capture is not None else None
        words = answer.words if answer else ("",) * len(one.published)
        said = {
            published.machine: _said(elide(published_told(published, one), form.width), its_word)
            for published, its_word in zip(one.published, words, strict=True)
        }
        this = elide(told(answer.measured.value, one), form.width) if answer else "not captured"
        rows.append((form.name(one), *(said.get(machine, "") for machine in machines), this))
    short = (machine.removeprefix("NVIDIA ").partition("-")[0] for machine in machines)
    figures = (Column(head) for head in (*short, "this build"))
    note = "" if capture is not None else "This build holds no such capture."
    return Grid(key.rpartition("/")[2], (Column("Claim", figures=False), *figures), tuple(rows), note)


def _sources(claims: tuple[Claim, ...]) -> str:
    """Return links to where the figures were published."""
    sources = {p.source.title: p.source.url for one in claims for p in one.published if p.source.url}
    links = ", ".join(f'<a href="{escape(url)}">{escape(title)}</a>' for title, url in sources.items() if url)
    return f'\n<p class="ps-note">Published in {links}.</p>' if links else ""


def _said(figure: str, its_word: str) -> str:
    """Return a published figure and the word for it."""
    return f"{figure}: {its_word}" if its_word else figure
