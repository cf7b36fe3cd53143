"""A timeline as inline SVG: small, without ids, styles or outside resources.

Bars are rectangles with a ``<title>``: hover text, and what a page's search finds. Ink is ``currentColor``
and follows a dark page.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from ...format import count, narrow, shown, us
from ..palette import FONTS, INK, PAINTS
from .draw import draw
from .drawing import Stroke, Word
from .layout import BAR_PX, WIDTH_PX, Layout, arrange
from .scene import Bar, Scene
from .widths import FONT_PX

MIN_WIDTH_PX = 760
"""Below this a page scrolls the picture instead of shrinking its words."""
PALE = "0.55"
"""How opaque a bar is that stands for several events."""
_UNDER, _OVER = ("grid", "idle"), ("mark", "link", "leader")
_WORDS = ("label", "name", "head", "text")
_TITLE_LIMIT = 200


def inline_svg(scene: Scene, label: str) -> str:
    """Return the picture of a scene as an ``<svg>`` element.

    Parameters
    ----------
    scene : Scene
        What to draw.
    label : str
        What a screen reader says of the picture as a whole.
    """
    layout = arrange(scene)
    drawing = draw(scene, layout)
    svg = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "role": "img",
            "aria-label": shown(label, len(label)),
            "viewBox": f"0 0 {WIDTH_PX} {layout.height:.0f}",
            "style": f"min-width:{MIN_WIDTH_PX}px;width:100%;height:auto;display:block",
            "font-family": FONTS,
            "fill": "currentColor",
            "stroke": "none",
        },
    )
    for layer in _UNDER:
        _strokes(svg, layer, drawing.strokes.get(layer, []))
    for (kind, merged), bars in scene.painted().items():
        _bars(svg, kind, merged, bars, layout)
    for layer in _OVER:
        _strokes(svg, layer, drawing.strokes.get(layer, []))
    for layer in _WORDS:
        _words(svg, layer, drawing.words.get(layer, []))
    return tostring(svg, encoding="unicode")


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


def _bars(svg: Element, kind: str, merged: bool, bars: list[Bar], layout: Layout) -> None:
    """Add the bars of one kind, in a group that holds their paint."""
    group = SubElement(svg, "g", {"class": f"ps-{kind}", "fill": PAINTS[kind].fill})
    if kind == "span":
        group.attrib |= {"stroke": "currentColor", "stroke-opacity": "0.7", "stroke-dasharray": "3 2"}
        group.set("pointer-events", "all")
    if merged:
        group.set("fill-opacity", PALE)
    for bar in bars:
        left, right = layout.sides(bar)
        # A sliver of page between neighbours keeps two equal events two.
        width = right - left - (0.6 if right - left > 4 else 0)
        place = {"x": left, "y": layout.row_top(bar.lane, bar.depth), "width": width, "height": BAR_PX}
        rect = SubElement(group, "rect", {name: _px(value) for name, value in place.items()})
        SubElement(rect, "title").text = "\n".join(map(narrow, bar_title(bar).split("\n")))


def _strokes(svg: Element, layer: str, strokes: list[Stroke]) -> None:
    """Add a layer of lines, if there are any."""
    if not strokes:
        return
    group = SubElement(svg, "g", {"class": f"ps-{layer}", "fill": "none", "stroke": "currentColor"})
    for stroke in strokes:
        way = "".join(f"M{_px(x)} {_px(y)}L{_px(to_x)} {_px(to_y)}" for (x, y), (to_x, to_y) in stroke.lines)
        strength = {"stroke-width": f"{stroke.width:g}", "stroke-opacity": f"{stroke.opacity:g}"}
        path = SubElement(group, "path", {"d": way, **strength})
        if stroke.dashes:
            path.set("stroke-dasharray", stroke.dashes)


def _words(svg: Element, layer: str, words: list[Word]) -> None:
    """Add a layer of words, if there are any; they let the pointer through to the bar below them."""
    if not words:
        return
    group = SubElement(svg, "g", {"class": f"ps-{layer}", "font-size": f"{FONT_PX:g}"})
    group.set("pointer-events", "none")
    if layer == "head":
        group.set("font-weight", "700")
    for word in words:
        # The middle of a line lies about a third of its size above the baseline.
        text = SubElement(group, "text", {"x": _px(word.x), "y": _px(word.y + 0.35 * FONT_PX)})
        if word.anchor != "start":
            text.set("text-anchor", word.anchor)
        if word.ink != INK:
            text.set("fill", word.ink)
        text.text = narrow(word.text)


def _px(value: float) -> str:
    """Return a length to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")
