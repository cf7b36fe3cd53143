"""A reading in a terminal must not wait for torch, nor for a plotting library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

CODE = """
import sys
from profiling_series.trace import read
from profiling_series.report import summary, timeline, dispatch_chain
trace = read(sys.argv[1])
for view in (summary, timeline, dispatch_chain):
    assert view(trace).text()
print(*sorted({"torch", "matplotlib", "rich", "IPython"} & set(sys.modules)))
timeline(trace)._repr_html_()
print(*sorted({"torch", "matplotlib.pyplot"} & set(sys.modules)))
"""


def test_text_loads_neither_torch_nor_matplotlib_and_pictures_no_pyplot():
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(ROOT / "tests" / "data" / "report" / "two_steps.json")],
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "", "MPLCONFIGDIR": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "\n\n"
