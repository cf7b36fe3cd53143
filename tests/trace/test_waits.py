"""Which copies wait: a call that outlasts its copy waited only where host memory took part."""

from __future__ import annotations

import pytest

from .build import call, kernel, memcpy, memset, read_events, step


def waited(tmp_path, made, name="cudaMemcpyAsync"):
    """Return the reading's waits of a step whose one call returns after its GPU event has ended."""
    trace = read_events(tmp_path, step(2, 0, 100), call(10, 30, 1, name), made, kernel(60, 5, 9))
    return trace.as_dict()["sync_wait_us"]


@pytest.mark.parametrize(
    "name",
    [
        "Memcpy DtoD (Device -> Device)",
        "Memcpy PtoP (Device -> Device)",
        "CopyDeviceToDevice",
    ],
)
def test_a_copy_that_no_host_memory_takes_part_in_never_waits(tmp_path, name):
    assert waited(tmp_path, memcpy(15, 2, 1, name)) == 0


def test_a_memset_never_waits(tmp_path):
    assert waited(tmp_path, memset(15, 2, 1), "cudaMemsetAsync") == 0


@pytest.mark.parametrize(
    "name",
    [
        "Memcpy HtoD (Pageable -> Device)",
        "Memcpy DtoH (Device -> Pageable)",
        "Memcpy DtoH (Device -> Pinned)",
        "CopyDeviceToHost",
    ],
)
def test_a_copy_from_or_to_the_host_waits_where_its_call_outlasts_it(tmp_path, name):
    assert waited(tmp_path, memcpy(15, 2, 1, name)) == 30
