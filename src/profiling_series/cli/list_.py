"""``profiling-series list``: the workloads that can be run, and the recordings that are shipped."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import fields
from typing import Any


def work(options: Namespace) -> int:
    """Return 0 with both lists printed."""
    from profiling_series.recordings import recorded
    from profiling_series.workloads import WORKLOADS

    print("Workloads (profiling-series run NAME):")
    for name, workload in WORKLOADS.items():
        print(f"  {name}  {(workload.__doc__ or '').splitlines()[0].replace('``', '')}")
        for field in fields(workload):  # type: ignore[arg-type]
            print(f"      --{field.name.replace('_', '-'):<10} {_described(field)}")
    print()
    print("Recordings (--device recorded; shown where there is no GPU):")
    lines = [f"  {capture.key}  {capture.source_line}" for capture in recorded()]
    print("\n".join(lines or ["  none: `nox -s record` makes them on a machine with a GPU"]))
    return 0


def _described(field: Any) -> str:
    choices = field.metadata.get("choices")
    text = field.metadata["help"] + (f": {', '.join(choices)}" if choices else "")
    return text if field.default is None else f"{text} (default {field.default})"
