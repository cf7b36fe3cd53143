"""The public names are described in full: parameters, types, what comes back."""

from __future__ import annotations

import pytest
from numpydoc.validate import validate

import profiling_series

ASKED = {"GL08", "PR01", "PR02", "PR03", "PR07", "RT01", "RT03", "SS01", "SS03"}
# `read` makes a Trace and errors are raised by the package: nobody calls those with arguments.
MADE_BY_US = ("Trace", *(name for name in profiling_series.__all__ if name.endswith(("Error", "Missing"))))
PUBLIC = [
    name
    for name in profiling_series.__all__
    if callable(getattr(profiling_series, name)) and name not in MADE_BY_US
]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_docstring_is_complete(name):
    thing = getattr(profiling_series, name)
    found = validate(f"{thing.__module__}.{thing.__qualname__}")["errors"]
    assert [(code, text) for code, text in found if code in ASKED] == []
