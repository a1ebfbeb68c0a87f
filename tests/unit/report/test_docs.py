"""Test the examples of docs/report.md."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from stablebn.cli.main import app

PAGE = Path(__file__).resolve().parents[3] / "docs" / "report.md"


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = re.sub(r"^```.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.M)
    page = doctest.DocTestParser().get_doctest(text, {}, "report.md", None, 0)
    failed, tried = doctest.DocTestRunner().run(page)
    assert (failed, tried) == (0, 7)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.html", "report.html"]


def test_the_options_that_the_page_names_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    named = set(re.findall(r"--[a-z]+", PAGE.read_text(encoding="utf-8")))
    with pytest.raises(SystemExit):
        app(["report", "--help"])
    help_ = capsys.readouterr().out
    assert named >= {"--out", "--truth", "--stability", "--bootstrap", "--force"}
    assert [option for option in sorted(named) if option not in help_] == []
