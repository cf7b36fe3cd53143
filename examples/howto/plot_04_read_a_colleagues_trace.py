"""
Read a colleague's trace
========================

Somebody sends a file that ``export_chrome_trace`` wrote, from a machine that you do not have. You need
neither its GPU nor torch to read it.
"""

from pathlib import Path

from profiling_series import MatmulAdd, capture

# Stands for the file that you were sent: a recording that comes with this package, made on another machine.
sent = capture(MatmulAdd(size=64), warm=False, source="recorded", out="traces").trace_path
print(Path(sent).name)

# %%
# One command
# -----------
# ``profiling-series read FILE`` prints the whole reading, for several files one after the other; with
# ``--json`` it prints the same as data. Here it is in Python.

from profiling_series import dispatch_chain, read, show, summary, timeline

trace = read(sent)
show(summary(trace))

# %%
# Read it in this order.
#
# 1. The last part, *What this trace could not tell*, if there is one. Lost kernels or missing steps decide
#    what the rest is worth.
# 2. The :term:`verdict` and what it rests on.
# 3. The findings with time at stake. Each has an id; :doc:`/guide/words` and the lessons explain them.
# 4. The steps. If the last ones still differ, ask for a longer recording before you explain anything.
#
# What machine was it?
# --------------------
# The file may say so itself. What it does not say, nobody can tell from it: ask for torch's version, the
# command, and whether it was warm.

print(trace.devices[0]["name"], {key: value for key, value in trace.metadata.items() if "version" in key})
print(f"{len(trace):,} events, {len(trace.steps)} steps, {len(trace.warnings)} warnings")

# %%
# Look at one step
# ----------------
# ``steps=-1`` is the last one. The chain beside it shows which call led to which kernel.

show(timeline(trace, steps=-1))

# %%

show(dispatch_chain(trace))

# %%
# Ask it something of your own
# ----------------------------
# A trace is columns of numbers, so a question is a line or two: what is the longest launch call?

longest = max(trace.call_rows, key=lambda row: trace.dur[row])
print(trace.event(longest))

# %%
# :doc:`/reference/measures` lists the columns, and every measure that is ready made. A trace names functions,
# files and shapes of its owner's code: ask before you pass it on.
