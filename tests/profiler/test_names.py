from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiling_series.errors import UsageError
from profiling_series.profiler import names

any_text = st.text(st.characters(exclude_categories=()), min_size=1)


@given(any_text)
def test_safe_names_are_printable_ascii_that_json_need_not_escape(name):
    safe = names.safe(name)
    assert safe.isascii()
    assert safe.isprintable()
    assert not set(safe) & set('"\\')


@given(any_text, any_text)
def test_different_names_have_different_safe_names(one, other):
    assert (names.safe(one) == names.safe(other)) == (one == other)


@pytest.mark.parametrize("name", ["matmul_add", "100% load", "it's <b>", "a & b {c}"])
def test_plain_names_are_their_own_safe_names(name):
    assert names.safe(name) == name


def test_what_torch_cannot_write_is_percent_encoded():
    assert names.safe('a"b\\c\x1bé') == "a%22b%5Cc%1B%C3%A9"
    assert names.safe("%41") == "%2541"


@given(any_text)
def test_file_names_hold_no_separator_and_fit_a_file_system(name):
    stem = names.file_stem(name)
    assert stem
    assert not set(stem) & set('/\\:"\0*?')
    assert not stem.startswith(".")
    assert len(stem.encode()) <= 130


@given(any_text, any_text)
def test_different_names_have_different_files(one, other):
    assert (names.file_stem(one) == names.file_stem(other)) == (one == other)


@pytest.mark.parametrize("name", ["", "  ", None, 3, "ProfilerStep#1"])
def test_names_that_a_recording_cannot_bear_are_refused(name):
    with pytest.raises(UsageError):
        names.check(name)
