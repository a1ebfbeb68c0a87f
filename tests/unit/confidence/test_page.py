"""The examples of docs/bootstrap.md are run, and give what they show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "bootstrap.md"


def test_examples_run_and_say_what_they_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.M | re.S)
    assert len(blocks) == 5
    scope: dict[str, object] = {}
    for block in blocks:
        exec(block, scope)
        for expression, said in re.findall(r"^(\S.*?)\s+# (Two .*|\d\.\d+)", block, flags=re.M):
            assert str(eval(expression, scope)).startswith(said)
