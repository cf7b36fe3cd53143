"""What can be done with this project: `nox -l` lists the sessions, `nox -s NAME` runs one.

Each session has an environment of its own, with the releases of constraints.txt. On a machine whose Python
already holds everything (a GPU server without network, say), `nox --no-venv --no-install -s NAME` uses that.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
import webbrowser
from pathlib import Path

import nox

ROOT = Path(__file__).parent
SITE = ROOT / "docs" / "_build" / "html"
PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")

nox.options.default_venv_backend = "virtualenv"  # uv would not read pip's configuration
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = True  # one that is skipped must not look passed


def _install(session: nox.Session, *groups: str) -> None:
    """Install the package, editable, with the named dependency groups, at the pinned releases."""
    wanted = sorted(set(nox.project.dependency_groups(PROJECT, *groups)))
    session.install("-c", "constraints.txt", "-e", ".", *wanted)


def _python(session: nox.Session, *args: str, **env: str) -> None:
    """Run this session's Python; `src` is on its path, so `--no-install` needs no installed package."""
    venv = session.virtualenv.is_sandboxed
    # Without an environment of its own, a session needs what the caller has put on the path as well.
    path = [str(ROOT / "src"), *([] if venv else filter(None, [os.environ.get("PYTHONPATH")]))]
    session.run("python" if venv else sys.executable, *args, env={"PYTHONPATH": os.pathsep.join(path), **env})


@nox.session
def tests(session: nox.Session) -> None:
    """Pass every test that needs no GPU, the site built from recordings included (arguments go to pytest)."""
    _install(session, "test", "docs")
    _python(session, "-m", "pytest", "-m", "not gpu", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site: measured on this machine's GPU, or replayed from the recordings where there is none.

    `-- --open` shows it in a browser, `-- --language th` builds a translation, `-- --fresh` measures and
    writes everything again, `-- --output DIR` builds elsewhere; other arguments go to sphinx-build.
    """
    options, extra = _docs_options(session.posargs)
    output = Path(options.output) if options.output else SITE
    if options.language != "en":
        output = output.with_name(f"{output.name}-{options.language}")
    _install(session, "docs")
    # Serial on purpose: -j forks, and a forked CUDA context is dead.
    strict = ["-n", "-W", "-T", "--keep-going", "-D", f"language={options.language}"]
    doctrees = output.with_name(f"{output.name}.doctrees")
    if options.fresh:
        state = ROOT / "docs" / "_build" / "state"  # what earlier builds measured, and share
        for written in (output, doctrees, state, ROOT / "docs" / "auto_examples"):
            shutil.rmtree(written, ignore_errors=True)
    started = time.monotonic()
    _python(session, "-m", "sphinx", "-b", "html", "-d", str(doctrees), *strict, *extra, "docs", str(output))
    measured = (output / "measured.txt").read_text(encoding="utf-8").strip().rstrip(".")
    session.log(f"{measured}; built in {time.monotonic() - started:.0f} s")
    session.log(f"the site is at {(output / 'index.html').as_uri()}")
    if output == SITE:
        session.log("`nox -s serve` serves it on this machine: then its buttons hand traces to Perfetto")
    if options.open:
        webbrowser.open((output / "index.html").as_uri())


def _docs_options(posargs: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Return the docs session's own options and what is left for sphinx-build."""
    parser = argparse.ArgumentParser(prog="nox -s docs --", allow_abbrev=False)
    parser.add_argument("--open", action="store_true", help="show the site in a browser when it is built")
    parser.add_argument("--language", default="en", help="the language to build, such as th")
    parser.add_argument("--fresh", action="store_true", help="measure and write everything again")
    parser.add_argument("--output", help="folder of the site (docs/_build/html)")
    return parser.parse_known_args(posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check form: ruff (rules and formatting), types, which stage imports which, and docstrings."""
    # Without torch: reading types does not need it, and it is most of the download.
    needs = [name for name in PROJECT["project"]["dependencies"] if not name.startswith("torch")]
    session.install("-c", "constraints.txt", *needs, *nox.project.dependency_groups(PROJECT, "lint"))
    _python(session, "-m", "ruff", "check", ".")
    _python(session, "-m", "ruff", "format", "--check", ".")
    _python(session, "-m", "mypy")
    # It has no `python -m`.
    imports = "from importlinter.cli import lint_imports_command as lint; lint([])"
    _python(session, "-c", imports)
    sources = sorted(str(path) for path in (ROOT / "src").rglob("*.py"))
    _python(session, "-m", "numpydoc", "lint", "--config", ".", *sources)


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Time the reader beside its peers on one large trace (`-- --size 1.5GB --layout torch`)."""
    parser = argparse.ArgumentParser(prog="nox -s bench --", allow_abbrev=False)
    parser.add_argument("--size", default="200MB", help="of the generated trace (default: 200MB)")
    parser.add_argument("--layout", default="torch", help="torch, older or compact (default: torch)")
    parser.add_argument("--source", help="the recorded trace to repeat (default: one with Python frames)")
    options, extra = parser.parse_known_args(session.posargs)
    # HolisticTraceAnalysis fails with pandas 3.
    session.install("-c", "constraints.txt", "-e", ".")
    session.install("HolisticTraceAnalysis==0.5.0", "pandas<3", "orjson")
    trace = Path(session.create_tmp()) / f"{options.layout}-{options.size}.json"
    source = [options.source] if options.source else []
    _python(
        session,
        "benchmarks/generate.py",
        *source,
        str(trace),
        "--size",
        options.size,
        "--layout",
        options.layout,
    )
    _python(session, "benchmarks/compare.py", str(trace), *extra)
    trace.unlink()


@nox.session(default=False)
def serve(session: nox.Session) -> None:
    """Serve the built site on this machine only, at http://127.0.0.1:8000 (`-- 8123` for another port)."""
    if not (SITE / "index.html").exists():
        session.error("there is no site yet: run `nox -s docs` first")
    port = session.posargs[0] if session.posargs else "8000"
    _python(session, "-m", "http.server", port, "--bind", "127.0.0.1", "--directory", str(SITE))


@nox.session(name="tests-gpu", default=False)
def tests_gpu(session: nox.Session) -> None:
    """Pass the tests that need a CUDA device (arguments go to pytest)."""
    _install(session, "test", "docs")
    _python(session, "-m", "pytest", "-m", "gpu", *session.posargs)


@nox.session(default=False)
def record(session: nox.Session) -> None:
    """Make the recordings again, on this machine's GPU, for builds on machines without one.

    First those that are there are measured; then the site is built elsewhere, and what its pages ask for
    beyond them is recorded. `-- --missing` leaves what is there and of today's code; `-- --only TEXT`,
    `-- --out DIR` and `-- --list` run no pages.
    """
    _install(session, "docs")
    _python(session, "-m", "profiling_series.recordings", *session.posargs)
    if set(session.posargs) <= {"--missing"}:
        site = Path(session.create_tmp()) / "site"
        _python(session, "-m", "sphinx", "-b", "html", "docs", str(site), PROFILING_SERIES_SOURCE="record")
