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
show(dispatch_chain(flat))

# %%
# Read it as a stack of calls: each line was called by the line above it that is less indented.
# ``aten::matmul`` takes any number of dimensions. It looks at the shapes, chooses the op that can do it, and
# calls that; ``aten::mm`` is the one for two matrices.
#
# .. when:: flat: op("aten::mm", step=-1).parent == "aten::matmul"
#
#    On the tree the two kinds of time are easy to tell. *Total* is the whole bar; *self* is what is left when
#    all bars below are taken away. ``aten::matmul`` takes
#    :measured:`flat: op("aten::matmul", step=-1).total`, of which ``aten::mm`` takes
#    :measured:`flat: op("aten::mm", step=-1).total`. What remains is its :term:`self time`, the choosing:
#    :measured:`flat: op("aten::matmul", step=-1).self`.
#
# .. when:: flat: op("aten::mm", step=-1).call
#
#    One level down it is the same: the launch, :measured:`flat: op("aten::mm", step=-1).call`, takes
#    :measured:`flat: op("aten::mm", step=-1).call_time` of ``aten::mm``, and
#    :measured:`flat: op("aten::mm", step=-1).self` are its own. Runtime calls count as children, here as in
#    torch's table.
#
# Look: three dimensions
# ----------------------

stack = capture(MatmulAdd(size=64, batch=64))  # [64, 64, 64] each
show(dispatch_chain(stack))

# %%
# .. when:: stack: op("aten::bmm").count
#
#    For stacks of matrices ``aten::matmul`` chose ``aten::bmm``, the *batched* product. Around it stand ops
#    that bring the inputs into the form that ``bmm`` asks for, and the result back.
#
# .. when:: stack: not op("aten::bmm").count
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
# .. when:: stack: silent_views
#
#    These launched nothing: :measured:`stack: silent_views`. They only describe the same memory anew. Their
#    price is the CPU's time, and in a short step there is enough of it to be seen.
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
show(dispatch_chain(transposed))

# %%
# .. when:: transposed: op("aten::t").count and not op("aten::t").launches
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
