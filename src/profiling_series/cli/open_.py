"""``profiling-series open FILE``: hand a trace of one's own to Perfetto, through a page on this machine."""

from __future__ import annotations

import argparse
import secrets
import shutil
import webbrowser
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from profiling_series.errors import UsageError
from profiling_series.exits import OK
from profiling_series.format import visible

if TYPE_CHECKING:
    from profiling_series.trace import Trace

HOST = "127.0.0.1"
HOST_NAMES = (HOST, "localhost")

_DESCRIPTION = """\
Open a trace in Perfetto (ui.perfetto.dev). The command reads the file first, then serves one page on this
machine only, at an address that nobody can guess, and shows it in your browser. Its button hands the trace to
Perfetto inside the browser: nothing is uploaded. Ctrl-C ends it.
"""

_EPILOG = """\
On a machine that you reach by ssh, start it there with --no-browser --port 9001, and
`ssh -L 9001:127.0.0.1:9001 MACHINE` here; the address that it prints then works in your own browser.

exit codes:
  0  ended by Ctrl-C
  2  wrong use, such as a port that is taken
  3  the file is not readable as a trace

examples:
  profiling-series open traces/01_matmul_add/64_bf16_cold_eager.json.gz
  profiling-series open trace.json --no-browser --port 9001
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Return the parser of the command, added to the others'.

    Parameters
    ----------
    subparsers : argparse special action
        What ``add_subparsers`` returned.
    """
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "open",
        help="open a trace in Perfetto",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a trace of torch.profiler, .json or .json.gz")
    parser.add_argument(
        "--port", type=int, metavar="N", default=0, help="port of the page (default: a free one)"
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the page's address")
    parser.set_defaults(work=work)
    return parser


def work(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C; return the exit code, 0.

    Parameters
    ----------
    options : argparse.Namespace
        ``file``, ``port`` and ``no_browser``.

    Raises
    ------
    TraceError
        The file is not readable as a trace.
    UsageError
        The port cannot be had.
    """
    from profiling_series.trace import read

    offered = _offered(Path(options.file), read(options.file))
    try:
        with server_of(offered, options.port) as server:
            address = f"http://{HOST}:{server.server_port}{offered.root}"
            print(f"{visible(options.file)} waits at {address}", flush=True)
            print("Its button opens the trace in Perfetto. Ctrl-C ends this.", flush=True)
            if not options.no_browser and not webbrowser.open(address):
                print("No browser could be started here: open that address in one.", flush=True)
            server.serve_forever()
    except KeyboardInterrupt:
        print()
    return OK


@dataclass(frozen=True)
class Offered:
    """What is served: the page, and the trace beside it, below a path that nobody can guess."""

    file: Path
    root: str
    trace_path: str
    page: bytes
    policy: str

    @property
    def trace_type(self) -> str:
        """Return the media type of the trace's bytes as they lie on disk."""
        with self.file.open("rb") as file:
            return "application/gzip" if file.read(2) == b"\x1f\x8b" else "application/json"


def _offered(file: Path, trace: Trace) -> Offered:
    from profiling_series.report import perfetto

    root, nonce = f"/{secrets.token_urlsafe(16)}/", secrets.token_urlsafe(16)
    kinds = f"{len(trace):,} events, {len(trace.gpu_rows):,} of them on a GPU, {len(trace.steps):,} steps"
    # Nothing but this page's own script, style and trace; and no address of it leaves with a link.
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    page = perfetto.page(file.name, kinds, nonce).encode("utf-8", "replace")
    return Offered(file, root, root + perfetto.quoted(file.name), page, policy)


def server_of(offered: Offered, port: int) -> ThreadingHTTPServer:
    """Return a server of the page and the trace, and of nothing else, on loopback.

    Parameters
    ----------
    offered : Offered
        What it serves.
    port : int
        Its port; 0 takes a free one.

    Raises
    ------
    UsageError
        The port cannot be had.
    """

    class Handler(_Handler):
        served = offered

    try:
        return ThreadingHTTPServer((HOST, port), Handler)
    except OverflowError:
        raise UsageError(f"--port must be from 0 to 65535, not {port}") from None
    except OSError as error:
        raise UsageError(
            f"port {port} cannot be had ({error.strerror}); leave --port out for a free one"
        ) from None


class _Handler(BaseHTTPRequestHandler):
    """Answers for two paths."""

    served: Offered

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def _answer(self, body: bool) -> None:
        offered = self.served
        # A name that some other site had resolve to this machine is none of ours (DNS rebinding).
        if (self.headers.get("Host") or "").rsplit(":", 1)[0] not in HOST_NAMES:
            self._plain(403, b"this page is for this machine only\n", body)
        elif self.path == offered.root:
            self._begin(200, "text/html; charset=utf-8", len(offered.page))
            if body:
                self.wfile.write(offered.page)
        elif self.path == offered.trace_path:
            self._trace(body)
        else:
            self._plain(404, b"there is nothing here\n", body)

    def _trace(self, body: bool) -> None:
        """Send the trace as it lies on disk; gzipped, it stays so, and Perfetto unpacks it."""
        try:
            with self.served.file.open("rb") as file:
                size = file.seek(0, 2)
                file.seek(0)
                self._begin(200, self.served.trace_type, size)
                if body:
                    shutil.copyfileobj(file, self.wfile, 1 << 20)
        except (BrokenPipeError, ConnectionResetError):
            return  # the browser has turned away
        except OSError:
            self._plain(404, b"the file is gone\n", body)

    def _plain(self, code: int, text: bytes, body: bool) -> None:
        self._begin(code, "text/plain; charset=utf-8", len(text))
        if body:
            self.wfile.write(text)

    def _begin(self, code: int, kind: str, size: int) -> None:
        self.send_response(code)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(size),
            "Content-Security-Policy": self.served.policy,
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal is not a web server's log."""
