"""
What does torch.compile change, and what not?
=============================================

Afterwards you can

- name the rows that compiled code adds to a trace, and say which of them every call pays for;
- find out whether two operations became one kernel, or only one op;
- compare two programs without being misled by the number of launches.
"""

from profiling_series import MatmulAdd, Schedule, UsageError, capture, capture_runs, check
from profiling_series import compare, comparison, dispatch_chain, has_gpu, show, timeline

large = MatmulAdd(size=4096 if has_gpu() else 256)  # for the GPU's side; x, w, b: each [n, n], bf16
small = MatmulAdd(size=64)  # for the CPU's side; x, w, b: each [64, 64], bf16
twenty = Schedule(active=20)

# %%
# Guess
# -----
# In plain torch one line is added, and calls before the profiler keep the compiling out of the trace::
#
#    compiled = torch.compile(matmul_add)
#    for _ in range(3):
#        compiled(x, w, b)  # the first call compiles
#
# The eager step runs two :term:`kernels <kernel>`, a product and an addition. Guess for the compiled one:
#
# 1. How many pieces of work does the GPU get in a step: kernels, copies and memsets together?
# 2. Is the GPU done sooner?
# 3. And the CPU, at 64×64, where it is all that counts?
#
# Look: the rows
# --------------

eager = capture(large, schedule=twenty)
show(dispatch_chain(eager))

# %%
# So far nothing is new. Now the compiled step of the same size.

try:
    compiled = capture(large, compile="default", schedule=twenty)
except UsageError as reason:  # no compiler here, for example
    raise SystemExit(f"The eager part of this lesson ends here. {reason}") from None

show(dispatch_chain(compiled))

# %%
# The op that works is far down now. Above it, from the outside in:
#
# .. when:: compiled: rows("TorchDynamo Cache Lookup").count
#
#    - ``TorchDynamo Cache Lookup``: is there compiled code for *this* call? Its *guards* are checked:
#      types, shapes, strides and whatever else the compiler relied on. Every call pays for that.
#
# .. when:: compiled: rows("Torch-Compiled Region").count
#
#    - ``Torch-Compiled Region: K/M``: the compiled code itself. K counts the functions that were compiled,
#      M how often this one was compiled anew. ``0/0`` is the first form of the first function.
#
# .. when:: compiled: rows("Pregraph bytecode").count
#
#    - ``Pregraph bytecode``: the Python that Dynamo wrote to fetch the graph's inputs.
#
# .. when:: compiled: rows("AOTDispatcher Runtime Wrapper Prologue").count
#
#    - ``AOTDispatcher Runtime Wrapper Prologue``: the wrapper that would prepare a backward pass. It is
#      there without gradients, too.
#
# .. when:: compiled: rows("CompiledFxGraph").distinct == 1
#
#    - ``## Call CompiledFxGraph … ##``: the graph, by the hash of its contents. All steps carry the same
#      one, so nothing was compiled anew while the profiler looked.
#
# Explain: where did the addition go?
# -----------------------------------
# .. when:: compiled: op("aten::addmm").count
#
#    Product and addition have become one op, ``aten::addmm(b, x, w)``: fused, then? In the *dispatcher*
#    they are. What the GPU got is another question, and the comparison below answers it.
#
# .. when:: compiled: not op("aten::addmm").count
#
#    This torch made no ``aten::addmm`` of the two. The chain above shows what it calls instead.
#
# .. when:: compiled: "DtoD" in kernel("product").before
#
#    Look at what is launched before the product's kernel: ``Memcpy DtoD``,
#    :measured:`compiled: copy("DtoD").dur.mean` a time. Nobody wrote a copy. It puts the bias ``b`` where the
#    result will be, for the product to be added to it. The addition read two matrices and wrote one; now the
#    copy reads one and writes one, and the product reads that one. Three again.
#
# .. when:: "DtoD" in compiled.kernel("product").before
#    and compiled.kernel("product").epilogue == "badd" and not eager.kernel("product").epilogue == "badd"
#
#    The product's kernel has another name, with a part ``badd``: seen where a matrix is added in the
#    :term:`epilogue`, while the result is written.

show(compare(eager, compiled, ("eager", "compiled")))

# %%
# Every figure is that of one :term:`step`. Totals would compare how long was recorded. Copies and memsets
# stand beside kernels, since the GPU works for them as well: a launch that was saved and a copy that came
# are no work saved.
#
# .. when:: eager.steady.gpu_sum and compiled.steady.gpu_sum
#
#    The GPU works for :measured:`eager: steady.gpu_sum` in an eager step, and for
#    :measured:`compiled: steady.gpu_sum` in a compiled one.
#
# .. when:: abs(compiled.steady.gpu_sum / eager.steady.gpu_sum - 1) < 0.05
#
#    These are within five percent of each other: no gain.
#
# Look: the CPU's side
# --------------------
# At 64×64 the GPU's work is next to nothing, and the CPU's is what a step costs. Processes of one program
# differ, so a factor of CPU times takes five of each. (Without a GPU: one, and no factor is told.)

runs = 5 if has_gpu() else 1
before = capture_runs(small, runs, schedule=twenty)
after = capture_runs(small, runs, compile="default", schedule=twenty)
show(timeline(after[0], steps=-1))

# %%
# .. when:: compiled: rows("Torch-Compiled Region").count
#
#    Between the annotation and the op stand the rows from above, each a piece of the CPU's time.

show(compare(before, after, ("eager", "compiled")))

# %%
# .. when:: factor(before.steady.dur, after.steady.dur)
#
#    A compiled step takes the CPU :measured:`factor(before.steady.dur, after.steady.dur)` times what an eager
#    one does, over all pairs of processes :measured:`factor(before.steady.dur, after.steady.dur).low` to
#    :measured:`factor(before.steady.dur, after.steady.dur).high` times.
#
# .. when:: factor(before.steady.dur, after.steady.dur).low < 1
#    and factor(before.steady.dur, after.steady.dur).high > 1
#
#    Some pairs lie on this side of 1, some on the other. One process each could have told you either.
#
# .. when:: factor(before.steady.dur, after.steady.dur) > 1
#
#    More is no defect. Guards, wrapper and graph cost about the same whether the graph holds two ops or two
#    hundred, and with two there is little to set against it. Each row also costs the profiler a little, which
#    is in these figures.
#
# Check
# -----

show(check("compiled-copy", compiled, guess=0))

# %%
show(check("compile-cpu-factor", comparison(before, after), guess=1))

# %%
# Try
# ---
# ``MatmulAdd(size=1024)`` for ``small``: does what the CPU pays on top still count there?
#
# Words
# -----
# :term:`dispatch chain`, :term:`epilogue`, :term:`kernel`, :term:`launch`, :term:`op`, :term:`self time`,
# :term:`step`
#
# Findings: :finding:`compiled-region`, :finding:`guard-check-each-call`, :finding:`bias-copy-before-gemm`,
# :finding:`addmm-fused-in-dispatcher`, :finding:`compile-tax`
