"""``profiling-series list``: the workloads that can be run, and the recordings that are shipped."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from profiling_series.workloads import Parameter


def work(options: Namespace) -> int:
    """Return 0 with both lists printed."""
    from profiling_series.recordings import recorded
    from profiling_series.workloads import WORKLOADS, parameters

    print("Workloads (profiling-series run NAME):")
    for name, workload in WORKLOADS.items():
        print(f"  {name}  {(workload.__doc__ or '').splitlines()[0].replace('``', '')}")
        for one in parameters(workload):
            print(f"      --{one.name.replace('_', '-'):<10} {_described(one)}")
    print()
    print("Recordings (--device recorded; shown where there is no GPU):")
    lines = [f"  {capture.key}  {capture.source_line}" for capture in recorded()]
    print("\n".join(lines or ["  none: `nox -s record` makes them on a machine with a GPU"]))
    return 0


def _described(one: Parameter) -> str:
    text = one.help + (f": {', '.join(one.choices)}" if one.choices else "")
    return text if one.default is None else f"{text} (default {one.default})"
