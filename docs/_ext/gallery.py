"""What the gallery does around each example: reset torch, ask it for values, and take its pictures."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

from profiling_series.report.pictures import BLACK, page_svg, standalone

from . import captures, values

_RAN: dict[str, dict[str, Any]] = {}
"""The file of the example that runs, and its variables: pages ask them once it has run."""
PAPER = {
    "svg.fonttype": "none",  # text stays text: searchable, selectable, in the page's own font
    "svg.hashsalt": "profiling-series",  # the same picture gives the same file
    "figure.dpi": 100,
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}


def lessons_first(folder: str) -> tuple[bool, str]:
    """Return the sort key of a part of the gallery: the lessons in order, then what is looked up."""
    name = Path(folder).name
    return not name.startswith("part"), name


def reset(gallery_conf: dict[str, Any], example: str | None, when: str) -> None:
    """Give the next example the torch and matplotlib of a fresh process, as far as one process can."""
    import matplotlib as mpl

    mpl.rcdefaults()
    mpl.use("agg")
    mpl.rcParams.update(PAPER)
    # torch says it once a process, of every schedule that records one window; a page would show a path.
    warnings.filterwarnings("ignore", message=".*Profiler clears events")
    if example and when == "before":
        captures.keep_for(gallery_conf["src_dir"], Path(example).stem)
    for path in list(_RAN):
        values.answer(gallery_conf["src_dir"], path, _RAN.pop(path))
    if (torch := sys.modules.get("torch")) is None:
        return
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)
    if "torch._dynamo" in sys.modules:
        torch._dynamo.reset()
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
        torch.cuda.empty_cache()


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Return the reStructuredText of the pictures that a cell left."""
    _RAN[block_vars["src_file"]] = block_vars["example_globals"]
    last = block_vars["example_globals"].get("___")
    if hasattr(last, "_repr_html_"):
        # sphinx-gallery swallows what this raises and shows the text instead; here it fails the example.
        last._repr_html_()
        _keep_thumbnail(last, block_vars)
    return "".join(_inline(figure, block_vars) for figure in _open_figures())


def _keep_thumbnail(view: Any, block_vars: dict[str, Any]) -> None:
    """Keep the picture of a lesson's first view that has one, for its card."""
    paths = block_vars["image_path_iterator"]
    if getattr(view, "to_picture", None) is not None and not len(paths):
        view.save(Path(paths.next()).with_suffix(".svg"))


def _open_figures() -> list[Any]:
    """Return the open figures and close them; none where pyplot was never loaded."""
    if (plt := sys.modules.get("matplotlib.pyplot")) is None:
        return []
    figures = [plt.figure(number) for number in plt.get_fignums()]
    plt.close("all")
    return figures


def _inline(figure: Any, block_vars: dict[str, Any]) -> str:
    """Return a figure as SVG inside the page, so that it follows the page's colours."""
    label = " ".join(axes.get_title() for axes in figure.axes).strip() or "Figure"
    text = page_svg(figure, label, 0, ink=BLACK)
    path = Path(block_vars["image_path_iterator"].next()).with_suffix(".svg")
    path.write_text(standalone(text), encoding="utf-8")
    indented = "".join(f"   {line}\n" for line in text.splitlines())
    return f'\n.. raw:: html\n\n   <div class="ps-plot" tabindex="0" role="group">\n{indented}   </div>\n\n'
