"""The page on knowledge is run, and gives what it shows."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "knowledge.md"


def test_what_the_page_shows_is_what_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Else the end of a block would be part of what is shown.
    text = re.sub(r"^```.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.M)
    page = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, None, 0)
    failed, tried = doctest.DocTestRunner().run(page)
    assert (failed, tried > 15) == (0, True)
