"""Reading a trace works, and starts fast, where torch is not installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
READERS = ("trace", "findings", "report")

IMPORT_ALL = """
import importlib, json, pkgutil, sys

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ImportError("torch is not installed here")

sys.meta_path.insert(0, NoTorch())
import profiling_series
names = []
for part in sys.argv[1:]:
    package = importlib.import_module(f"profiling_series.{part}")
    names.append(package.__name__)
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
            names.append(module.name)
print(json.dumps([names, sorted(sys.modules)]))
"""


def run(code, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": str(SRC)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_importing_the_package_loads_nothing_heavy():
    code = "import json, sys, profiling_series; dir(profiling_series); print(json.dumps(sorted(sys.modules)))"
    loaded = set(run(code))
    assert not loaded & {"torch", "matplotlib", "numpy", "pandas", "msgspec", "rich"}


@pytest.mark.parametrize("part", [part for part in READERS if (SRC / "profiling_series" / part).is_dir()])
def test_reading_and_showing_never_import_torch(part):
    names, _ = run(IMPORT_ALL, part)
    assert f"profiling_series.{part}" in names


@pytest.mark.parametrize("part", ["workloads", "results", "profiler", "recordings", "cli"])
def test_the_other_stages_import_torch_only_when_they_measure(part):
    code = IMPORT_ALL.replace('endswith("__main__")', 'startswith("profiling_series.workloads.steps.")')
    _, loaded = run(code.replace("walk_packages(package.__path__", "iter_modules(package.__path__"), part)
    assert "torch" not in loaded


def test_the_version_is_that_of_the_project():
    import tomllib

    import profiling_series

    project = tomllib.loads((SRC.parent / "pyproject.toml").read_text())["project"]
    assert profiling_series.__version__ == project["version"]


def test_every_public_name_is_there():
    import profiling_series

    for name in profiling_series.__all__:
        assert getattr(profiling_series, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = profiling_series.nothing
