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
# sphinx_gallery_start_ignore
# What the text of the site's page quotes from these captures.


def _parts(one, which=0):
    """The distance from a step's start to its first kernel, and what lies in it, in µs."""
    trace, whole = one.trace, [at for at, step in enumerate(one.trace.steps) if step.complete]
    step = trace.steps[whole[which]]
    rows = trace.gpu_rows[trace.step_index[trace.gpu_rows] == whole[which]]
    if not len(rows) or trace.launch_of[rows[0]] < 0:
        return None
    call = trace.launch_of[rows[0]]
    start, begins = int(trace.ts[step.row]), int(trace.ts[rows[0]])
    over = [row for row in trace.overhead_rows if start <= trace.ts[row] < begins]
    return {
        "offset": (begins - start) / 1000,
        "launch": (begins - int(trace.ts[call])) / 1000,
        "prepare": (int(trace.ts[call]) - start) / 1000,
        "overhead": sum(int(trace.dur[row]) for row in over) / 1000,
        "names": ", ".join(sorted({trace.name(int(row)) for row in over})),
    }


_cap = _parts(cap) or {}
_after = _parts(cap, -1) or {}
measured = {
    "lesson4.gpu": bool(_cap),
    "lesson4.later-shorter": bool(_cap) and all(_after[k] < 0.8 * _cap[k] for k in ("prepare", "launch")),
    "lesson4.offset": (_cap.get("offset"), "µs"),
    "lesson4.prepare": (_cap.get("prepare"), "µs"),
    "lesson4.launch": (_cap.get("launch"), "µs"),
}
# sphinx_gallery_end_ignore
show(timeline(cap))

# %%
# .. when:: lesson4.gpu
#
#    The first kernel begins :measured:`lesson4.offset` after the first step did. For
#    :measured:`lesson4.prepare` of it the CPU prepares, up to the launch call. From that call to the kernel
#    it takes :measured:`lesson4.launch` more, the :term:`launch latency`.
#
# .. when:: lesson4.later-shorter
#
#    In the last step both are shorter: the rest came with the first.
#
# .. when:: not lesson4.gpu
#
#    This trace holds no GPU lane, since it was measured on a CPU; what follows needs one.
#
# Look: without the profiler's warm-up
# ------------------------------------
# Now the function is called three times first, so that it is warm, and then every step is recorded. In plain
# torch that is ``schedule(wait=0, warmup=0, active=20)``, which torch warns of. Three steps are drawn:

at_once = Schedule(wait=0, warmup=0, active=20)
bare = capture(MatmulAdd(size=64), schedule=at_once)
# sphinx_gallery_start_ignore
_bare = _parts(bare) or {}
_requests = [r for r in bare.trace.overhead_rows if bare.trace.name(int(r)) == "Activity Buffer Request"]
_op = None
if _requests:
    _inside = [
        row
        for row in bare.trace.op_rows
        if bare.trace.ts[row] <= bare.trace.ts[_requests[0]] < bare.trace.ts[row] + bare.trace.dur[row]
    ]
    _op = bare.trace.name(int(_inside[-1])) if _inside else None
_steps = [step.dur_us for step in bare.trace.steps if step.complete]
measured |= {
    "lesson4.request": (max((bare.trace.dur[r] for r in _requests), default=0) / 1000 or None, "µs"),
    "lesson4.requests": len(_requests),
    "lesson4.request-op": _op,
    "lesson4.bare-offset": (_bare.get("offset"), "µs"),
    "lesson4.bare-rest": (_bare["offset"] - _bare["overhead"] if _bare else None, "µs"),
    "lesson4.bare-first": (_steps[0], "µs"),
    "lesson4.bare-last": (sorted(_steps[5:])[len(_steps[5:]) // 2], "µs"),
    "lesson4.once": len(_requests) == 1,
}
# sphinx_gallery_end_ignore
show(timeline(bare, steps=slice(0, 3)))

# %%
# .. when:: lesson4.request
#
#    The lane *Profiler overhead* has an ``Activity Buffer Request`` of :measured:`lesson4.request`. What the
#    GPU does, the profiler keeps in a buffer, and asks for that when it first needs one. Of the
#    :measured:`lesson4.bare-offset` up to the first kernel, :measured:`lesson4.bare-rest` are left without
#    the profiler's overhead. A step of ``warmup`` lets this happen where nothing is kept.
#
# .. when:: lesson4.request-op
#
#    It falls into :measured:`lesson4.request-op`, which looks slow for it, and is not.
#
# .. when:: not lesson4.request
#
#    There is no ``Activity Buffer Request`` in this trace: the profiler had its buffer already, or none was
#    needed. The published one had it, and spent most of its first offset on it.
#
# Explain: once, or every time?
# -----------------------------
# Twenty steps answer what three cannot: does a gap belong to the code, which runs in every step, or not?

print([round(step.dur_us) for step in bare.trace.steps if step.complete])

# %%
# The first step takes :measured:`lesson4.bare-first`, a settled one :measured:`lesson4.bare-last`.
#
# .. when:: lesson4.once
#
#    One request in twenty steps. A gap that comes once, with such a row above it, is the profiler's; one of
#    your code's would be back in the next step.
#
# Look: a kernel that waits its turn
# ----------------------------------
# The same with matrices that keep the GPU busy.

large = capture(MatmulAdd(size=4096 if has_gpu() else 256), warm=False)
# sphinx_gallery_start_ignore
_latency, _idle = (large.trace.launches[key] or {} for key in ("latency_us", "latency_unqueued_us"))
_queued = bool(_latency) and _latency["max"] > 3 * _idle.get("median", _latency["max"])
measured |= {
    "lesson4.queued": _queued,
    "lesson4.latency-idle": (_idle.get("median"), "µs"),
    "lesson4.latency-max": (_latency.get("max"), "µs"),
    "lesson4.flush": (cap.trace.as_dict()["flush_sync_us"], "µs"),
    "lesson4.flush-large": (large.trace.as_dict()["flush_sync_us"], "µs"),
}
# sphinx_gallery_end_ignore
show(timeline(large))

# %%

show(dispatch_chain(large))

# %%
# .. when:: lesson4.queued
#
#    A kernel begins up to :measured:`lesson4.latency-max` after its launch call. The call is not slow: where
#    the GPU was idle at the call, its work followed after :measured:`lesson4.latency-idle`. The rest is
#    waiting in the :term:`stream`, behind the kernels of the steps before. The CPU is ahead, and the further
#    it gets, the longer the connectors in the picture. That is no loss as long as the GPU's lane has no gaps.
#
# .. when:: lesson4.flush
#
#    Behind the last step stands a ``cudaDeviceSynchronize`` that nobody wrote, of
#    :measured:`lesson4.flush` here and :measured:`lesson4.flush-large` in the large one. It is the
#    profiler's: before it closes the window, it waits for all that is still queued. In a program of yours it
#    is not there.
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
