"""What a notebook answers: its kernel is another process, which asks its own variables after each cell."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from .stamp import state_dir

if TYPE_CHECKING:
    from sphinx.application import Sphinx

STARTUP = """\
# Written by the docs build: IPython runs this when a notebook's kernel starts.
def _answer(*_):
    import sys

    sys.path.insert(0, {docs!r})
    from _ext import captures, expressions, values

    page = next(path for path in expressions.pages({docs!r}) if path.stem == captures.page_now())
    values.answer({docs!r}, page, get_ipython().user_ns)


get_ipython().events.register("post_run_cell", _answer)
"""

# A kernel speaks to the build over loopback and says at its start that nothing encrypts that.
SETTINGS = "c.IPKernelApp.log_level = 'ERROR'\n"


def _prepare(app: Sphinx) -> None:
    """Give kernels a profile of the build's own: no setting of the builder's account, and the hook above."""
    home = state_dir(app.srcdir) / "ipython"
    startup = home / "profile_default" / "startup" / "00-measured.py"
    startup.parent.mkdir(parents=True, exist_ok=True)
    startup.write_text(STARTUP.format(docs=str(Path(app.srcdir).resolve())), encoding="utf-8")
    (startup.parents[1] / "ipython_kernel_config.py").write_text(SETTINGS, encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(home)


def setup(app: Sphinx) -> None:
    """Prepare kernels once the stamp has decided whether anything of earlier builds is kept."""
    app.connect("builder-inited", _prepare, priority=100)
