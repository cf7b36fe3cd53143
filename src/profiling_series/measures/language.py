"""Expressions over measures, as pages and claims write them: ``kernel("product").registers``.

An expression is Python's syntax for names, attributes, calls, subscripts, arithmetic and comparison, read by
`ast` and worked out here; nothing of it is run as Python. Names are measures of a subject, or variables of
the page; ``compiled: pace`` names the subject before a colon. Units are carried along.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import UsageError
from .functions import FUNCTIONS
from .model import REGISTER, UNTOLD, Measured
from .subjects import Labelled, Processes, ask, over_processes, subject

_SUBJECT = re.compile(r"\s*([A-Za-z_]\w*(?:\[[^\[\]]+\])*)\s*:\s+(.*)", re.DOTALL)
_ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda part, whole: part in whole,
}


def evaluate(text: str, variables: Mapping[str, Any]) -> Measured:
    """Return what an expression of a page says, in the page's variables.

    Parameters
    ----------
    text : str
        ``"cap: step(1).dur"``, or ``"slow.pace / fast.pace"``. Before the colon several processes may stand:
        then the rest is asked of each, and the median answers.
    variables : mapping
        Name → capture, trace, sweep, timing, a list or mapping of these, number or word.

    Returns
    -------
    Measured
        Untold where what is asked cannot tell.

    Raises
    ------
    UsageError
        It is no expression, or names what is not there; the message says what.
    """
    head = _SUBJECT.fullmatch(text)
    if head is None:
        return measured(_Reader(variables, None).read(parse(text)))
    about = _Reader(variables, None).read(parse(head[1]))
    return answer(about, head[2], variables)


def answer(about: Any, text: str, variables: Mapping[str, Any] | None = None) -> Measured:
    """Return what an expression says of a subject.

    Parameters
    ----------
    about : object
        A capture or another subject, or what `subject` made of it; several processes are asked one by one.
    text : str
        An expression, its names measures of the subject.
    variables : mapping, optional
        What other names stand for.

    Raises
    ------
    UsageError
        It is no expression, or names what is not there; the message says what.
    """
    about = about if type(about) in _SUBJECTS else subject(about)
    if isinstance(about, Processes):
        return measured(over_processes([answer(one, text, variables) for one in about.each]))
    return measured(_Reader(variables or {}, about).read(parse(text)))


_SUBJECTS = {*REGISTER, Processes, Labelled}


def parse(text: str) -> ast.expr:
    """Return the tree of an expression.

    Parameters
    ----------
    text : str
        Without a subject before a colon.

    Raises
    ------
    UsageError
        It is none.
    """
    try:
        return ast.parse(" ".join(text.split()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UsageError(f"no expression: {text!r:.120} ({getattr(error, 'msg', error)})") from None


def measured(found: Any) -> Measured:
    """Return what was found, if it is a figure or a word.

    Parameters
    ----------
    found : object
        What an expression came to.

    Raises
    ------
    UsageError
        It is to be asked further.
    """
    if isinstance(found, Measured):
        return found
    known = ", ".join(sorted(REGISTER.get(type(found), {})))
    raise UsageError(f"this is no figure yet; ask it for {known or 'a measure'}")


class _Reader:
    """Works expressions out, in variables and of a subject."""

    def __init__(self, variables: Mapping[str, Any], about: Any) -> None:
        self.variables, self.about = variables, about

    def read(self, node: ast.expr) -> Any:
        """Return what a node says."""
        reader: Callable[[Any], Any] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if reader is None:
            raise UsageError(f"{ast.unparse(node)!r:.80} is not in the language of measures")
        return reader(node)

    def _constant(self, node: ast.Constant) -> Measured:
        if not isinstance(node.value, bool | int | float | str):
            raise UsageError(f"{node.value!r:.40} is not in the language of measures")
        return Measured(node.value)

    def _name(self, node: ast.Name) -> Any:
        if self._of_subject(node.id):
            return ask(self.about, node.id)
        if node.id in self.variables:
            return subject(self.variables[node.id])
        of = f" nor a measure of {type(self.about).__name__}" if self.about is not None else ""
        raise UsageError(f"there is no variable {node.id!r}{of}")

    def _of_subject(self, name: str) -> bool:
        return self.about is not None and (
            isinstance(self.about, Labelled) or name in REGISTER.get(type(self.about), {})
        )

    def _attribute(self, node: ast.Attribute) -> Any:
        return ask(self.read(node.value), node.attr)

    def _call(self, node: ast.Call) -> Any:
        args = [self._argument(one) for one in node.args]
        kwargs = {str(one.arg): self._argument(one.value) for one in node.keywords}
        if isinstance(node.func, ast.Attribute):
            return ask(self.read(node.func.value), node.func.attr, *args, **kwargs)
        if not isinstance(node.func, ast.Name):
            raise UsageError(f"{ast.unparse(node)!r:.80} calls what is no measure")
        name = node.func.id
        if self._of_subject(name):
            return ask(self.about, name, *args, **kwargs)
        if name not in FUNCTIONS:
            raise UsageError(f"there is no measure {name!r} to call, and no function; there are {_KNOWN}")
        try:
            return FUNCTIONS[name](*(measured(self.read(one)) for one in node.args))
        except TypeError as error:
            raise UsageError(f"{name}: {error}") from None

    def _argument(self, node: ast.expr) -> Any:
        """Return a parameter: a plain value, or something that was measured."""
        found = self.read(node)
        return found.value if isinstance(found, Measured) and not found.unit else found

    def _subscript(self, node: ast.Subscript) -> Any:
        several, key = self.read(node.value), self.read(node.slice)
        place = key.value if isinstance(key, Measured) else key
        try:
            if isinstance(several, Processes | Labelled):
                return several.each[place]  # type: ignore[index]
        except (LookupError, TypeError):
            raise UsageError(f"{ast.unparse(node)!r:.80}: there is no {place!r:.40}") from None
        raise UsageError(f"{ast.unparse(node.value)!r:.80} is no list and no mapping")

    def _unaryop(self, node: ast.UnaryOp) -> Measured:
        found = measured(self.read(node.operand))
        if isinstance(node.op, ast.Not):
            return Measured(not found.value)
        if isinstance(node.op, ast.USub) and isinstance(found.value, int | float):
            return Measured(-found.value, found.unit)
        raise UsageError(f"{ast.unparse(node)!r:.80} is not in the language of measures")

    def _binop(self, node: ast.BinOp) -> Measured:
        left, right = measured(self.read(node.left)), measured(self.read(node.right))
        work = _ARITHMETIC.get(type(node.op))
        if work is None:
            raise UsageError(f"{ast.unparse(node)!r:.80} is not in the language of measures")
        if left.value is None or right.value is None:
            return UNTOLD
        if isinstance(left.value, str) or isinstance(right.value, str):
            raise UsageError(f"{ast.unparse(node)!r:.80} calculates with a word")
        unit = _unit(node, left.unit, right.unit)
        if isinstance(node.op, ast.Div) and not right.value:
            return UNTOLD
        return Measured(work(left.value, right.value), unit)

    def _boolop(self, node: ast.BoolOp) -> Measured:
        # Each part is worked out, so that a wrong name is found on every machine.
        truths = [bool(measured(self.read(one)).value) for one in node.values]
        return Measured(all(truths) if isinstance(node.op, ast.And) else any(truths))

    def _compare(self, node: ast.Compare) -> Measured:
        sides = [measured(self.read(one)) for one in (node.left, *node.comparators)]
        holds = [
            self._holds(node, how, left, right)
            for how, left, right in zip(node.ops, sides, sides[1:], strict=False)
        ]
        return Measured(all(holds))

    def _holds(self, node: ast.Compare, how: ast.cmpop, left: Measured, right: Measured) -> bool:
        """Return whether a comparison holds; with what cannot tell none does."""
        compare = _COMPARISONS.get(type(how))
        if compare is None:
            raise UsageError(f"{ast.unparse(node)!r:.80} is not in the language of measures")
        if left.value is None or right.value is None:
            return False
        if isinstance(left.value, str) != isinstance(right.value, str):
            raise UsageError(f"{ast.unparse(node)!r:.80} compares a word with a number")
        if left.unit and right.unit and left.unit != right.unit:
            raise UsageError(f"{ast.unparse(node)!r:.80} compares {left.unit} with {right.unit}")
        return bool(compare(left.value, right.value))


_KNOWN = ", ".join(FUNCTIONS)


def _unit(node: ast.BinOp, left: str, right: str) -> str:
    """Return the unit of a result; a number without one takes that of the other."""
    if isinstance(node.op, ast.Div):
        if left == right:
            return ""
        if not right:
            return left
    elif isinstance(node.op, ast.Mult):
        if not left or not right:
            return left or right
    elif left == right or not left or not right:
        return left or right
    raise UsageError(f"{ast.unparse(node)!r:.80} mixes {left or 'a number'} with {right}")
