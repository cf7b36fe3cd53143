from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from profiling_series.errors import CaptureError, UsageError
from profiling_series.profiler.failure import explain


def named(name, text, cause=None, **attributes):
    error = type(name, (RuntimeError,), {})(text)
    error.__cause__ = cause
    vars(error).update(attributes)
    return error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (named("InvalidCxxCompiler", "No working C++ compiler found"), "needs a C++ compiler"),
        (
            named("InductorError", "x", inner_exception=named("InvalidCxxCompiler", "none")),
            "needs a C++ compiler",
        ),
        (named("CppCompileError", "C++ compile error\n\nCommand: g++ …"), "the C++ compiler failed"),
        (RuntimeError("Failed to find C compiler. Please specify via CC"), "Triton needs a C compiler"),
        (
            named(
                "GPUTooOldForTriton", "Found Tesla P100 which is too old to be supported by the triton GPU"
            ),
            "compute capability 7.0 or later",
        ),
        (named("TritonMissing", "Cannot find a working triton installation."), "needs Triton"),
        (named("OutOfMemoryError", "CUDA out of memory. Tried to allocate 2 GiB"), "out of memory"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried…"), "out of memory"),
        (ModuleNotFoundError("No module named 'torch'", name="torch"), "torch, which is not installed"),
    ],
)
def test_what_this_machine_lacks_is_told_in_one_line(error, told):
    known = explain(error)
    assert isinstance(known, UsageError)
    assert told in str(known)
    assert "\n" not in str(known)


def test_errors_of_ours_stay_as_they_are():
    error = UsageError("so it is")
    assert explain(error) is error


def test_any_other_error_is_named_with_its_first_line():
    known = explain(ValueError("\nfirst\nsecond"))
    assert type(known) is CaptureError
    assert str(known) == "the capture failed: ValueError: first"
    assert "KeyError: no message" in str(explain(KeyError()))


def test_the_innermost_cause_is_named():
    outer = named("BackendCompilerFailed", "page after page", cause=TypeError("the reason"))
    assert str(explain(outer)) == "the capture failed: TypeError: the reason"


def test_a_circle_of_causes_ends():
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert "other" in str(explain(one))


COMPILES = """
import torch
from profiling_series.profiler.failure import explain
try:
    torch.compile(lambda x: (x + 1).relu())(torch.ones(4))
except Exception as error:
    known = explain(error)
    print(type(known).__name__, known)
"""


def test_the_real_error_of_a_machine_without_a_compiler_is_known(tmp_path):
    pytest.importorskip("torch")
    env = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
        "CXX": "/nonexistent/g++",
        "TORCHINDUCTOR_CACHE_DIR": str(tmp_path),
        "CUDA_VISIBLE_DEVICES": "",
    }
    done = subprocess.run(
        [sys.executable, "-c", COMPILES], env=env, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.startswith("UsageError torch.compile needs a C++ compiler, and none works here")
    assert done.stdout.count("\n") == 1
