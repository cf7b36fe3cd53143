from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiling_series import format as fmt

VECTORIZED = (
    "void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)"
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00 µs"),
        (0.864, "0.86 µs"),
        (9.99, "9.99 µs"),
        (9.996, "10.0 µs"),
        (92.04, "92.0 µs"),
        (999.94, "999.9 µs"),
        (999.96, "1,000 µs"),
        (1748000.0, "1,748,000 µs"),
        (-1.2, "-1.20 µs"),
        (None, "unknown"),
    ],
)
def test_times_have_the_digits_that_matter(value, text):
    assert fmt.us(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.9, "90 %"),
        (0.985, "98.5 %"),
        (0.0311, "3.1 %"),
        (0.0029, "0.29 %"),
        (1.0, "100 %"),
        (0.0, "0 %"),
        (None, "unknown"),
    ],
)
def test_shares(value, text):
    assert fmt.share(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 B"), (1023, "1023 B"), (33_554_432, "32 MiB"), (164_308, "160.5 KiB"), (None, "unknown")],
)
def test_sizes(value, text):
    assert fmt.size(value) == text


@given(st.text())
def test_nothing_invisible_is_left(text):
    # Spaces of every width do no harm.
    assert all(char.isprintable() or unicodedata.category(char) == "Zs" for char in fmt.visible(text))


def test_visible_text_spells_out_what_steers_a_terminal_or_reorders_a_page():
    assert fmt.visible("a\x1b[31m\u202eb\n\U000e0041") == r"a\x1b[31m\u202eb\n\U000e0041"
    assert fmt.visible("ядро 核 µs →") == "ядро 核 µs →"


def test_one_line_keeps_the_words_and_spells_out_the_rest():
    assert fmt.one_line("first\nsecond\r\n\x1b[0m") == r"first second \x1b[0m"


def test_a_name_in_a_sentence_is_short_whatever_its_length():
    assert len(fmt.short("x" * 1_000_000)) == 70
    assert fmt.short(VECTORIZED).startswith(
        "void at::native::vectorized_elementwise_kernel<8, at::native::CUDA"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1 kernel"), (0.98, "1 kernel"), (2.5, "2.5 kernels"), (1200.0, "1,200 kernels")],
)
def test_rates(value, text):
    assert fmt.rate(value, "kernel") == text


@pytest.mark.parametrize(
    ("value", "text"), [(2.34, "2.3 times"), (9.96, "10 times"), (1234.0, "1,234 times")]
)
def test_factors(value, text):
    assert fmt.times(value) == text


def test_a_long_name_is_cut_and_its_length_told():
    shown = fmt.shown("x" * 1_000_000)
    assert len(shown) < 200
    assert shown.endswith("… (1,000,000 characters)")


@given(st.text(), st.integers(min_value=1, max_value=60))
def test_elided_text_fits(text, width):
    assert len(fmt.elide(text, width)) <= width


def test_names_lose_their_middle_and_templates_their_end():
    assert fmt.elide("nvjet_sm90_tst_64x8_64x16_1x4_h_bz_NNT", 20) == "nvjet_sm90_ts…bz_NNT"
    assert fmt.elide("kernel<1, 2, 3>", 9) == "kernel<1…"


def test_kernel_names_for_people():
    assert (
        fmt.readable(VECTORIZED)
        == "vectorized_elementwise_kernel<8, CUDAFunctor_add<BFloat16>, array<char*, 3ul> >"
    )
    assert fmt.short_name(VECTORIZED) == "vectorized_elementwise_kernel"
    assert fmt.short_name("(anonymous namespace)::softmax<float>(int)") == "softmax"
    assert fmt.short_name("Memcpy HtoD (Pageable -> Device)") == "Memcpy HtoD"
    assert fmt.short_name("") == ""


@given(st.text())
def test_prose_is_safe_in_content_and_attributes(text):
    assert not set("<>\"'") & set(fmt.prose(text))


def test_prose_binds_a_figure_to_its_unit():
    assert fmt.prose("72.3 µs of 10 MiB, 3 %") == "72.3\u202fµs of 10\u202fMiB, 3\u202f%"
    assert fmt.prose("2 Bars") == "2 Bars"
