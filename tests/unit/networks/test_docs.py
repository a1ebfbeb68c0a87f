"""The examples of docs/networks.md give what the page shows."""

from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "networks.md"


def test_examples_give_what_they_show() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert (failed, tried > 8) == (0, True)
