"""HTML from templates: the one environment, which escapes whatever a template does not mark as markup.

jinja2 is loaded when the first page is made; a reading in a terminal does without it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ..format import prose, shown, us, visible

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: Any) -> str:
    """Return a template of this package filled in, as markup; one that takes it marks it ``safe``.

    What does not print is spelled out in every value. The filter ``prose`` also puts a narrow no-break space
    between a figure and its unit.

    Parameters
    ----------
    template : str
        Its file's name in ``templates``, without ``.html``.
    **values
        What it is filled with.
    """
    return _environment().get_template(f"{template}.html").render(values)


def scrolling(label: str, inner: str) -> str:
    """Return markup in a box that scrolls sideways, within reach of the keyboard.

    Parameters
    ----------
    label : str
        What a screen reader calls it.
    inner : str
        The markup.
    """
    return render("scroll", label=label, inner=inner)


@cache
def _environment() -> Environment:
    """Return the environment of every template."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def printable(value: Any) -> Any:
        return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    made = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        finalize=printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["prose"] = lambda text: Markup(prose(text))
    made.filters |= {"shown": shown, "us": us}
    return made
