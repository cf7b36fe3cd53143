"""The dispatch chain of one step as a tree: step, annotation, ops, runtime calls, and their kernels."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import UsageError
from ..format import count, elide, number, readable, shown, us
from ..trace import categories as c
from ..trace.host import self_times
from .markup import render
from .palette import PAINTS
from .source import Source, provenance_of, trace_of
from .timeline.window import choose_steps
from .view import View

if TYPE_CHECKING:
    from ..trace import Trace

MAX_NODES = 150
MAX_GPU_EVENTS = 6
"""GPU events told under one call; a graph launches hundreds."""


@dataclass(frozen=True)
class Node:
    """An event of the chain with what it encloses or launches.

    Attributes
    ----------
    kind : str
        A key of `palette.PAINTS`.
    name : str
        Its full name.
    dur_us : float
        Its duration.
    self_us : float or None
        Without what it encloses; None on the GPU.
    lag_us : float or None
        Of a GPU event, from the start of its call to its own.
    children : tuple of Node
        In time order.
    left_out : str
        What it encloses and the tree does not show, in words.
    """

    kind: str
    name: str
    dur_us: float
    self_us: float | None = None
    lag_us: float | None = None
    children: tuple[Node, ...] = ()
    left_out: str = ""


def dispatch_chain(x: Source, step: int | None = None, annotation: str | None = None) -> View:
    """Return the dispatch chain of one step as a tree, from the step down to the kernels.

    Parameters
    ----------
    x : Capture or Trace
        What to show.
    step : int, optional
        Which recorded step, counted from 0; by default the last complete one.
    annotation : str, optional
        Start at the annotations of this name instead of at the step.

    Returns
    -------
    View
        Durations, self times (less all that an event encloses, calls included), and for each kernel how long
        after its call it began.

    Raises
    ------
    UsageError
        No such step, or no such annotation in it.
    """
    trace = trace_of(x)
    chosen = choose_steps(trace, step)
    index = chosen[-1] if chosen else -1
    roots = _roots(trace, index, annotation)
    nodes, left = chain_of(trace, roots, index)
    title = f"Dispatch chain of {shown(trace.steps[index].name, 60) if index >= 0 else 'the trace'}"
    return View(
        kind="chain",
        provenance=provenance_of(x),
        to_text=lambda: "\n".join([title, *_lines(nodes), *([f"… {left}"] if left else [])]),
        to_html=lambda: render("chain", title=title, nodes=nodes, left=left, paints=PAINTS, more=_more),
    )


def _roots(trace: Trace, index: int, annotation: str | None) -> list[int]:
    """Return the rows that the tree starts from: the step, and what other threads do in it."""
    if annotation is None:
        first = [trace.steps[index].row] if index >= 0 else []
        main = trace.lane_id[first[0]] if first else -1
        host = trace.host_rows
        others = host[
            (trace.parent[host] < 0) & (trace.step_index[host] == index) & (trace.lane_id[host] != main)
        ]
        return first + [int(row) for row in others]
    rows = trace.annotation_rows[trace.named(lambda name: name == annotation)[trace.annotation_rows]]
    inside = [int(row) for row in rows if index < 0 or trace.step_index[row] == index]
    if not inside:
        names = sorted(
            {trace.name(int(row)) for row in trace.annotation_rows if row not in trace.step_table.rows}
        )
        where = trace.steps[index].name if index >= 0 else "the trace"
        has = ", ".join(map(shown, names)) or "none"
        raise UsageError(f"no annotation {shown(annotation, 60)!r} in {where}; it has {has}")
    return inside


def chain_of(trace: Trace, roots: list[int], index: int) -> tuple[tuple[Node, ...], str]:
    """Return the trees that start at some rows, at most `MAX_NODES` events of the CPU, and what was left out.

    Parameters
    ----------
    trace : Trace
        A trace.
    roots : list of int
        Rows to start from; the first is always kept.
    index : int
        The step that they are in, -1 for none.
    """
    rows = trace.host_rows
    own_us = dict(zip(rows.tolist(), (self_times(trace) / 1000).tolist(), strict=True))
    inside = rows[trace.step_index[rows] == index] if index >= 0 else rows
    below: dict[int, list[int]] = defaultdict(list)
    for row in inside.tolist():
        below[int(trace.parent[row])].append(row)
    # An event lasts at least as long as what it encloses: the longest ones form whole trees.
    order = np.lexsort((inside, -trace.dur[inside]))
    kept = set(inside[order[:MAX_NODES]].tolist()) | set(roots[:1])
    left = [row for row in roots if row not in kept]
    nodes = tuple(_node(trace, row, below, kept, own_us) for row in roots if row in kept)
    return nodes, _left_out(trace, left, "further event on other threads", "further events on other threads")


def _left_out(trace: Trace, rows: list[int], noun: str, plural: str | None = None) -> str:
    """Return how many events are not shown and how long they take, in words; nothing for none."""
    return f"{count(len(rows), noun, plural)}, {us(int(trace.dur[rows].sum()) / 1000)}" if rows else ""


def _node(
    trace: Trace, row: int, below: dict[int, list[int]], kept: set[int], own_us: dict[int, float]
) -> Node:
    """Return one event of a thread with its children."""
    inner = below.get(row, [])
    left = [child for child in inner if child not in kept]
    events = trace.gpu_of(row) if trace.kind[row] == c.CALL else np.empty(0, np.int64)
    told = [_gpu_node(trace, row, int(event)) for event in events[:MAX_GPU_EVENTS]]
    words = [_left_out(trace, left, "further event")] if left else []
    if len(events) > MAX_GPU_EVENTS:
        words.append(f"{count(len(events) - MAX_GPU_EVENTS, 'further GPU event')} of the same call")
    return Node(
        kind=_kind(trace, row),
        name=trace.name(row),
        dur_us=int(trace.dur[row]) / 1000,
        self_us=own_us[row],
        children=(*(_node(trace, child, below, kept, own_us) for child in inner if child in kept), *told),
        left_out=", ".join(words),
    )


def _gpu_node(trace: Trace, call: int, row: int) -> Node:
    """Return the GPU event that a call launched."""
    kind = "kernel" if trace.kind[row] == c.KERNEL else "copy"
    lag_us = (int(trace.ts[row]) - int(trace.ts[call])) / 1000
    return Node(kind, trace.name(row), int(trace.dur[row]) / 1000, lag_us=lag_us)


def _kind(trace: Trace, row: int) -> str:
    """Return the kind of an event on a thread."""
    if c.STEP.match(trace.name(row)):
        return "step"
    if trace.kind[row] == c.CALL:
        return "sync" if c.SYNCHRONIZE.search(trace.name(row)) else "call"
    return "annotation" if trace.kind[row] == c.ANNOTATION else "op"


_NAME_WIDTH = 53


def _lines(nodes: tuple[Node, ...], prefix: str = "", *, top: bool = True) -> list[str]:
    """Return the trees as lines, drawn with box characters, durations in columns."""
    lines = []
    for at, node in enumerate(nodes):
        last = at == len(nodes) - 1
        branch, stem = ("", "") if top else ("└─ ", "   ") if last else ("├─ ", "│  ")
        lines.append(_line(node, prefix + branch))
        if node.left_out:
            lines.append(f"{prefix}{stem}{'│  ' if node.children else '   '}… {node.left_out}")
        lines += _lines(node.children, prefix + stem, top=False)
    return lines


def _line(node: Node, head: str) -> str:
    """Return one event's line."""
    label = shown(node.name, 400)
    label = label if node.lag_us is None else f"GPU: {readable(label)}"
    width = max(_NAME_WIDTH, len(head) + 20)
    name = head + elide(label, width - len(head))
    return f"{name:<{width}}  {number(node.dur_us):>8} µs  {_more(node)}".rstrip()


def _more(node: Node) -> str:
    """Return what an event tells beside its duration: when its GPU work began, or its self time."""
    if node.lag_us is not None:
        return f"began {us(node.lag_us)} after its call"
    return f"self {us(node.self_us)}" if any(child.lag_us is None for child in node.children) else ""
