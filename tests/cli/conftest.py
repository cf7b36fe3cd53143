from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"


@pytest.fixture(scope="session")
def cli_environment():
    return {**os.environ, "PYTHONPATH": str(SRC), "CUDA_VISIBLE_DEVICES": ""}


@pytest.fixture(scope="session")
def ran(tmp_path_factory, cli_environment):
    """What a newcomer's first command does and says, in an empty folder of a machine without a GPU."""
    folder = tmp_path_factory.mktemp("newcomer")
    done = subprocess.run(
        [sys.executable, "-m", "profiling_series", "run", "matmul-add", "--size", "16"],
        cwd=folder,
        env=cli_environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done, folder
