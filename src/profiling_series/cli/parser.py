"""The arguments of every command, and the help that teaches their words."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from profiling_series._version import __version__
from profiling_series.cli import explain, kernel, list_, open_, read, run
from profiling_series.format import one_line
from profiling_series.profiler import SOURCES
from profiling_series.results.asked import COMPILE_MODES
from profiling_series.workloads import WORKLOADS, Workload, parameters

_MAIN = """\
Measure a workload under torch.profiler and read the result, or read any trace that torch.profiler wrote.

  profiling-series run matmul-add --size 64      measure two kernels, keep the trace, say what it shows
  profiling-series read trace.json.gz            say what a trace of your own shows
  profiling-series open trace.json.gz            show it in Perfetto, in your browser
  profiling-series explain ID                    say what a finding means, and what to do
  profiling-series kernel NAME                   say what a kernel's name tells
  profiling-series list                          what can be run, and what is shipped as a recording
"""

_RUN = """\
Run one workload in a fresh process under torch.profiler. Three files are written under --out: the trace
(.json.gz, for ui.perfetto.dev and for `profiling-series read`), torch's own table (.txt) and where both come
from (.provenance.json). Then the trace is read to you.
"""

_RUN_WORDS = """\
words:
  step        one call of the workload; a trace shows it as ProfilerStep#N
  cold, warm  cold: the first step is the process's first call, and compiled code starts from an empty cache;
              warm (--warmup): three calls come before the profiler
  schedule    steps to skip (--wait), to let the profiler start up in (--warmup-steps), and to record
              (--active); three recorded steps show what happens, twenty measure it
  eager       torch runs op by op; --compile puts torch.compile in front

The times in a trace include the profiler's own cost. To claim a speed, time the loop without it.

examples:
  profiling-series run matmul-add                                64×64, bf16, cold, eager
  profiling-series run matmul-add --size 4096 --warmup           large enough to keep a GPU busy
  profiling-series run matmul-add --warmup --compile --active 20
  profiling-series run matmul-add --device recorded              the recording of a GPU, none needed here
"""

_READ = """\
Say what a trace shows: its steps, what the GPU did in them, how long it waited and why. It reads the files
of torch.profiler, .json or .json.gz, of any machine; nothing is run, and torch is not needed.
"""

_READ_WORDS = """\
exit codes:
  0  every file was read, whatever it shows
  2  wrong use
  3  a file is not readable as a trace; the others are read all the same, and standard error says why

examples:
  profiling-series read traces/01_matmul_add/64_bf16_cold_eager.json.gz
  profiling-series read *.json.gz --json | jq .verdict.regime
"""

_LIST = "Print the workloads that can be run, with their parameters, and the recordings in the package."


class _Parser(argparse.ArgumentParser):
    """A parser, and so its commands' parsers, whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2 after one line on standard error."""
        self.exit(2, f"{self.prog}: {one_line(message)} (`{self.prog} --help` tells more)\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line; each command's function is its default for ``work``."""
    parser = _Parser(
        prog="profiling-series", description=_MAIN, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_run(commands)
    _add_read(commands)
    open_.add_parser(commands)
    explain.add_parser(commands)
    kernel.add_parser(commands)
    _add_list(commands)
    return parser


def _add_run(commands: Any) -> None:
    parser = _command(commands, "run", "measure a workload and read its trace", _RUN, _RUN_WORDS)
    names = parser.add_subparsers(title="workloads", metavar="WORKLOAD", required=True)
    for name, workload in WORKLOADS.items():
        summary = (workload.__doc__ or name).splitlines()[0]
        one = _command(names, name, summary.replace("``", "").replace("%", "%%"), _RUN, _RUN_WORDS)
        _add_parameters(one.add_argument_group("the workload"), workload)
        _add_measuring(one.add_argument_group("how it is measured"))
        one.set_defaults(work=run.work, workload=workload)


def _add_parameters(group: Any, workload: type[Workload]) -> None:
    """Add one option for each parameter of the workload."""
    for one in parameters(workload):
        default = "" if one.default is None else " (default: %(default)s)"
        group.add_argument(
            f"--{one.name.replace('_', '-')}",
            default=one.default,
            dest=f"param_{one.name}",
            help=one.help + default,
            metavar=None if one.choices else "N",
            type=one.parse,
            choices=one.choices,
        )


def _add_measuring(group: Any) -> None:
    group.add_argument(
        "--warmup", action="store_true", help="three calls before the profiler (default: cold)"
    )
    group.add_argument(
        "--compile",
        nargs="?",
        const="default",
        choices=COMPILE_MODES,
        metavar="MODE",
        help=f"through torch.compile, in one of its modes: {', '.join(COMPILE_MODES)} (default: eager)",
    )
    group.add_argument(
        "--device",
        "--source",
        dest="source",
        default="auto",
        choices=SOURCES,
        help="auto: CUDA if there is one, else this CPU; recorded: the shipped recording of these very "
        "parameters; replay: CUDA if there is one, else the recording; record: the recording, made on "
        "this GPU and stored in the package where there is none of today's code (default: auto)",
    )
    group.add_argument("--wait", type=int, metavar="N", default=1, help="steps to skip (default: 1)")
    group.add_argument(
        "--warmup-steps",
        type=int,
        metavar="N",
        default=1,
        help="steps for the profiler to start up in (default: 1)",
    )
    group.add_argument("--active", type=int, metavar="N", default=3, help="steps to record (default: 3)")
    group.add_argument(
        "--seed", type=int, metavar="N", default=0, help="seed of the random data (default: 0)"
    )
    group.add_argument(
        "--out", metavar="DIR", default="traces", help="folder for the files (default: traces)"
    )


def _positive(text: str) -> int:
    """Return the number that `text` is, if it is one and above 0."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _add_read(commands: Any) -> None:
    parser = _command(commands, "read", "say what traces show", _READ, _READ_WORDS)
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a trace of torch.profiler, .json or .json.gz, or a folder of them",
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument(
        "--json", action="store_true", help="one JSON object a line for each file, for programs"
    )
    shape.add_argument(
        "--full", action="store_true", help="all that one file gets, for each of several (default: a line)"
    )
    parser.add_argument(
        "--max-bytes",
        type=_positive,
        metavar="N",
        help="refuse files that unpack to more bytes than this (default: 16 GB)",
    )
    parser.set_defaults(work=read.work)


def _add_list(commands: Any) -> None:
    parser = _command(commands, "list", "what can be run, and what is recorded", _LIST, None)
    parser.set_defaults(work=list_.work)


def _command(
    commands: Any, name: str, help: str, description: str, epilog: str | None
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser
