"""The code blocks of the look-up pages run as they stand, on a trace named as there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import profiling_series
from profiling_series import recordings

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted((ROOT / "docs" / "guide" / "concepts").glob("*.md")),
    ROOT / "docs" / "reference" / "measures.md",
]
PRELUDE = "from profiling_series import read\ntrace = read('trace.json.gz')\n"


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch, capsys):
    found = blocks(page)
    assert found, "a concept without code"
    recorded = next(Path(recordings.__file__).parent.rglob("64_bf16_cold_eager.json.gz"))
    shutil.copy(recorded, tmp_path / "trace.json.gz")
    monkeypatch.chdir(tmp_path)
    assert profiling_series.read is not None
    for block in found:
        exec(compile(PRELUDE + block, str(page), "exec"), {})
    if page.stem != "index":
        assert capsys.readouterr().out.strip()
