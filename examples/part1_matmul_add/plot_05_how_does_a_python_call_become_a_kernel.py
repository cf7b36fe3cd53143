"""
How does a Python call become a kernel?
=======================================

Afterwards you can

- follow one line of Python down to the kernels that it starts, op by op;
- read *self* and *total* on that tree, and add them up;
- predict which op does the work, and which ops leave the GPU alone.

Two programs: the product and the addition of matrices, and of a stack of 64 of them.
"""

import torch

from profiling_series import MatmulAdd, capture, check, dispatch_chain
from profiling_series import ops, record_callable, show, timeline

# %%
# Guess
# -----
# You call ``torch.matmul``. What runs in the end is a :term:`kernel` that somebody else wrote. In between,
# :term:`ops <op>` call ops:
#
# 1. How many ops lie between your :term:`annotation` and the :term:`launch` of the product?
# 2. Make x, w and b stacks of 64 matrices, [64, 64, 64] each. How many launches does a step make now?
# 3. Does ``w.t()`` start a kernel?
#
# Look: two dimensions
# --------------------

flat = capture(MatmulAdd(size=64), warm=False)  # x, w, b: each [64, 64]
# sphinx_gallery_start_ignore
# What the text of the site's page quotes from these captures.
from profiling_series.trace.host import self_times as _self_times

_trace = flat.trace
_own = dict(zip(_trace.host_rows.tolist(), (_self_times(_trace) / 1000).tolist(), strict=True))
_last = max(at for at, step in enumerate(_trace.steps) if step.complete)


def _one(name):
    """Total and self time of an op in the last step, and the row; nothing where it is not there."""
    rows = [int(row) for row in _trace.rows(name=name) if _trace.step_index[row] == _last]
    return (int(_trace.dur[rows[0]]) / 1000, _own[rows[0]], rows[0]) if len(rows) == 1 else (None, None, -1)


_matmul, _mm = _one("aten::matmul"), _one("aten::mm")
_below = _mm[2] >= 0 and int(_trace.parent[_mm[2]]) == _matmul[2]
_calls = [row for row in _trace.children(_mm[2]).tolist() if row in set(_trace.call_rows.tolist())]
measured = {
    "lesson5.matmul-total": (_matmul[0] if _below else None, "µs"),
    "lesson5.matmul-self": (_matmul[1], "µs"),
    "lesson5.mm-total": (_mm[0] if _below else None, "µs"),
    "lesson5.mm-self": (_mm[1] if len(_calls) == 1 else None, "µs"),
    "lesson5.call": _trace.name(_calls[0]) if len(_calls) == 1 else None,
    "lesson5.call-time": (int(_trace.dur[_calls[0]]) / 1000 if len(_calls) == 1 else None, "µs"),
}
# sphinx_gallery_end_ignore
show(dispatch_chain(flat))

# %%
# Read it as a stack of calls: each line was called by the line above it that is less indented.
# ``aten::matmul`` takes any number of dimensions. It looks at the shapes, chooses the op that can do it, and
# calls that; ``aten::mm`` is the one for two matrices.
#
# .. when:: lesson5.mm-total
#
#    On the tree the two kinds of time are easy to tell. *Total* is the whole bar; *self* is what is left when
#    all bars below are taken away. ``aten::matmul`` takes :measured:`lesson5.matmul-total`, of which
#    ``aten::mm`` takes :measured:`lesson5.mm-total`. What remains is its :term:`self time`, the choosing:
#    :measured:`lesson5.matmul-self`.
#
# .. when:: lesson5.call
#
#    One level down it is the same: the launch, :measured:`lesson5.call`, takes
#    :measured:`lesson5.call-time` of ``aten::mm``, and :measured:`lesson5.mm-self` are its own. Runtime calls
#    count as children, here as in torch's table.
#
# Look: three dimensions
# ----------------------

stack = capture(MatmulAdd(size=64, batch=64))  # [64, 64, 64] each
# sphinx_gallery_start_ignore
from profiling_series.report.ops import op_work as _op_work

_work = _op_work(stack.trace)
_names = [op.name for op in _work]
_views = {"expand", "view", "reshape", "as_strided", "_unsafe_view", "transpose", "unsqueeze"}
_silent = [name for op in _work if not op.launches and (name := op.name.removeprefix("aten::")) in _views]
measured |= {
    "lesson5.bmm": "aten::bmm" in _names,
    "lesson5.silent": ", ".join(_silent) if any(op.launches for op in _work) else None,
    "lesson5.gpu": any(op.launches for op in _work),
}
# sphinx_gallery_end_ignore
show(dispatch_chain(stack))

# %%
# .. when:: lesson5.bmm
#
#    For stacks of matrices ``aten::matmul`` chose ``aten::bmm``, the *batched* product. Around it stand ops
#    that bring the inputs into the form that ``bmm`` asks for, and the result back.
#
# .. when:: not lesson5.bmm
#
#    This version of torch did not choose ``aten::bmm``; the tree shows what it took.
#
# The trace draws the same tree over time: a bar was called by the one that it hangs under.

show(timeline(stack, steps=-1))

# %%
# Explain: ops that launch nothing
# --------------------------------
# Which of all these ops does the GPU hear of? Count, for each, the launches that it made itself.

show(ops(stack))

# %%
# .. when:: lesson5.silent
#
#    These launched nothing: :measured:`lesson5.silent`. They only describe the same memory anew. Their price
#    is the CPU's time, and in a short step there is enough of it to be seen.
#
# A tensor is a piece of memory with a shape and *strides*: how many elements to go on for the next row, and
# for the next column. Another shape or a transpose needs other strides, and no other memory. Try it in plain
# torch:

w = torch.randn(64, 32)  # [64, 32]
wt = w.t()  # [64, 32] -> [32, 64]
print(w.stride(), wt.stride(), wt.data_ptr() == w.data_ptr())

# %%
# The same memory, as the last word says. In a profile ``aten::t`` looks like any other op all the same. (This
# one runs on the machine that built the page.)

device = "cuda" if torch.cuda.is_available() else "cpu"
x, w = torch.randn(2, 64, 32, device=device)  # [64, 32] each
transposed = record_callable(lambda: torch.matmul(x, w.t()), "x_times_wt")
# sphinx_gallery_start_ignore
_t = next((op for op in _op_work(transposed.trace) if op.name == "aten::t"), None)
measured["lesson5.t-silent"] = _t is not None and not _t.launches
# sphinx_gallery_end_ignore
show(dispatch_chain(transposed))

# %%
# .. when:: lesson5.t-silent
#
#    It has a bar, and below it no launch. Who transposes, then? Nobody moves the numbers: the product reads
#    them in the other order.
#
# Check
# -----

show(check("dispatch-chain", flat))

# %%

show(check("bmm-chain", stack, guess="matmul_add → aten::matmul → aten::bmm"))

# %%
# 64 products and an addition would make 65 launches:

show(check("bmm-launches", stack, guess=65))

# %%
# Try
# ---
# ``record_callable(lambda: torch.matmul(x[0], w.t()), "a_vector")``: one dimension against two. Which op does
# ``aten::matmul`` choose now?
#
# Words
# -----
# :term:`annotation`, :term:`dispatch chain`, :term:`kernel`, :term:`launch`, :term:`op`, :term:`self time`
#
# Findings: :finding:`matmul-backend`, :finding:`children-dominate`
