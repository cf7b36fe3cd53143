from __future__ import annotations

import errno
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from profiling_series.errors import ProfilingSeriesError, UsageError
from profiling_series.results import Schedule, store

from .made_up import provenance


def write(files, trace=b"{}", table="t\n", **facts):
    store.write(files, store.compress(trace), table, provenance(schedule=Schedule(), **facts))


def test_missing_folders_are_made_and_three_files_written(tmp_path):
    files = store.place(tmp_path / "no" / "such", "01_x/64_bf16")
    write(files, b'{"a": 1}', "é\n", annotation="é \udc80")
    assert files.trace == tmp_path / "no/such/01_x/64_bf16.json.gz"
    assert json.loads(gzip.decompress(files.trace.read_bytes())) == {"a": 1}
    again, table, facts = store.read(tmp_path / "no/such/01_x/64_bf16")
    assert (again, table, facts.annotation) == (files, "é\n", "é \udc80")
    assert facts.warnings == ()


def test_files_of_takes_any_of_the_three_and_a_key_with_dots(tmp_path):
    files = store.files_of(tmp_path / "v1.2.run")
    assert files.trace.name == "v1.2.run.json.gz"
    for path in (files.trace, files.table, files.provenance):
        assert store.files_of(path) == files


def test_a_key_that_ends_like_a_suffix_keeps_its_name(tmp_path):
    assert store.place(tmp_path, "notes.txt").trace.name == "notes.txt.json.gz"


@pytest.mark.parametrize("out", ["", b"bytes", 3, None, "a\0b"])
def test_paths_that_are_none_are_refused(out):
    with pytest.raises(UsageError, match="out must be a folder"):
        store.place(out, "k")


def test_a_file_in_the_way_of_a_folder_is_told(tmp_path):
    (tmp_path / "file").write_text("x")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError, match="cannot write captures"):
            store.place(out, "k")


@pytest.mark.parametrize("suffix", [".json.gz", ".txt", ".provenance.json"])
def test_a_folder_in_the_way_of_a_file_is_told(tmp_path, suffix):
    (tmp_path / f"k{suffix}").mkdir()
    with pytest.raises(UsageError, match="not a plain file"):
        store.place(tmp_path, "k")


def test_a_special_file_in_the_way_is_told_and_left_alone(tmp_path):
    os.mkfifo(tmp_path / "k.txt")
    with pytest.raises(UsageError, match="not a plain file"):
        store.place(tmp_path, "k")
    assert (tmp_path / "k.txt").is_fifo()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_told(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="permission denied"):
        store.place(tmp_path, "k")


def test_odd_characters_in_the_path_do_no_harm(tmp_path):
    files = store.place(tmp_path / 'a"b\\c é', "k")
    write(files)
    assert store.read(files.trace)[0] == files


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path, monkeypatch):
    files = store.place(tmp_path, "k")
    write(files, b"{}", "old")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ProfilingSeriesError, match=r"cannot write .*k\.json\.gz: No space left on device"):
        write(files, b"{}", "new")
    assert files.table.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["k.json.gz", "k.provenance.json", "k.txt"]


def test_files_are_readable_by_others_as_the_umask_says(tmp_path):
    old = os.umask(0o022)
    try:
        files = store.place(tmp_path, "k")
        write(files)
    finally:
        os.umask(old)
    assert files.trace.stat().st_mode & 0o777 == 0o644


def test_equal_traces_give_equal_files():
    assert store.compress(b"x" * 100) == store.compress(b"x" * 100)


def test_a_trace_that_was_changed_since_is_told(tmp_path):
    files = store.place(tmp_path, "k")
    write(files)
    files.trace.write_bytes(store.compress(b"{ }"))
    (line,) = store.read(files.trace)[2].warnings
    assert "changed since" in line


@pytest.mark.parametrize("missing", ["trace", "table", "provenance"])
def test_a_capture_with_a_file_missing_is_told(tmp_path, missing):
    files = store.place(tmp_path, "k")
    write(files)
    getattr(files, missing).unlink()
    with pytest.raises(UsageError, match="no capture here"):
        store.read(files.trace)


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", "{}", '{"key": "k"}'])
def test_a_provenance_that_is_none_is_told(tmp_path, text):
    files = store.place(tmp_path, "k")
    write(files)
    files.provenance.write_text(text)
    with pytest.raises(UsageError, match="not the provenance of a capture"):
        store.read(files.trace)


WRITER = """
import sys
from profiling_series.results import Machine, Provenance, store
facts = Provenance(key="shared", machine=Machine(device="cpu"))
files = store.place(sys.argv[1], "shared")
for _ in range(20):
    store.write(files, store.compress(sys.argv[2].encode() * 200_000), sys.argv[2], facts)
"""


def test_processes_that_write_one_path_leave_a_whole_file_of_one_of_them(tmp_path):
    env = {**os.environ, "PYTHONPATH": str(Path(store.__file__).parents[2])}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), letter], env=env) for letter in "abc"
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    text = gzip.decompress((tmp_path / "shared.json.gz").read_bytes())
    assert text in (b"a" * 200_000, b"b" * 200_000, b"c" * 200_000)
    assert len(list(tmp_path.iterdir())) == 3
