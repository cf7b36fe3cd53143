from __future__ import annotations

import sys

import pytest

from profiling_series.errors import UsageError
from profiling_series.workloads import WORKLOADS, code_digest

PLAIN = "def step(x):\n    return x + 1\n"


@pytest.fixture
def digest_of(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    made = 0

    def of(source):
        nonlocal made
        made += 1
        (tmp_path / f"made_up_steps_{made}.py").write_text(source, encoding="utf-8")

        class Workload:
            name = "made-up"
            code = f"made_up_steps_{made}"

        return code_digest(Workload())

    return of


@pytest.mark.parametrize(
    "same",
    [
        "# why\n" + PLAIN,
        '"""A module."""\n' + PLAIN,
        'def step(x):\n    """Return one more."""\n\n    return (x +\n            1)\n',
    ],
)
def test_comments_docstrings_and_layout_do_not_count(digest_of, same):
    assert digest_of(same) == digest_of(PLAIN)


def test_code_counts(digest_of):
    assert digest_of("def step(x):\n    return x + 2\n") != digest_of(PLAIN)


def test_the_module_is_not_run(digest_of):
    digest_of("raise SystemExit\n")


def test_a_module_that_is_missing_is_told():
    class Workload:
        name, code = "made-up", "no_such_module_of_steps"

    with pytest.raises(UsageError, match="made-up: there is no module no_such_module_of_steps"):
        code_digest(Workload())


def test_each_workload_has_a_digest_without_torch():
    before = "torch" in sys.modules
    digests = {code_digest(cls()) for cls in WORKLOADS.values()}
    assert len(digests) == len(WORKLOADS)
    assert ("torch" in sys.modules) == before
