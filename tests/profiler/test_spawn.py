from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from msgspec import convert

from profiling_series.errors import CaptureError, UsageError
from profiling_series.profiler import spawn
from profiling_series.results import AnyRequest, Request
from profiling_series.workloads import MatmulAdd

REQUEST = Request(MatmulAdd(), warm=False)


@pytest.fixture
def child(monkeypatch, tmp_path):
    """Run some other code in the place of the child process."""

    def run(code, request=REQUEST, progress=None):
        monkeypatch.setattr(spawn, "_COMMAND", ("-c", code))
        return spawn.run(request, device="cpu", out=tmp_path, progress=progress)

    return run


def test_the_child_is_told_all_and_its_answers_are_followed(child):
    code = """
import json, sys
order = json.load(sys.stdin)
print(json.dumps({"progress": "one"})); print(json.dumps({"done": [json.dumps(order)]}))
"""
    heard = []
    (path,) = child(code, progress=heard.append)
    order = json.loads(str(path))
    assert heard == ["one"]
    assert convert(order["request"], AnyRequest) == REQUEST
    assert order["device"] == "cpu"
    assert Path(order["out"]).is_absolute()


@pytest.mark.parametrize(("usage", "error"), [("true", UsageError), ("false", CaptureError)])
def test_the_childs_error_is_raised_here(child, usage, error):
    with pytest.raises(error, match=r"^so it is$") as caught:
        child(f'print(\'{{"error": "so it is", "usage": {usage}}}\')')
    assert type(caught.value) is error


def test_a_child_that_is_killed_is_one_line(child):
    code = 'import os\nprint(\'{"progress": "profiling"}\', flush=True)\nos.kill(os.getpid(), 9)'
    with pytest.raises(CaptureError) as caught:
        child(code)
    assert str(caught.value) == (
        "the capture's process was ended by SIGKILL while profiling; was it out of memory?"
    )


def test_a_child_that_dies_is_one_line_with_the_last_of_its_words(child):
    code = "import sys\nprint('early\\nlate \\x1b[31m', file=sys.stderr)\nsys.exit(5)"
    with pytest.raises(CaptureError) as caught:
        child(code)
    assert str(caught.value) == "the capture's process ended with code 5: late \\x1b[31m"
    assert "early" in caught.value.details


def test_a_child_that_ends_at_once_breaks_no_pipe(child):
    with pytest.raises(CaptureError, match="ended with code 0"):
        child("import os; os.close(0)")


def test_a_progress_function_that_fails_leaves_no_child_behind(child):
    code = 'import os, time\nprint(\'{"progress": "%d"}\' % os.getpid(), flush=True)\ntime.sleep(600)'
    pids = []

    def remember(text):
        pids.append(int(text))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        child(code, progress=remember)
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


@pytest.fixture
def environment_of(child):
    def of(request):
        code = "import json, os\nprint(json.dumps({'done': [json.dumps(dict(os.environ))]}))"
        return json.loads(str(child(code, request)[0]))

    return of


def test_cold_has_empty_compiler_caches_of_its_own_and_warm_the_usual_ones(environment_of, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "/usual")
    cold = environment_of(REQUEST)
    assert cold["TORCHINDUCTOR_CACHE_DIR"] != "/usual"
    assert not os.path.exists(cold["TORCHINDUCTOR_CACHE_DIR"])
    assert cold["TRITON_CACHE_DIR"] != environment_of(REQUEST)["TRITON_CACHE_DIR"]
    warm = environment_of(Request(MatmulAdd(), warm=True))
    assert warm["TORCHINDUCTOR_CACHE_DIR"] == "/usual"
    assert "TRITON_CACHE_DIR" not in warm


def test_the_package_is_found_by_its_absolute_path(environment_of, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    first, *others = environment_of(REQUEST)["PYTHONPATH"].split(os.pathsep)
    assert (Path(first) / "profiling_series" / "__init__.py").exists()
    assert Path(first).is_absolute()
    assert others == ["somewhere"]


def test_a_module_in_the_callers_folder_is_not_taken_for_torch(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(UsageError, match="CUDA was asked for"):
        spawn.run(REQUEST, device="cuda", out=tmp_path)
