"""``profiling-series kernel``: what it prints."""

from __future__ import annotations

import argparse
import json

import pytest

from profiling_series.cli.kernel import add_parser


def run(capsys, *argv: str) -> str:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers(required=True))
    options = parser.parse_args(["kernel", *argv])
    assert options.work(options) == 0
    return capsys.readouterr().out


def test_it_says_what_the_name_tells_and_what_not(capsys):
    said = run(capsys, "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn")
    for line in (
        "  family        cuBLAS GEMM\n",
        "  types         bf16, fp32\n",
        "  tile          128x256\n",
        "  stages        3\n",
        "  layout        nn\n",
        "  Tensor Cores  yes",
        "  not known     epilogue\n",
    ):
        assert line in said
    assert "ldg8" in said
    assert "https://docs.nvidia.com/cuda/parallel-thread-execution/" in said


def test_several_names_are_set_apart(capsys):
    said = run(capsys, "volta_sgemm_64x64_nt", "my_kernel")
    assert said.count("  family ") == 2
    assert "\n\nmy_kernel\n" in said


def test_a_mangled_name_is_shown_demangled(capsys):
    assert "  demangled     at::native::foo\n" in run(capsys, "_ZN2at6native3fooIprobeE")


@pytest.mark.parametrize("name", ["\x1b[31mred\x07", "a\nfamily  cuBLAS", "void f<\x9b1m>(int)", "\u202eabc"])
def test_nothing_raw_reaches_a_terminal(capsys, name):
    for line in run(capsys, name).split("\n"):
        assert line.isprintable(), repr(line)


def test_a_long_name_is_cut_with_its_length(capsys):
    said = run(capsys, "k" * 1_000_000)
    assert len(said) < 3000
    assert "characters)" in said


def test_json_is_one_object_a_line(capsys):
    lines = run(capsys, "--json", "nvjet_sm90_tst_64x8_64x16_1x4_h_bz_NNT", "\x1b", "\ud800").splitlines()
    first, second, _ = [json.loads(line) for line in lines]
    assert first["family"] == "cuBLAS GEMM (nvjet)"
    assert first["tensor_cores"] is None
    assert {part["source"] for part in first["parts"]} - {None} == set(first["sources"])
    assert second["known"] is False
    assert "\x1b" not in "".join(lines)


def test_an_empty_name_has_an_answer(capsys):
    assert "no name" in run(capsys, "")
