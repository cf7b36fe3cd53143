"""
Same kernel, same data: why another time?
=========================================

Afterwards you can

- read the times of one kernel as a distribution, and tell a drift from an outlier;
- say which figure to report, from how many runs, and when the mean misleads;
- name what a trace leaves out, and where to look for it.

One product is run again and again. It is large, so that its kernel is long enough to be measured well.
"""

from profiling_series import MatmulAdd, Schedule, capture, check
from profiling_series import dispatch_chain, distribution, has_gpu, show

n = 4096 if has_gpu() else 256  # without a GPU this lesson looks at the CPU's op, and keeps it short
work = MatmulAdd(size=n)  # x, w, b: each [n, n], bf16

# %%
# Guess
# -----
# A matrix product does the same 2·n³ operations whatever numbers it is given; no branch depends on them.
# Shapes, data and :term:`kernel` stay the same from run to run. Write down before you look:
#
# 1. How far apart are the shortest and the longest of twenty runs, in percent?
# 2. Which runs are the long ones: the first, the last, any?
# 3. Is the mean above the median, below it, or equal?

# %%
# Look: twenty runs
# -----------------
# Twenty :term:`steps <step>` are recorded after three warm-up calls. In plain torch that is
# ``schedule=schedule(wait=1, warmup=1, active=20)``. ``distribution`` takes the kernel with the most time.

twenty = capture(work, schedule=Schedule(active=20))
show(distribution(twenty))

# %%
# On the left each dot is a run, in the order in which they ran: a slope is a drift, a dot that stands alone
# an outlier. On the right the same times are sorted: go up to a time, and read off which share of the runs
# stays within it. A steep stretch would mean that the times there differ much, a level one that many are
# alike.
#
# From the shortest to the longest they span :measured:`twenty: percent(hottest.dur.range / hottest.dur)` of
# the median, and the longest is run number :measured:`twenty: hottest.dur.longest`.
#
# .. when:: twenty: hottest.dur.mean > 1.001 * hottest.dur
#
#    The mean lies :measured:`twenty: percent(hottest.dur.mean / hottest.dur - 1)` above the median: every run
#    counts in it, so the few long ones pull it up. The median only asks how many runs are on each side.
#
# .. when:: twenty: hottest.dur.mean < 0.999 * hottest.dur
#
#    The mean lies :measured:`twenty: percent(1 - hottest.dur.mean / hottest.dur)` below the median: here a
#    few short runs pull it down.
#
# .. when:: twenty: abs(hottest.dur.mean / hottest.dur - 1) <= 0.001
#
#    Mean and median agree here. So they do when no run stands out, and you only know after you have looked.
#
# Look: two hundred runs
# ----------------------
# The same again, ten times as long, in a process of its own.

two_hundred = capture(work, schedule=Schedule(active=200))
show(distribution(two_hundred))

# %%
# Set the two side by side. The median was :measured:`twenty: hottest.dur` and is
# :measured:`two_hundred: hottest.dur`. The longest run was :measured:`twenty: hottest.dur.high` and is
# :measured:`two_hundred: hottest.dur.high`. Rare things get ten times as many chances to happen; so a
# maximum, or a range, says nothing unless the number of runs stands beside it.
#
# .. when:: two_hundred: hottest.dur.jump
#
#    And something else appears that twenty runs did not last for: two levels. The first fifty runs have a
#    median of :measured:`two_hundred: hottest.dur.first_quarter`, the last fifty one of
#    :measured:`two_hundred: hottest.dur.last_quarter`, and hardly a run lies between. From run
#    :measured:`two_hundred: hottest.dur.jump` on it is the other speed. No single figure describes a program
#    that has two; the picture does.
#
# .. when:: two_hundred: hottest.dur.moved and not hottest.dur.jump
#
#    The runs also drift: the first fifty have a median of :measured:`two_hundred: hottest.dur.first_quarter`,
#    the last fifty one of :measured:`two_hundred: hottest.dur.last_quarter`.
#
# Explain: the longest run
# ------------------------
# Take the longest run, and follow it from the Python call down. If something had been done differently in
# its step, it would show here.

trace = two_hundred.trace
name = (trace.kernels or trace.ops)[0]["name"]  # the most time first
rows = trace.rows(cat=("kernel", "cpu_op"), name=name)
longest = rows[trace.dur[rows].argmax()]
usual = rows[trace.dur[rows].argsort()[len(rows) // 2]]

show(dispatch_chain(two_hundred, step=int(trace.step_index[longest])))

# %%
# Then compare all that the trace says of this run with what it says of a usual one. What differs?

said, usually_said = trace.args(int(longest)), trace.args(int(usual))
print(f"{trace.dur[longest] / 1000:.1f} µs against {trace.dur[usual] / 1000:.1f} µs")
print("what else differs:", [name for name in said if said[name] != usually_said.get(name)])
print("of all that it says:", list(said))

# %%
# Numbers that count events differ, as they must.
#
# .. when:: two_hundred: hottest.changed_args
#
#    Here something else does, too: :measured:`two_hundred: hottest.changed_args`. Look up what it means
#    before you blame it.
#
# .. when:: two_hundred: not hottest.changed_args
#
#    Nothing else does.
#
# .. when:: two_hundred: hottest.is_kernel
#
#    Grid, block, registers and shared memory are there, and they are fixed when a kernel is launched. What
#    moves a kernel's time afterwards is not: the GPU's clock, which follows load, power and temperature;
#    another program on the same GPU; what its caches still hold. A trace has a clock for *when*, none for
#    *how fast*. So it can show *that* a run was slow, and seldom *why*. Ask the driver at the same time, in
#    another terminal::
#
#       nvidia-smi --query-gpu=timestamp,clocks.sm,temperature.gpu,power.draw --format=csv -lms 100
#
# .. when:: two_hundred: not hottest.is_kernel
#
#    This trace is a CPU's, and the run is one of an op. Its time moves with the CPU's clock, with what other
#    programs do, and with the scheduler; none of that is in a trace.
#
# What to report
# --------------
# The median, the tenth and ninetieth percentile, the number of runs, and the machine. Leave out the first
# runs if they drift, and say that you did. Two versions whose ranges overlap are not told apart by their
# medians. The mean is right where times add up (what will a thousand runs cost?), and it deserves its
# outliers then.
#
# Check
# -----

show(check("gemm-range-20", twenty, guess=0))

# %%

show(check("gemm-mean-factor", twenty, guess=1))

# %%
# Try
# ---
# ``distribution(twenty, "add")`` shows the addition. It moves data and hardly calculates: guess first
# whether its times spread more, as a share of the median, or less.
#
# Words
# -----
# :term:`dispatch chain`, :term:`kernel`, :term:`step`, :term:`trace`
#
# Findings: :finding:`kernel-variance`, :finding:`steps-not-settled`
