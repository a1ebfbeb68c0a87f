"""The examples of docs/networks.md and docs/graphs.md give what the pages show."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.parametrize("page", ["networks.md", "graphs.md"])
def test_examples_give_what_they_show(page: str) -> None:
    failed, tried = doctest.testfile(
        str(DOCS / page), module_relative=False, encoding="utf-8", optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert (failed, tried > 8) == (0, True)
