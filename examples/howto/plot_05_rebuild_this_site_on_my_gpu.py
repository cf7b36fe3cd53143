"""
Rebuild this site on my GPU
===========================

Every number of these pages becomes one of yours. This script says whether the machine can do it; the two
commands below do it.
"""

import platform
import shutil

import torch
from torch.profiler import ProfilerActivity, profile, supported_activities

on_gpu = torch.cuda.is_available()
print("Python  ", platform.python_version())
print("torch   ", torch.__version__, "for CUDA", torch.version.cuda)
print("GPU     ", torch.cuda.get_device_name() if on_gpu else "none that torch can use")

# %%
# .. when:: not on_gpu
#
#    The machine that built this page has no GPU, so it replays recordings. On yours the lines differ.
#
# Does the profiler see the GPU?
# ------------------------------
# torch may use a GPU that the profiler cannot watch, in some containers for example. Then a live build would
# show lanes of the CPU alone. One small product tells.

if on_gpu and ProfilerActivity.CUDA in supported_activities():
    x = torch.randn(64, 64, device="cuda")  # [64, 64]
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
        x @ x
        torch.cuda.synchronize()
    seen = sum(event.self_device_time_total > 0 for event in prof.key_averages())
    print("profiler", f"sees it: {seen} rows with device time" if seen else "sees no GPU event; see the FAQ")
else:
    print("profiler", "offers", ", ".join(sorted(activity.name for activity in supported_activities())))

# sphinx_gallery_start_ignore
# sphinx_gallery_thumbnail_path = '_static/mark.svg'
# sphinx_gallery_end_ignore
# %%
# Can torch.compile work?
# -----------------------
# Three lessons compile. They need a C++ compiler, and on the GPU Triton, which comes with torch on Linux.

found = [name for name in ("c++", "g++", "clang++") if shutil.which(name)]
print("compiler", found[0] if found else "none")

# %%
# Build
# -----
# In a clone of the project::
#
#    python3 -m venv .venv && .venv/bin/pip install -c constraints.txt nox
#    .venv/bin/nox -s docs -- --open
#
# Close other programs that use the GPU; each lesson measures in a process of its own, one after the other.
# Where a Python with everything is installed already, and no network, this takes it as it is::
#
#    nox --no-venv --no-install -s docs
#
# The last lines say on what it was measured. :doc:`/reference/this-build` then lists machine and captures.
#
# Keep what you measured
# ----------------------
# ``nox -s record`` makes the recordings again, on your GPU. From then on a build without a GPU replays yours,
# and says so under every picture. To put the site on the web: :doc:`/guide/publish`.
