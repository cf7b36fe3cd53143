"""Every planted fault measured beside its twin, by one command."""

from __future__ import annotations

import pytest

from profiling_series.cli.faults_check import main


def test_the_command_measures_a_pair_keeps_it_and_reads_it_again(tmp_path, capsys):
    pytest.importorskip("torch")
    arguments = [str(tmp_path), "--only", "hidden-copy", "--tiny", "--source", "cpu"]
    # A CPU shows no copy on a GPU: the fault is not named, and the command says so by its exit code.
    assert main(arguments) == 1
    first = capsys.readouterr().out
    assert "faulty_warm_eager" in first
    assert "healthy_warm_eager" in first
    assert "hidden-copy" in first
    assert main(arguments) == 1
    assert "kB" not in capsys.readouterr().out


def test_a_capture_that_fails_does_not_stop_the_rest(tmp_path, capsys):
    pytest.importorskip("torch")
    import torch

    if torch.cuda.is_available():
        pytest.skip("needs a machine without CUDA")
    assert main([str(tmp_path), "--only", "many", "--source", "cuda"]) == 1
    told = capsys.readouterr()
    assert told.err.count("CUDA was asked for") == 2
    assert "not measured" in told.out
