"""A timeline's figure as inline SVG: small, without ids, scripts or outside resources.

matplotlib writes a whole document, with an id on every artist and clip paths named after it. Inside a page
that holds other figures ids clash, so the parts are written anew: rectangles with a ``<title>`` (hover text,
and what page search finds), lines, and text. Ink becomes ``currentColor`` and follows a dark page.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from ..format import count, escape, prose, shown, us
from .palette import BLACK, INK, PAINTS
from .scene import Bar, Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MIN_WIDTH_PX = 760
"""Below this a page scrolls the picture instead of shrinking its words."""
_NS = "{http://www.w3.org/2000/svg}"
_LAYERS = ("grid", "idle", "bar", "mark", "link", "leader", "label", "name", "head", "text")
_FLOAT = re.compile(r"-?\d+\.\d+")
_TITLE_LIMIT = 200


def inline_svg(figure: Figure, scene: Scene, label: str) -> str:
    """Return the figure as an ``<svg>`` element.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Made by `draw.figure_of` from the scene.
    scene : Scene
        Where the bars' titles come from.
    label : str
        What a screen reader says of the picture as a whole.
    """
    layers: dict[str, list[str]] = {layer: [] for layer in _LAYERS}
    bars: dict[tuple[str, bool], list[str]] = {}
    for group in _groups(figure):
        kind, _, index = group.get("id", "").partition(":")
        for leaf in group:
            if kind == "bar":
                bar = scene.bars[int(index)]
                bars.setdefault((bar.kind, bar.count > 1), []).append(_rect(leaf, bar))
            elif leaf.tag == f"{_NS}path":
                layers[kind].append(_path(leaf))
            elif leaf.tag == f"{_NS}text":
                layers[kind].append(_text(leaf))
    layers["bar"] = [_bar_group(kind, merged, rects) for (kind, merged), rects in bars.items()]
    width, height = figure.get_size_inches() * 72
    body = "\n".join(_layer(name, parts) for name, parts in layers.items() if parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" '
        f'style="min-width:{MIN_WIDTH_PX}px;width:100%;height:auto;display:block" '
        f"font-family=\"system-ui,-apple-system,'Segoe UI','Liberation Sans','DejaVu Sans',sans-serif\" "
        f'fill="currentColor" stroke="none">\n{body}\n</svg>'
    )


def bar_title(bar: Bar) -> str:
    """Return what hovering over a bar tells: name, duration, start, arguments.

    Parameters
    ----------
    bar : Bar
        A bar of a scene.
    """
    if bar.count > 1:
        return "\n".join(
            (f"{count(bar.count, 'event')}: {shown(bar.name, _TITLE_LIMIT)}",
             f"{us(bar.work_us)} in all, within {us(bar.dur_us)} from {us(bar.start_us)}")
        )  # fmt: skip
    note = ("span of the annotation on the GPU lane, not work",) if bar.kind == "span" else ()
    if bar.work_us > bar.dur_us:
        note = (f"recorded as {us(bar.work_us)}, which overruns its stream and cannot be",)
    when = f"{us(bar.dur_us)}, from {us(bar.start_us)}"
    return "\n".join((shown(bar.name, _TITLE_LIMIT), when, *note, *bar.detail))


def _groups(figure: Figure) -> list[ElementTree.Element]:
    """Return the figure's artists as the SVG groups that matplotlib writes for them."""
    import matplotlib

    buffer = io.StringIO()
    # Text stays text; the salt makes two runs byte-identical.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "profiling-series"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    root = ElementTree.fromstring(buffer.getvalue())
    return [group for group in root.iter(f"{_NS}g") if group.get("id", "").split(":")[0] in _LAYERS]


def _short(value: str) -> str:
    """Return the numbers of an SVG attribute rounded to a tenth of a pixel."""
    return _FLOAT.sub(lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), value)


def _style(leaf: ElementTree.Element) -> dict[str, str]:
    """Return the CSS declarations of an element."""
    pairs = (part.split(":", 1) for part in leaf.get("style", "").split(";") if ":" in part)
    return {name.strip(): value.strip() for name, value in pairs}


def _rect(leaf: ElementTree.Element, bar: Bar) -> str:
    """Return a bar as ``<rect>`` with its title."""
    numbers = [float(part) for part in re.findall(r"-?\d+\.?\d*", leaf.get("d", ""))]
    left, top, right, bottom = min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])
    width, height = right - left, bottom - top
    place = _short(f'x="{left:.2f}" y="{top:.2f}" width="{width:.2f}" height="{height:.2f}"')
    return f"<rect {place}><title>{prose(bar_title(bar), keep_lines=True)}</title></rect>"


def _bar_group(kind: str, merged: bool, rects: list[str]) -> str:
    """Return the bars of one kind in a group that holds their paint."""
    paint = f'fill="{PAINTS[kind].fill}"'
    if kind == "span":
        paint = 'fill="none" stroke="currentColor" stroke-opacity="0.7" stroke-dasharray="3 2"'
        paint += ' pointer-events="all"'
    pale = ' fill-opacity="0.55"' if merged else ""
    return f'<g class="ps-{kind}" {paint}{pale}>\n' + "\n".join(rects) + "\n</g>"


def _path(leaf: ElementTree.Element) -> str:
    """Return a line: its way, width, dashes and strength."""
    style = _style(leaf)
    way = re.sub(r"\s*([MLz])\s*", r"\1", _short(leaf.get("d", "")))
    strength = style.get("stroke-opacity") or style.get("opacity") or "1"
    dashes = f' stroke-dasharray="{_short(style["stroke-dasharray"])}"' if "stroke-dasharray" in style else ""
    width = style.get("stroke-width", "1")
    return f'<path d="{way}" stroke-width="{width}" stroke-opacity="{strength}"{dashes}/>'


def _text(leaf: ElementTree.Element) -> str:
    """Return a line of text at its place."""
    style = _style(leaf)
    anchor = f' text-anchor="{style["text-anchor"]}"' if style.get("text-anchor", "start") != "start" else ""
    # matplotlib leaves out what SVG assumes, which is black; only ink follows the page.
    colour = style.get("fill", BLACK)
    fill = "" if colour == INK else f' fill="{colour}"'
    place = f'x="{_short(leaf.get("x", "0"))}" y="{_short(leaf.get("y", "0"))}"'
    return f"<text {place}{anchor}{fill}>{prose(leaf.text or '')}</text>"


def _layer(name: str, parts: list[str]) -> str:
    """Return one layer of the picture; words let the pointer through to the bar below them."""
    if name == "bar":
        return "\n".join(parts)
    if name in ("grid", "mark", "idle", "link", "leader"):
        kind = 'fill="none" stroke="currentColor"'
    else:
        weight = ' font-weight="700"' if name == "head" else ""
        kind = f'font-size="10.5"{weight} pointer-events="none"'
    return f'<g class="ps-{name}" {kind}>\n' + "\n".join(parts) + "\n</g>"
