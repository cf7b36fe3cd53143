"""
Profile my own code
===================

See where the time of a function or a loop goes: wrap it, run a few turns, read. The package comes with
``pip install -e .`` in a clone of the project; without a GPU all of this works, for the CPU alone.
"""

import torch
from torch import nn
from torch.profiler import record_function

from profiling_series import record, record_callable, show, summary, table, timeline

# %%
# Your code
# ---------
# Anything that you can call again and again. Here a small network runs forwards and backwards.

device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256))
model = model.to(device)
x = torch.randn(32, 256, device=device)  # [batch, features]


def my_step():
    model(x).square().mean().backward()  # [32, 256] -> one number -> gradients
    model.zero_grad()


# %%
# Record it
# ---------
# Two warm-ups keep the start out of the picture: three calls for your code, and the schedule's second turn
# for the profiler. Give each turn that you want to tell apart a ``rec.step()``; five turns record three.

for _ in range(3):
    my_step()
with record("my_step") as rec:
    for _ in range(5):
        my_step()
        rec.step()

# %%
# For one function there is a shorter form, ``record_callable(my_step, "my_step")``, which warms up as well.
# To see the *first* turn, keep both warm-ups away: a fresh process, no call before, and with ``Schedule`` of
# this package ``record("cold", schedule=Schedule(wait=0, warmup=0))``.
#
# Read it
# -------
# First the :term:`verdict`: who waits for whom?

show(summary(rec.capture))
# %%
# Then the :term:`table`. Look for the largest *self* time on the CPU and on the device.

show(table(rec.capture))
# %%
# Then when it happened, in the last step. A script gets the timeline in words; a notebook draws it, and so
# does ``timeline(rec.capture).save("timeline.svg")``.

show(timeline(rec.capture, steps=-1))
# %%
# Mark the parts
# --------------
# A name of yours inside the step makes both easier to read. Use plain ASCII: torch writes other characters as
# ``unknown``.


def my_marked_step():
    with record_function("forward"):
        loss = model(x).square().mean()
    with record_function("backward"):
        loss.backward()
    model.zero_grad()


show(timeline(record_callable(my_marked_step, "my_marked_step"), steps=-1))

# %%
# Next: :doc:`/auto_examples/howto/plot_02_warm_up_and_time_properly`. What a row or a lane means is on
# :doc:`/reference/table-columns` and :doc:`/reference/lanes`.
