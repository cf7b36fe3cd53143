"""Settings of the site; whatever is more than a setting lives in `_ext`."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

PACKAGE = Path(find_spec("profiling_series").submodule_search_locations[0])

# Read by every capture and view of the build, in this process and in the notebooks' kernels: measure on CUDA
# if there is a device, replay the recording otherwise, and show pictures instead of text.
os.environ.setdefault("PROFILING_SERIES_SOURCE", "replay")
os.environ["PROFILING_SERIES_SHOW"] = "html"

project = "Profiling Series"
author = "The Profiling Series authors"
copyright = f"2026, {author}"
language = "en"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.githubpages",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "myst_nb",
    "sphinx_gallery.gen_gallery",
    "_ext",
]
# The gallery's notebooks are downloads: as sources they would replace the pages of that name, and run again.
exclude_patterns = ["_build", "_ext", "_tools", "auto_examples/**.ipynb", "**/README.*"]
suppress_warnings = ["config.cache"]  # the gallery's settings hold functions, given by name

# Notebooks: a cell that fails fails the build; a live capture with torch.compile takes its time.
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "fieldlist", "substitution"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE / "_build" / "state" / "notebooks")
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
nb_output_stderr = "show"

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"[\\/]plot_",  # tests/docs holds that no example is named otherwise
    "subsection_order": "_ext.gallery.lessons_first",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "reset_modules": ("_ext.gallery.reset",),
    "reset_modules_order": "both",
    "image_scrapers": ("_ext.gallery.scrape",),
    "backreferences_dir": "auto_examples/backreferences",
    "doc_module": ("profiling_series",),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    # No timings: they would change every translation, and the page of them loads a script from elsewhere.
    "min_reported_time": 10**6,
    "write_computation_times": False,
}

copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = ", ".join(
    f"div.highlight-{language} pre"
    for language in ("default", "python", "Python", "ipython3", "sh", "console", "yaml", "html")
)

# Reference. Types stand in the docstrings' words; links are made where the text links.
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
add_module_names = False
nitpicky = True

templates_path = ["_templates"]

html_context = {"default_mode": "auto"}
html_theme = "pydata_sphinx_theme"
html_title = "Profiling Series"
html_static_path = [
    "_static",
    *(str(PACKAGE / "report" / name) for name in ("style.css", "perfetto.js", "timeline/timeline.js")),
    str(PACKAGE / "trace" / "kernel_names" / "decode.js"),
]
html_css_files = ["style.css", "site.css"]
html_js_files = ["site.js", "perfetto.js", "timeline.js"]
html_logo = "_static/mark.svg"
html_favicon = "_static/mark.svg"
html_show_sourcelink = False
html_copy_source = False
_WITHOUT_SIDEBAR = ("index", "start", "guide/faq", "guide/path", "guide/words", "reference/this-build")
html_sidebars = {page: [] for page in _WITHOUT_SIDEBAR}
html_theme_options = {
    "logo": {"text": "Profiling Series"},
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "article_footer_items": ["page-traces", "measured-on"],
    "footer_start": ["copyright"],
    "footer_end": ["series-credit"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
