"""The examples in docstrings are run."""

import doctest
import importlib
import pkgutil
from importlib.util import find_spec

import pytest

import stablebn

# It is for machines that have CuPy, and imports it.
ABSENT = set() if find_spec("cupy") else {"stablebn.stats.engines.cuda"}
MODULES = sorted({module.name for module in pkgutil.walk_packages(stablebn.__path__, "stablebn.")} - ABSENT)


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_show(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    examples = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(examples) >= 5
