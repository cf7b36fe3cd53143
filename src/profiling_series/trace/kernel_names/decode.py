"""From a kernel's name to its pieces, by the rules."""

from __future__ import annotations

import functools
import re

from profiling_series.trace.kernel_names.declaration import around_meaning, name_span
from profiling_series.trace.kernel_names.demangling import demangle
from profiling_series.trace.kernel_names.facts import LISTS, SLOT, Facts, take_first, take_groups
from profiling_series.trace.kernel_names.model import KernelName, Part
from profiling_series.trace.kernel_names.parts import cut_parts
from profiling_series.trace.kernel_names.rules import Rule, raw, rules, sources

#: Longer names are read up to here. The longest real ones (CUTLASS templates) are a few thousand characters.
MAX_CHARS = 8192


def family(name: str) -> str:
    """Return the short label of a kernel's family, such as ``"ATen elementwise"``.

    Never fails; the label of a name that is not recognised says so.

    Examples
    --------
    >>> family("triton_poi_fused_add_relu_0")
    'Inductor/Triton pointwise'
    >>> family("my_kernel")
    'bare name: not known'
    """
    return _label(demangle(name)[:MAX_CHARS])


@functools.lru_cache(maxsize=16_384)
def _label(text: str) -> str:
    begin, end = name_span(text)
    return str(_recognise(text[begin:end], text)[0].data["family"])


def decode(name: str) -> KernelName:
    """Return what a kernel's name says, part by part; what it does not say is None or ``"not known"``.

    Parameters
    ----------
    name : str
        Any name, as a trace or a table holds it. Names above 8192 characters are read up to there.

    Returns
    -------
    KernelName
        Family, operation, types, tile, … and the pieces with the source of each meaning (`sources`).

    Examples
    --------
    >>> kernel = decode("ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn")
    >>> kernel.family, kernel.tile, kernel.stages, kernel.layout, kernel.tensor_cores
    ('cuBLAS GEMM', '128x256', 3, 'nn', True)
    """
    # A name longer than is read is not worth a place in the cache, which keeps it alive.
    return _decode(name) if len(name) <= MAX_CHARS else _decode.__wrapped__(name)


@functools.lru_cache(maxsize=4096)
def _decode(name: str) -> KernelName:
    shown = demangle(name)
    begin, end = name_span(shown[:MAX_CHARS])
    body = shown[begin:end]
    rule, match = _recognise(body, shown[:MAX_CHARS])
    facts = Facts()
    take_groups(rule, match, facts)
    for search in rule.searches:
        take_first(search, body, facts)
    parts = cut_parts(rule, body, facts)
    if begin:
        parts.insert(0, Part(shown[:begin], around_meaning(shown)))
    if end < len(shown):
        parts.append(Part(shown[end:], around_meaning(shown[end:])))
    return _assemble(rule, facts, name, shown, tuple(parts))


def _recognise(body: str, whole: str) -> tuple[Rule, re.Match[str]]:
    """Return the first rule that matches; the last rule matches anything."""
    for rule in rules():
        if match := rule.match(body, whole):
            return rule, match
    raise AssertionError("the last rule matches anything")  # pragma: no cover


def _assemble(rule: Rule, facts: Facts, name: str, shown: str, parts: tuple[Part, ...]) -> KernelName:
    """Put the facts and the rule's own statements together."""
    data, attributes = rule.data, dict(facts.attributes)
    for attribute, template in data.get("compose", {}).items():
        if composed := _compose(template, facts):
            attributes[attribute] = composed
    attributes.pop("family", None)  # the rule says it better than the piece that showed it
    operation = attributes.pop("operation", None) or _compose(data.get("operation"), facts)
    attributes.setdefault("kind", data.get("kind"))
    attributes.setdefault("tensor_cores", data.get("tensor_cores"))
    for attribute in LISTS & attributes.keys():
        attributes[attribute] = tuple(attributes[attribute])
    return KernelName(
        name=name,
        demangled=shown,
        rule=data["id"],
        family=data["family"],
        known=not data.get("unknown", False),
        library=data.get("library"),
        operation=operation,
        seen=_seen(parts),
        notes=tuple(data.get("notes", ())),
        parts=parts,
        **attributes,
    )


def _seen(parts: tuple[Part, ...]) -> tuple[str, ...]:
    """Return the attributes that only pieces without a documented meaning fill."""
    documented = {part.field for part in parts if part.source and sources()[part.source].kind != "measured"}
    filled = dict.fromkeys(part.field for part in parts if part.field)
    return tuple(each for each in filled if each and each not in documented)


def _compose(template: str | None, facts: Facts) -> str | None:
    """Fill a template with what the groups hold: ``{q}x{k}``, or by a table, ``{transa:table}``."""
    if template is None:
        return None

    def slot(match: re.Match[str]) -> str:
        group, table = match.group(1), match.group(2)
        if table:
            return str(raw()["tables"][table].get(facts.texts.get(group, ""), ""))
        return facts.values.get(group, "")

    return SLOT.sub(slot, template).strip() or None
