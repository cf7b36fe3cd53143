"""The order of the stages is a contract in pyproject.toml, held by `nox -s lint`; here is what it misses."""

from __future__ import annotations

import ast
import pkgutil
import re
import tomllib
from pathlib import Path

import profiling_series

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "profiling_series"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]


def test_every_part_has_its_place_and_no_import_is_let_through():
    (order,) = (contract for contract in CONTRACTS if contract["type"] == "layers")
    parts = {module.name for module in pkgutil.iter_modules(profiling_series.__path__)}
    placed = set(re.findall(r"\w+", " ".join(order["layers"])))
    assert parts - {"__main__"} == placed - ({"diff"} - parts)
    assert order["exhaustive"]
    assert not any("ignore_imports" in contract for contract in CONTRACTS)


def test_no_part_hides_an_import_in_a_string():
    """The root alone loads parts by their names: it puts them together."""
    for path in PACKAGE.rglob("*.py"):
        if path != PACKAGE / "__init__.py":
            for name in _imported_by_name(ast.parse(path.read_text(encoding="utf-8"))):
                assert re.match(r"'(?!profiling_series)\w", name), f"{path.relative_to(ROOT)}: {name}"


def _imported_by_name(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            yield ast.unparse(node.args[0])
