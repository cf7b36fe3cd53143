"""Each module of the stage can be reached by its name: no function of the same name hides it."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from profiling_series import report


def test_no_function_hides_its_module():
    for found in pkgutil.walk_packages(report.__path__, "profiling_series.report."):
        importlib.import_module(found.name)
        package, _, name = found.name.rpartition(".")
        assert isinstance(getattr(importlib.import_module(package), name), ModuleType), found.name
