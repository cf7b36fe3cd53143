"""
Why do the lanes not line up?
=============================

Afterwards you can

- take the distance between a bar on the CPU's lane and its kernel apart, cause by cause;
- tell which of these causes is the profiler itself, and would not be there without it;
- tell a launch that takes long from a kernel that waits its turn.

The program is the product and the addition again, at 64×64 and then much larger.
"""

from profiling_series import MatmulAdd, Schedule, capture, check, dispatch_chain
from profiling_series import has_gpu, show, timeline

# %%
# Guess
# -----
# The CPU prepares and launches, the GPU works; so the GPU's lane begins later than the CPU's. Write down:
#
# 1. By how much does it begin later: some microseconds, a hundred, thousands?
# 2. How much of that is your program's doing?
# 3. When the matrices are large, is a :term:`kernel` still as close behind its :term:`launch` in the third
#    :term:`step` as in the first?
#
# Look: with a warm-up step
# -------------------------

cap = capture(MatmulAdd(size=64), warm=False)  # x, w, b: each [64, 64]
show(timeline(cap))

# %%
# .. when:: cap: step(1).offset
#
#    The first kernel begins :measured:`cap: step(1).offset` after the first step did. For
#    :measured:`cap: step(1).prepare` of it the CPU prepares, up to the launch call. From that call to the
#    kernel it takes :measured:`cap: step(1).latency` more, the :term:`launch latency`.
#
# .. when:: cap: step(-1).prepare < 0.8 * step(1).prepare and step(-1).latency < 0.8 * step(1).latency
#
#    In the last step both are shorter: the rest came with the first.
#
# .. when:: cap: not step(1).offset
#
#    This trace holds no GPU lane, since it was measured on a CPU; what follows needs one.
#
# Look: without the profiler's warm-up
# ------------------------------------
# Now the function is called three times first, so that it is warm, and then every step is recorded. In plain
# torch that is ``schedule(wait=0, warmup=0, active=20)``, which torch warns of. Three steps are drawn:

at_once = Schedule(wait=0, warmup=0, active=20)
bare = capture(MatmulAdd(size=64), schedule=at_once)
show(timeline(bare, steps=slice(0, 3)))

# %%
# .. when:: bare: rows("Buffer Request").dur.high
#
#    The lane *Profiler overhead* has an ``Activity Buffer Request`` of
#    :measured:`bare: rows("Buffer Request").dur.high`. What the GPU does, the profiler keeps in a buffer, and
#    asks for that when it first needs one. Of the :measured:`bare: step(1).offset` up to the first kernel,
#    :measured:`bare: step(1).offset - step(1).offset_overhead` are left without the profiler's overhead. A
#    step of ``warmup`` lets this happen where nothing is kept.
#
# .. when:: bare: rows("Buffer Request").op
#
#    It falls into :measured:`bare: rows("Buffer Request").op`, which looks slow for it, and is not.
#
# .. when:: bare: not rows("Buffer Request").dur.high
#
#    There is no ``Activity Buffer Request`` in this trace: the profiler had its buffer already, or none was
#    needed. The published one had it, and spent most of its first offset on it.
#
# Explain: once, or every time?
# -----------------------------
# Twenty steps answer what three cannot: does a gap belong to the code, which runs in every step, or not?

print([round(step.dur_us) for step in bare.trace.steps if step.complete])

# %%
# The first step takes :measured:`bare: step(1).dur`, a settled one :measured:`bare: steps(6).dur`.
#
# .. when:: bare: rows("Buffer Request").count == 1
#
#    One request in twenty steps. A gap that comes once, with such a row above it, is the profiler's; one of
#    your code's would be back in the next step.
#
# Look: a kernel that waits its turn
# ----------------------------------
# The same with matrices that keep the GPU busy.

large = capture(MatmulAdd(size=4096 if has_gpu() else 256), warm=False)
show(timeline(large))

# %%

show(dispatch_chain(large))

# %%
# .. when:: large: launch_latency.high > 3 * unqueued_latency
#
#    A kernel begins up to :measured:`large: launch_latency.high` after its launch call. The call is not slow:
#    where the GPU was idle at the call, its work followed after :measured:`large: unqueued_latency`. The rest
#    is waiting in the :term:`stream`, behind the kernels of the steps before. The CPU is ahead, and the
#    further it gets, the longer the connectors in the picture. That is no loss as long as the GPU's lane has
#    no gaps.
#
# .. when:: cap: flush_sync
#
#    Behind the last step stands a ``cudaDeviceSynchronize`` that nobody wrote, of :measured:`cap: flush_sync`
#    here and :measured:`large: flush_sync` in the large one. It is the profiler's: before it closes the
#    window, it waits for all that is still queued. In a program of yours it is not there.
#
# Check
# -----
# The offset of the first capture; a few microseconds of preparation and a launch suggest 20:

show(check("lane-offset", cap, guess=20))

# %%
# Requests for a buffer in twenty steps, if each step asked:

show(check("buffer-requests-20", bare, guess=20))

# %%

show(check("launch-latency-4096", large))

# %%

show(check("flush-sync-4096", large))

# %%
# Try
# ---
# ``timeline(bare, steps=slice(10, 13))``: what is left between a bar and its kernel in a settled step?
#
# Words
# -----
# :term:`kernel`, :term:`launch`, :term:`launch latency`, :term:`step`, :term:`stream`
#
# Findings: :finding:`buffer-request`, :finding:`one-off-gap`, :finding:`profiler-flush`,
# :finding:`idle-while-queued`
