"""Where a trace comes from: the machine, the versions, the moment, as plain JSON values."""

from __future__ import annotations

import platform
import re
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import profiling_series

_DRIVER_FILE = Path("/proc/driver/nvidia/version")
_CPUINFO = Path("/proc/cpuinfo")


def of_this_machine(device: str) -> dict[str, Any]:
    """Return the machine and the versions; imports torch.

    Parameters
    ----------
    device : str
        Where the work ran: ``"cpu"``, ``"cuda"`` or ``"xpu"``.

    Returns
    -------
    dict
        ``gpu``, ``gpu_capability``, ``driver`` and ``cuda`` (None on a CPU), ``cpu``, ``cpu_threads``,
        ``torch``, ``triton``, ``python``, ``platform``, ``package`` and ``date`` (ISO 8601, local time with
        its offset).
    """
    import torch

    on_gpu = device == "cuda"
    accelerator = None if device == "cpu" else getattr(torch, device)
    return {
        "device": device,
        "gpu": accelerator.get_device_name() if accelerator else None,
        "gpu_capability": "{}.{}".format(*torch.cuda.get_device_capability()) if on_gpu else None,
        "driver": driver_version() if on_gpu else None,
        "cuda": torch.version.cuda if on_gpu else None,
        "cpu": cpu_model(),
        "cpu_threads": torch.get_num_threads(),
        "torch": str(torch.__version__),
        "triton": _triton_version(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "package": profiling_series.__version__,
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
    }


def cpu_model() -> str:
    """Return the processor's name as the system gives it, ``"unknown"`` where it gives none."""
    try:
        lines = _CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Model", "cpu model") and value.strip():
            return " ".join(value.split())
    return platform.processor() or platform.machine() or "unknown"


def driver_version() -> str | None:
    """Return the NVIDIA driver's version, ``"580.159.04"``, or None where it cannot be told."""
    try:
        # "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue …", or "… Open Kernel Module for
        # x86_64 …"
        found = re.search(r"NVRM version:.*?\s(\d+\.\d+(?:\.\d+)?)\s", _DRIVER_FILE.read_text())
    except OSError:
        found = None
    if found:
        return found[1]
    try:
        answer = subprocess.run(
            ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        ).stdout.split()
    except (OSError, subprocess.SubprocessError):
        return None
    return answer[0] if answer else None


def source_line(provenance: dict[str, Any]) -> str:
    """Return the line under each picture and table: ``"live on NVIDIA H200, torch 2.11.0, 2026-11-29"``."""
    kind = "live" if provenance.get("source") == "live" else "recorded"
    where = provenance.get("gpu") or f"CPU {provenance.get('cpu', 'unknown')}"
    version = str(provenance.get("torch", "unknown")).partition("+")[0]
    line = f"{kind} on {where}, torch {version}, {str(provenance.get('date', 'undated'))[:10]}"
    return f"{line} ({provenance['changed']})" if provenance.get("changed") else line


def _triton_version() -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    for package in ("triton", "pytorch-triton"):
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return None
