"""The machine of a measurement: what it is, with which versions, and when."""

from __future__ import annotations

import platform
import re
import subprocess
from datetime import datetime
from pathlib import Path

from profiling_series._version import __version__
from profiling_series.results import Machine

_DRIVER_FILE = Path("/proc/driver/nvidia/version")
_CPUINFO = Path("/proc/cpuinfo")


def this_machine(device: str) -> Machine:
    """Return the machine and the versions; imports torch.

    Parameters
    ----------
    device : str
        Where the work ran: ``"cpu"``, ``"cuda"`` or ``"xpu"``.
    """
    import torch

    on_gpu = device == "cuda"
    accelerator = None if device == "cpu" else getattr(torch, device)
    return Machine(
        device=device,
        gpu=accelerator.get_device_name() if accelerator else None,
        gpu_capability="{}.{}".format(*torch.cuda.get_device_capability()) if on_gpu else None,
        driver=driver_version() if on_gpu else None,
        cuda=torch.version.cuda if on_gpu else None,
        cpu=cpu_model(),
        cpu_threads=torch.get_num_threads(),
        torch=str(torch.__version__),
        triton=_triton_version(),
        python=platform.python_version(),
        platform=platform.platform(),
        package=__version__,
        date=datetime.now().astimezone().isoformat(timespec="seconds"),
    )


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


def _triton_version() -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    for package in ("triton", "pytorch-triton"):
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return None
