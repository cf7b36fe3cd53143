"""The GPU's part of a summary: busy and idle time, launches, kernels, copies."""

from __future__ import annotations

from typing import Any

from ..format import count, number, share, shown, size, us
from .blocks import Column, Grid

TOP_KERNELS = 8
_LATENCY = ("min", "median", "p90", "max")


def or_unknown(value: int | None) -> str:
    """Return a count, or that the trace does not tell it.

    Parameters
    ----------
    value : int or None
        A count.

    Returns
    -------
    str
        With thousands set apart, or ``"unknown"``.
    """
    return "unknown" if value is None else f"{value:,}"


def devices(reading: dict[str, Any]) -> Grid | None:
    """Return busy and idle time of each device, and what the idle time waited for, over the verdict's window.

    Parameters
    ----------
    reading : dict
        The contract's reading.

    Returns
    -------
    Grid or None
        None where there is none.
    """
    rows = []
    for device in reading["devices"]:
        window = device.get("window") or {}
        busy, idle = window.get("busy_us", device["busy_us"]), window.get("idle_us", device["idle_us"])
        rows.append(
            (
                f"GPU {device['index']}" + (f", {shown(device['name'], 40)}" if device["name"] else ""),
                or_unknown(device["gpu_events"]),
                or_unknown(device["streams"]),
                number(busy),
                number(idle),
                number(device["host_idle_us"]),
                number(device["queued_idle_us"]),
                number(window.get("idle_under_overhead_us", device["idle_under_overhead_us"])),
                number(window.get("unexplained_idle_us", None if not window else 0.0)),
            )
        )
    if not rows:
        return None
    heads = (
        "Device",
        "GPU events",
        "streams",
        "busy µs",
        "idle µs",
        "for host",
        "queued",
        "overhead",
        "unexplained",
    )
    columns = tuple(Column(head, figures=at > 0, flexible=at == 0) for at, head in enumerate(heads))
    note = (
        f"Busy and idle over {shown(reading['verdict']['over'], 200)}. Idle for the host: nothing had been "
        "launched yet. Queued: the launch had returned. Overhead: the profiler itself was at work. GPU "
        "events and streams are of the whole file."
    )
    return Grid("GPU time, and what idle time waited for", columns, tuple(rows), note)


def launches(launches: dict[str, Any]) -> Grid | None:
    """Return launch latency, all of it and unqueued, with what the counts say.

    Parameters
    ----------
    launches : dict
        The contract's ``launches``.

    Returns
    -------
    Grid or None
        None where there is none.
    """
    if not launches["calls"]:
        return None
    rows = []
    for label, key in (("all", "latency_us"), ("unqueued", "latency_unqueued_us")):
        spread = launches[key]
        cells = (number(spread[part]) for part in _LATENCY) if spread else ("unknown",) * 4
        rows.append((label, *cells))
    note = (
        f"{count(launches['calls'], 'launch call')}, {us(launches['call_time_us'])} in them; "
        f"{count(launches['matched_gpu_events'], 'GPU event')} joined to their call"
    )
    for key, told in (
        ("unmatched_gpu_events", "GPU events without a call"),
        ("calls_without_gpu_event", "calls without a GPU event"),
        ("negative", "negative latencies (clock skew)"),
    ):
        if launches[key]:
            note += f", {launches[key]:,} {told}"
    columns = (Column("Launches", figures=False), *(Column(f"{part} µs") for part in _LATENCY))
    return Grid(
        "Launch latency: start of the call to start of its GPU event",
        columns,
        tuple(rows),
        f"{note}. Unqueued: only where the GPU was idle at the launch; elsewhere latency includes the queue.",
    )


def kernels(kernels: list[dict[str, Any]]) -> Grid | None:
    """Return the kernels that take most time.

    Parameters
    ----------
    kernels : list of dict
        The contract's ``kernels``.

    Returns
    -------
    Grid or None
        None where there is none.
    """
    if not kernels:
        return None
    total = sum(kernel["total_us"] for kernel in kernels) or 1.0
    rows = tuple(
        (
            shown(kernel["name"], 400),
            shown(kernel["family"] or "", 24),
            f"{kernel['count']:,}",
            number(kernel["median_us"]),
            number(kernel["max_us"]),
            number(kernel["total_us"]),
            share(kernel["total_us"] / total),
        )
        for kernel in kernels[:TOP_KERNELS]
    )
    columns = (
        Column("Kernel", figures=False, flexible=True, kernel=True),
        Column("family", figures=False),
        Column("count"),
        Column("median µs"),
        Column("max µs"),
        Column("total µs"),
        Column("share"),
    )
    left = kernels[TOP_KERNELS:]
    note = (
        f"{count(len(left), 'further kernel')}, {us(sum(k['total_us'] for k in left))} together."
        if left
        else ""
    )
    return Grid("Kernels by total time", columns, rows, note)


def copies(copies: list[dict[str, Any]]) -> Grid | None:
    """Return copies and memsets by kind.

    Parameters
    ----------
    copies : list of dict
        The contract's ``copies``.

    Returns
    -------
    Grid or None
        None where there is none.
    """
    if not copies:
        return None
    memory = {True: "pageable", False: "pinned", None: ""}
    rows = tuple(
        (
            shown(copy["kind"], 24),
            memory[copy["pageable"]],
            f"{copy['count']:,}",
            size(copy["bytes"]),
            number(copy["total_us"]),
        )
        for copy in copies
    )
    heads = ("Copy", "host memory", "count", "size", "total µs")
    return Grid(
        "Copies and memsets", tuple(Column(head, figures=at > 1) for at, head in enumerate(heads)), rows
    )
