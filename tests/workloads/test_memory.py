from __future__ import annotations

import pytest

from profiling_series.errors import UsageError
from profiling_series.workloads import MatmulAdd, memory

KIB = 1024


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine whose files say what the test writes; without any, nothing is known."""
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CGROUP_V2", tmp_path / "v2")
    monkeypatch.setattr(memory, "_CGROUP_V1", tmp_path / "v1")
    monkeypatch.setattr(memory, "_physical_memory", lambda: None)

    def write(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)

    return write


def test_available_memory_is_read_from_meminfo(machine):
    machine(meminfo="MemTotal: 100 kB\nMemFree: 1 kB\nMemAvailable:     50 kB\n")
    assert memory.free_bytes("cpu") == 50 * KIB


def test_a_containers_limit_is_smaller_than_the_hosts_memory(machine):
    machine(
        meminfo="MemAvailable: 50 kB\n",
        v2__memory_dot_max="40960\n",
        v2__memory_dot_current="20480\n",
        v2__memory_dot_stat="anon 5\ninactive_file 1024\n",
    )
    assert memory.free_bytes("cpu") == 40960 - 20480 + 1024


def test_the_older_layout_of_containers(machine):
    machine(
        v1__memory_dot_limit_in_bytes="1000\n",
        v1__memory_dot_usage_in_bytes="400\n",
        v1__memory_dot_stat="total_inactive_file 100\n",
    )
    assert memory.free_bytes("cpu") == 700


def test_no_limit_is_no_limit(machine):
    machine(
        meminfo="MemAvailable: 50 kB\n",
        v2__memory_dot_max="max\n",
        v2__memory_dot_current="20480\n",
        v2__memory_dot_stat="inactive_file 0\n",
    )
    assert memory.free_bytes("cpu") == 50 * KIB


def test_what_cannot_fit_is_refused_with_both_figures(machine):
    machine(meminfo="MemAvailable: 1 kB\n")
    memory.check_fits(MatmulAdd(size=10), "cpu")  # 5 · 100 · 2 = 1000 bytes of 1024
    with pytest.raises(UsageError) as caught:
        memory.check_fits(MatmulAdd(size=11), "cpu")  # 1210 bytes
    assert str(caught.value) == (
        "matmul-add: these sizes need 1.21 kB (1210 bytes) on cpu, where 1.02 kB (1024 bytes) are free; "
        "choose a smaller size"
    )


def test_nothing_is_refused_where_nothing_is_known(machine):
    memory.check_fits(MatmulAdd(size=10**9), "cpu")


def test_this_machine_has_some_memory():
    assert memory.free_bytes("cpu") > 1 << 20


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1536, "1.54 kB"), (10**12, "1 TB"), (10**19, "10 EB")],
)
def test_human_bytes(count, text):
    assert memory.human_bytes(count) == text
