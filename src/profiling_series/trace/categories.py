"""Which kind of event a category is: the words differ between torch versions and back ends."""

from __future__ import annotations

import re

KERNEL, MEMCPY, MEMSET, OP, ANNOTATION, CALL, PYTHON, OVERHEAD, GPU_ANNOTATION, SYNC, OTHER = range(11)
GPU_KINDS = (KERNEL, MEMCPY, MEMSET)

# Lower case: torch 1.8 wrote "Kernel", "Memcpy", "Operator", "Runtime".
_KINDS = {
    "kernel": KERNEL,
    "gpu_memcpy": MEMCPY,
    "memcpy": MEMCPY,
    "gpu_memset": MEMSET,
    "memset": MEMSET,
    "cpu_op": OP,
    "operator": OP,
    "user_annotation": ANNOTATION,
    "runtime": CALL,
    "driver": CALL,
    "python_function": PYTHON,
    "overhead": OVERHEAD,
    "gpu_user_annotation": GPU_ANNOTATION,
    "cuda_sync": SYNC,
    "cuda_event": SYNC,
}

STEP = re.compile(r"ProfilerStep#([0-9]{1,18})$")
_NO_LAUNCH = re.compile(r"Occupancy|Attribute|LaunchHostFunc|Get|Query|Configure|Graph\w*Node", re.I)
_COPY_NAME = re.compile(
    r"^(?:cu|cuda|hip|ze|ur|pi)\w*(?:Memcpy|Memset|MemoryCopy|MemoryFill|MemBuffer(?:Copy|Fill)|USMMemcpy|USMFill)\w*",
    re.I,
)
_KERNEL_LAUNCH = re.compile(
    r"Launch\w*Kernel|LaunchKernel|LaunchCooperative|ModuleLaunch|cuLaunch(?!Host)|GraphLaunch|Enqueue\w*Kernel|AppendLaunch",
    re.I,
)
SYNCHRONIZE = re.compile(
    r"Synchronize$|Synchronize_|^urQueueFinish$|^urEventWait$|^zeEventHostSynchronize$|^zeCommandQueueSynchronize$|^zeFenceHostSynchronize$",
    re.I,
)
# Copies that no host memory takes part in; "->" in the names of CUDA, none in those of HIP.
WITHIN_GPUS = re.compile(r"DtoD|PtoP|DeviceToDevice|\(Device -> Device\)", re.I)
GRAPH_LAUNCH = re.compile(r"GraphLaunch", re.I)
BEGIN_CAPTURE = re.compile(r"StreamBeginCapture", re.I)
END_CAPTURE = re.compile(r"StreamEndCapture", re.I)
DATA_LOADER = re.compile(
    r"enumerate\(DataLoader\)|DataLoader.*__next__|dataloader|data_load|next\(loader", re.I
)
COMMUNICATION = re.compile(r"nccl|rccl|ep::(?:internode|intranode)|deep_ep|oneccl", re.I)


def kind_of(cat: str) -> int:
    """Kind of a category."""
    lower = cat.lower()
    found = _KINDS.get(lower)
    if found is not None:
        return found
    if lower.startswith("mtia"):
        return OTHER
    return CALL if lower.endswith(("_runtime", "_driver")) else OTHER


def launches_kernel(name: str) -> bool:
    """Whether a call of this name starts a kernel (or a graph of them)."""
    return bool(_KERNEL_LAUNCH.search(name)) and not _NO_LAUNCH.search(name)


def moves_memory(name: str) -> bool:
    """Whether a call of this name copies or sets device memory."""
    return bool(_COPY_NAME.search(name)) and not _NO_LAUNCH.search(name)


def is_launch(name: str) -> bool:
    """Whether a call of this name puts work on a device, by its name alone."""
    return launches_kernel(name) or moves_memory(name)
