"""Mangled C++ symbols: read in full, or at their head, and never failed on."""

from __future__ import annotations

import builtins

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiling_series.trace.kernel_names import decode
from profiling_series.trace.kernel_names.demangling import demangle, is_mangled

FILL = "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_"


def test_a_symbol_is_read_in_full():
    assert demangle(FILL) == (
        "void at::native::vectorized_elementwise_kernel"
        "<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >"
        "(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)"
    )
    assert decode(FILL).operation == "fill"


def test_the_type_bf16_of_the_newer_abi_is_read():
    assert "bfloat16" in demangle("_ZN7ck_tile6kentryILi1EDF16bEEvv")


@pytest.mark.parametrize(
    ("symbol", "shown"),
    [
        ("_ZN2at6native27unrolled_elementwise_kernelIprobeEEviT_", "at::native::unrolled_elementwise_kernel"),
        (
            "_ZN2at6native12_GLOBAL__N_19soft",
            "at::native::(anonymous namespace)",
        ),  # cut in the last identifier
        (
            "_ZN2at6native18elementwise_kernelILi128E",
            "at::native::elementwise_kernel",
        ),  # cut in the arguments
        ("_ZTSN2at6native3xpu11FillFunctorIfEE", "at::native::xpu::FillFunctor<float>"),  # a SYCL kernel
    ],
)
def test_a_symbol_that_is_cut_or_odd_shows_its_head(symbol, shown):
    assert demangle(symbol) == shown


@pytest.mark.parametrize("name", ["nvjet_x", "_Zebra", "_Z", "_ZN", "_ZN9", "_ZN999999999999at", "", "ZN2at"])
def test_what_is_no_symbol_is_left_alone(name):
    assert demangle(name) == name


def test_without_the_library_the_head_is_shown(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "demangle":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    assert demangle(FILL) == "at::native::vectorized_elementwise_kernel"


@given(st.text(alphabet="_ZNIEKLSt0123456789abviT", max_size=200))
def test_no_symbol_fails(rest):
    for symbol in (rest, f"_ZN{rest}", f"_Z1f{rest}"):
        assert isinstance(demangle(symbol), str)
        assert is_mangled(symbol) in (True, False)
