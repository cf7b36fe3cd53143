"""The step of `profiling_series.workloads.faults.StarvedInput`."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import torch
from torch.utils.data import DataLoader

from profiling_series.workloads.base import Step
from profiling_series.workloads.faults.steps import layers

RECORDS = 64
LEVELS = 16
SAMPLES = 1 << 20


class Records:
    """Samples of (rows, width) bytes, taken in turn from a few records that are kept packed or unpacked.

    Parameters
    ----------
    records : list of tensor
        What they hold.
    packed : bool
        Whether to keep them compressed, and unpack one each time that it is asked for.
    """

    def __init__(self, records: list[torch.Tensor], packed: bool) -> None:
        self.shape = records[0].shape
        self.packed = [zlib.compress(record.numpy().tobytes()) for record in records] if packed else None
        self.records = records

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> torch.Tensor:
        """Return the sample of that number."""
        number = index % len(self.records)
        if self.packed is None:
            return self.records[number]
        raw = bytearray(zlib.decompress(self.packed[number]))
        return torch.frombuffer(raw, dtype=torch.uint8).view(self.shape)


def load_and_forward(
    batches: Iterator[torch.Tensor], weights: list[torch.Tensor], device: str, copies: int
) -> torch.Tensor:
    """Return the forward pass over the next batch, repeated `copies` times."""
    with torch.no_grad():
        batch = next(batches).to(device, non_blocking=True)
        x = batch.flatten(0, 1).to(torch.bfloat16).div_(LEVELS).repeat(copies, 1)
        return layers.forward(x, weights)


def prepare(
    fault: bool, sizes: tuple[int, int, int, int], rows_a_record: int, device: str, seed: int
) -> Step:
    """Return the step; the loader has no workers, and pins its batches where there is a GPU."""
    records, width, copies, depth = sizes
    random = torch.Generator(device=device).manual_seed(seed)
    weights = layers.weights(width, depth, torch.bfloat16, random)
    host = torch.Generator().manual_seed(seed)
    data = [
        torch.randint(LEVELS, (rows_a_record, width), generator=host, dtype=torch.uint8)
        for _ in range(RECORDS)
    ]
    loader = DataLoader(Records(data, packed=fault), batch_size=records, pin_memory=device != "cpu")
    return Step(load_and_forward, (iter(loader), weights, device, copies))
