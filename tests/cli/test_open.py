"""``profiling-series open``: what it serves, to whom, and how it ends."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from profiling_series.cli import main, open_
from profiling_series.recordings import recorded

TRACE = next(iter(recorded())).trace_path


def _heed_ctrl_c():
    """What a shell starts in the background ignores Ctrl-C, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def _opened(file, environment, cwd):
    command = [sys.executable, "-m", "profiling_series", "open", str(file), "--no-browser"]
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_heed_ctrl_c,
    )
    try:
        yield process, urlsplit(process.stdout.readline().split()[-1])
    finally:
        process.kill()
        process.communicate()


def _get(place, path, method="GET", **headers):
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=20)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_it_serves_the_page_and_the_file_as_it_is_and_ends_quietly(cli_environment, tmp_path):
    with _opened(TRACE, cli_environment, tmp_path) as (process, place):
        assert (place.scheme, place.hostname) == ("http", "127.0.0.1")
        answer, page = _get(place, place.path)
        assert answer.status == 200
        assert b"Open in Perfetto" in page
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert "Access-Control-Allow-Origin" not in answer.headers, "the page alone may read the trace"
        answer, trace = _get(place, place.path + Path(TRACE).name)
        assert trace == Path(TRACE).read_bytes()
        assert answer.headers["Content-Type"] == "application/gzip"
        assert "Content-Encoding" not in answer.headers
        answer, nothing = _get(place, place.path + Path(TRACE).name, method="HEAD")
        assert (answer.status, nothing) == (200, b"")
        assert "Ctrl-C" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert (out, err) == ("\n", "")


def test_nothing_else_is_served(cli_environment, tmp_path):
    (tmp_path / "trace.json").write_bytes(Path(TRACE).read_bytes())
    (tmp_path / "secret.json").write_text("{}")
    with _opened("trace.json", cli_environment, tmp_path) as (_, place):
        for path in (
            "/",
            "/trace.json",
            "/x/trace.json",
            f"{place.path}secret.json",
            f"{place.path}../secret.json",
        ):
            assert _get(place, path)[0].status == 404, path
        assert len(place.path.strip("/")) >= 20, "it cannot be guessed"
        other = _get(place, place.path, Host=f"evil.example:{place.port}")
        assert other[0].status == 403
        assert _get(place, place.path, Host="localhost:9001")[0].status == 200, "through ssh -L"
        assert _get(place, place.path, method="POST")[0].status == 501
        (tmp_path / "trace.json").unlink()
        assert _get(place, f"{place.path}trace.json")[0].status == 404


def test_a_name_of_any_characters_is_served_and_shown_as_text(cli_environment, tmp_path):
    name = "a <b> & 'µ' %41.json"
    (tmp_path / name).write_bytes(Path(TRACE).read_bytes())
    with _opened(name, cli_environment, tmp_path) as (_, place):
        page = _get(place, place.path)[1].decode()
        assert "<b>" not in page
        address = page.split('data-trace="')[1].split('"')[0]
        assert _get(place, place.path + address)[1] == Path(TRACE).read_bytes()


@pytest.mark.parametrize(
    ("content", "told"), [(None, "missing.json"), (b"", "missing.json"), (b"{'a': 1}", "missing.json")]
)
def test_what_is_no_trace_ends_with_3_and_one_line(content, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("missing.json").write_bytes(content)
    assert main(["open", "missing.json", "--no-browser"]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert told in captured.err


def test_a_port_that_cannot_be_had_ends_with_2_and_one_line(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["open", str(TRACE), "--no-browser", "--port", str(port)]) == 2
        assert f"port {port} cannot be had" in capsys.readouterr().err
    assert main(["open", str(TRACE), "--no-browser", "--port", "70000"]) == 2
    assert "from 0 to 65535, not 70000" in capsys.readouterr().err


@pytest.mark.parametrize("works", [True, False])
def test_it_opens_the_browser_at_its_own_address(works, monkeypatch, capsys):
    shown = []

    class Ends(open_.ThreadingHTTPServer):
        def serve_forever(self, poll_interval=0.5):
            raise KeyboardInterrupt

    monkeypatch.setattr(open_, "ThreadingHTTPServer", Ends)
    monkeypatch.setattr(open_.webbrowser, "open", lambda address: shown.append(address) or works)
    assert main(["open", str(TRACE)]) == 0
    out = capsys.readouterr().out
    assert [address in out for address in shown] == [True]
    assert ("No browser could be started" in out) is not works
