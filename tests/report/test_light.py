"""A reading in a terminal must not wait for torch, nor for a plotting library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

CODE = """
import sys
from profiling_series.trace import read
from profiling_series import summary, timeline, dispatch_chain
trace = read(sys.argv[1])
for view in (summary, timeline, dispatch_chain):
    assert view(trace).text()
print(*sorted({"torch", "matplotlib", "rich", "IPython", "jinja2"} & set(sys.modules)))
for view in (summary, timeline, dispatch_chain):
    assert view(trace)._repr_html_()
print(*sorted({"torch", "matplotlib"} & set(sys.modules)))
"""


def test_text_loads_neither_torch_nor_a_template_and_no_view_of_a_trace_matplotlib():
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(ROOT / "tests" / "data" / "report" / "two_steps.json")],
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "", "MPLCONFIGDIR": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "\n\n"
