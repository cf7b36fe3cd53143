"""
Open a trace in Perfetto
========================

`Perfetto <https://ui.perfetto.dev>`__ shows a whole trace, to zoom into and to search. It runs in the
browser; the file stays on your machine.
"""

from pathlib import Path

import torch
from torch.profiler import profile, schedule

from profiling_series import MatmulAdd, capture, show, timeline

# %%
# Get a file
# ----------
# Every picture on this site comes from one: :doc:`/reference/this-build` has them to download. Your own:

cap = capture(MatmulAdd(size=64), out="traces")
print(cap.trace_path.name, f"{cap.trace_path.stat().st_size:,} bytes")
show(timeline(cap))

# %%
# Open it
# -------
# ``profiling-series open FILE`` does it in one go, and so does the button under each picture here, where
# the site is served. Or go to https://ui.perfetto.dev and drop the file into the window, ``.json.gz`` as it
# is. Then:
#
# ==================  =========================================================
# **W**, **S**        zoom in, zoom out, where the mouse is
# **A**, **D**        move left, move right
# a click on a bar    its name, duration and arguments, below the lanes
# **F**               fill the window with the selected bar
# **?**               all other keys
# ==================  =========================================================
#
# Follow an arrow from a launch to its kernel, and read their ``correlation`` in the arguments: it is the
# same. The GPU's lanes stand under the CPU's, one for each :term:`stream`; :doc:`/reference/lanes` explains
# the rest.
#
# Send somebody a link
# --------------------
# A link needs the file on the web. ``trace-util``, by the authors of the series, uploads a folder to a bucket
# of yours at Hugging Face and prints a link for each file::
#
#    uvx trace-util -b traces -f traces
#
# Whoever has such a link can read the trace, with all names in it.
#
# When it is too large
# --------------------
# A browser gives a page about 2 GB, and an opened trace takes more than its file. Record less: each step
# costs its events again, and Python stacks cost the most.

x = torch.randn(8, 8)  # [8, 8]
file = Path("traces/size.json")


def size_of(steps, **options):
    """Return the bytes of a trace of so many steps."""
    plan = schedule(wait=1, warmup=1, active=steps)
    with profile(schedule=plan, **options) as prof:
        for _ in range(1 + 1 + steps):
            x @ x
            prof.step()
    prof.export_chrome_trace(str(file))
    return file.stat().st_size


for steps, options in ((3, {}), (30, {}), (30, {"record_shapes": True}), (30, {"with_stack": True})):
    print(f"{steps:3d} steps {options!s:25} {size_of(steps, **options):9,} bytes")

# %%
# For a file that cannot be recorded again, let a program on your machine do the work: ``trace_processor
# --httpd FILE`` from https://perfetto.dev/docs/visualization/large-traces, and the page finds it by itself.
# Or ask for the reading alone: ``profiling-series read FILE`` takes files of gigabytes
# (:doc:`/reference/speed`).
