from __future__ import annotations

import sys

import pytest

from profiling_series.errors import UsageError
from profiling_series.workloads import WORKLOADS, code_digests, code_is_as_it_was

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

        (digest,) = code_digests(Workload()).values()
        return digest

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
        code_digests(Workload())


def test_each_workload_has_a_digest_without_torch():
    before = "torch" in sys.modules
    digests = {code_digests(cls())[cls.code] for cls in WORKLOADS.values()}
    assert len(digests) == len(WORKLOADS)
    assert ("torch" in sys.modules) == before


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of steps: the workload's module imports another, which imports a third."""
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "made_up_package"
    (folder / "shared").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise SystemExit('it was run')\n")
    (folder / "step.py").write_text("import torch\nfrom made_up_package.shared import layers\n")
    (folder / "shared" / "layers.py").write_text("def f():\n    from made_up_package.norms import norm\n")
    (folder / "norms.py").write_text("norm = 1\n")
    (folder / "other.py").write_text("norm = 2\n")

    class Workload:
        name, code = "made-up", "made_up_package.step"

    return folder, Workload()


def test_the_modules_that_a_step_uses_count_and_no_others(package):
    _, workload = package
    found = code_digests(workload)
    inner = ("step", "shared.layers", "norms")
    assert list(found) == [f"made_up_package.{name}" for name in inner]


@pytest.mark.parametrize(
    ("name", "same"), [("norms.py", False), ("shared/layers.py", False), ("other.py", True)]
)
def test_a_change_in_a_module_that_a_step_uses_shows(package, name, same):
    folder, workload = package
    then = code_digests(workload)
    assert code_is_as_it_was(then)
    (folder / name).write_text("norm = 3\n")
    assert code_is_as_it_was(then) is same


def test_a_module_that_is_gone_is_a_change(package):
    folder, workload = package
    then = code_digests(workload)
    (folder / "norms.py").unlink()
    assert not code_is_as_it_was(then)


def test_planted_faults_share_layers_and_their_digests_say_so():
    layers = "profiling_series.workloads.faults.steps.layers"
    assert layers in code_digests(WORKLOADS["tiny-kernels"]())
    assert list(code_digests(WORKLOADS["matmul-add"]())) == [WORKLOADS["matmul-add"].code]
