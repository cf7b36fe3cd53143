from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def cold(tmp_path_factory):
    """A cold capture of 64×64 on this CPU, stored; one process for all the tests that look at it."""
    from profiling_series import MatmulAdd, capture

    said = []
    out = tmp_path_factory.mktemp("cold")
    captured = capture(MatmulAdd(64), warm=False, source="cpu", out=out, progress=said.append)
    return captured, out, said
