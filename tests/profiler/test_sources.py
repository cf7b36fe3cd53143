from __future__ import annotations

import sys

import pytest

from profiling_series.errors import UsageError
from profiling_series.profiler import sources


@pytest.mark.parametrize("cuda", [True, False])
def test_replay_is_cuda_if_there_is_one(monkeypatch, cuda):
    monkeypatch.setattr(sources, "cuda_available", lambda: cuda)
    assert sources.resolve("replay") == ("cuda" if cuda else "recorded")


def test_recordings_are_made_on_a_gpu_only(monkeypatch):
    monkeypatch.setattr(sources, "cuda_available", lambda: True)
    assert sources.resolve("record") == "record"
    monkeypatch.setattr(sources, "cuda_available", lambda: False)
    with pytest.raises(UsageError, match="recordings are made on a GPU, and torch finds none here"):
        sources.resolve("record")


@pytest.mark.parametrize("source", ["auto", "cuda", "cpu", "recorded"])
def test_other_sources_are_themselves(source):
    assert sources.resolve(source) == source


def test_the_environment_decides_only_where_the_call_does_not(monkeypatch):
    monkeypatch.setenv("PROFILING_SERIES_SOURCE", "recorded")
    assert sources.resolve("auto") == "recorded"
    assert sources.resolve("cpu") == "cpu"
    monkeypatch.setenv("PROFILING_SERIES_SOURCE", "")
    assert sources.resolve("auto") == "auto"


def test_unknown_sources_are_refused_where_they_come_from(monkeypatch):
    with pytest.raises(UsageError, match="unknown source 'gpu'; choose one of auto, cuda"):
        sources.resolve("gpu")
    monkeypatch.setenv("PROFILING_SERIES_SOURCE", "gpu")
    with pytest.raises(UsageError, match="unknown PROFILING_SERIES_SOURCE 'gpu'"):
        sources.resolve("auto")


def test_without_a_driver_torch_is_not_even_imported(monkeypatch):
    monkeypatch.setattr(sources, "_driver_present", lambda: False)
    monkeypatch.setitem(sys.modules, "torch", None)  # an import of it would raise
    assert sources.cuda_available() is False


def test_without_torch_there_is_no_cuda(monkeypatch):
    monkeypatch.setattr(sources, "_driver_present", lambda: True)
    monkeypatch.setattr(sources.importlib.util, "find_spec", lambda name: None)
    assert sources.cuda_available() is False


@pytest.mark.parametrize(
    ("source", "cuda", "answer"),
    [
        ("auto", True, True),
        ("auto", False, False),
        ("replay", False, True),
        ("recorded", False, True),
        ("cpu", True, False),
    ],
)
def test_captures_hold_gpu_work_where_a_gpu_makes_or_made_them(monkeypatch, source, cuda, answer):
    monkeypatch.setattr(sources, "cuda_available", lambda: cuda)
    assert sources.has_gpu(source) is answer
    monkeypatch.setenv("PROFILING_SERIES_SOURCE", source)
    assert sources.has_gpu() is answer
