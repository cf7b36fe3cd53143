"""The rules as data: used, sourced, and read alike by Python and JavaScript."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import subprocess
from importlib.resources import files

import pytest

from profiling_series.trace import kernel_names
from profiling_series.trace.kernel_names import decode, sources
from profiling_series.trace.kernel_names.demangling import _head, is_mangled
from profiling_series.trace.kernel_names.rules import compiled, raw, rules

from .test_kernel_names import ROWS

NAMES = [row["name"] for row in ROWS]

# Each pattern on each name: where the match and each of its groups lie (JavaScript's "d" flag gives the
# places).
JAVASCRIPT = """
const {patterns, names} = JSON.parse(require("fs").readFileSync(0, "utf8"));
const found = patterns.map((pattern) => {
  const regex = new RegExp(pattern, "d");
  return names.map((name) => {
    const match = regex.exec(name);
    if (!match) return null;
    const groups = {};
    for (const [key, place] of Object.entries(match.indices.groups ?? {})) groups[key] = place ?? null;
    return [match.indices[0], groups];
  });
});
process.stdout.write(JSON.stringify(found));
"""


def entries() -> list[dict]:
    """Every object of the data files that says something of a piece."""
    data = raw()
    fields = [entry for group in data["fields"].values() for entry in group.values()]
    fields += [
        entry
        for rule in data["rules"]
        for given in (
            rule.get("fields", {}) if isinstance(rule.get("fields", {}), list) else [rule.get("fields", {})]
        )
        if isinstance(given, dict)
        for entry in given.values()
    ]
    lists = [*data["words"].values(), *data["searches"].values()]
    return fields + [entry for each in lists for entry in each]


def patterns() -> list[str]:
    found = [rule["pattern"] for rule in raw()["rules"]]
    for entry in entries():
        found += [entry[key] for key in ("pattern", "each") if key in entry]
    return list(dict.fromkeys(found))


def test_every_rule_has_a_name_in_the_table():
    used = {decode(name).rule for name in NAMES}
    assert {rule.data["id"] for rule in rules()} == used


def test_rule_ids_are_unique():
    ids = [rule.data["id"] for rule in rules()]
    assert len(ids) == len(set(ids))


def test_the_last_rule_matches_anything():
    assert rules()[-1].match("\n\x00 anything at all", "") is not None


def test_every_meaning_has_a_source_and_every_table_exists():
    known = sources()
    for entry in entries():
        if entry.get("say") != "not known":
            assert entry.get("source") in known, entry
        assert entry.get("table", "dtype") in raw()["tables"], entry
    for rule in rules():
        assert rule.data["source"] in known, rule.data["id"]


def test_every_named_group_is_explained():
    for rule in rules():
        for key in rule.regex.groupindex:
            group = key.split("__")[0]
            assert group == "family" or group in rule.fields, (rule.data["id"], group)


@pytest.mark.parametrize("pattern", patterns())
def test_patterns_keep_to_the_syntax_that_both_languages_share(pattern):
    for construct in (
        r"\(\?P",
        r"\(\?<[=!]",
        r"\(\?[aiLmsux-]",
        r"\\[AZsSwW]",
        r"[*+?}]\+",
        r"\(\?>",
        r"\(\?\(",
    ):
        assert not re.search(construct, pattern), f"{construct} in {pattern}"
    outside_of_classes = re.sub(r"\[(?:\\.|[^\]])*\]", "", pattern)
    assert not re.search(r"(?<!\\)\.", outside_of_classes), f"a bare dot in {pattern}"


def in_javascript(script: str, asked: dict) -> list:
    """What the script makes of the input; skips without node (the browser's tests decode in the page)."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    done = subprocess.run(
        [node, "-e", script],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def told_in_python(name: str) -> dict:
    """What the page must say of a name: of a mangled one, what its head says."""
    shown = (_head(name) or name) if is_mangled(name) else name
    kernel = decode(shown)
    return json.loads(json.dumps({**dataclasses.asdict(kernel), "name": name, "summary": kernel.summary}))


STRANGE = [
    "constructor",
    "__proto__",
    "triton_poi_fused_constructor_add_0",
    "é(a)",
    "x" * 9000,
    "𝔘𝔫<a>",
    "a\n(b)",
]


def test_the_page_decodes_as_the_package_does():
    script = (
        (files(kernel_names) / "decode.js").read_text("utf-8")
        + """
const {rules, names} = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(names.map(globalThis.profilingSeriesKernelNames(rules).decode)));
"""
    )
    names = [*NAMES, *STRANGE]
    for name, theirs in zip(names, in_javascript(script, {"rules": raw(), "names": names}), strict=True):
        assert theirs == told_in_python(name)


def test_javascript_finds_what_python_finds():
    asked = {"patterns": patterns(), "names": NAMES}
    matches = 0
    for pattern, of_names in zip(asked["patterns"], in_javascript(JAVASCRIPT, asked), strict=True):
        for name, theirs in zip(NAMES, of_names, strict=True):
            match = compiled(pattern).search(name)
            ours = match and [
                list(match.span()),
                {
                    key: list(match.span(key)) if match.group(key) is not None else None
                    for key in match.groupdict()
                },
            ]
            assert ours == theirs, (pattern, name)
            matches += match is not None
    assert matches > len(NAMES)  # the comparison compared something
