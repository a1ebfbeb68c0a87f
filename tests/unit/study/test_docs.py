"""The examples of docs/studies.md are run, and print what the page shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "studies.md"


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.M | re.S)


def test_examples_run_and_print_what_they_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (definition,) = _blocks("toml")
    Path("mine.toml").write_text(definition)
    for block in _blocks("console"):
        command, *expected = block.splitlines()
        program = [sys.executable, "-c", "from stablebn.cli import main; main()", *command.split()[2:]]
        done = subprocess.run(program, capture_output=True, text=True, check=True)
        # Times are printed too, and never the same.
        assert set(expected) <= set(done.stdout.splitlines())
    (python,) = _blocks("python")
    scope: dict[str, object] = {}
    exec(python, scope)
    assert scope["best"] in scope["records"]  # type: ignore[operator]
