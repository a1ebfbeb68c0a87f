"""Type checkers and editors see the public functions with their options, in a stub made from the table of options."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.stubs import FILE, stub

SCRIPT = """import stablebn as sb

result = sb.learn("data.csv", "tabu", missing="drop", max_parents=3)
score: float = sb.score(result, "data.csv", unit_free=False).total
sb.bootstrap("data.csv", replicates=10, max_parents=3)
"""


def test_the_stub_is_made_from_the_table_of_options() -> None:
    assert FILE.read_text(encoding="utf-8") == stub(), "run: python -m tests.stubs"


def _checked(text: str, folder: Path) -> str:
    script = folder / "script.py"
    script.write_text(text)
    source = Path(__file__).parents[2] / "src"
    # A configuration of its own: that of the project checks the whole package.
    (folder / "mypy.ini").write_text(
        f"[mypy]\nmypy_path = {source}\nfollow_imports = silent\n[mypy-pyarrow.*]\nignore_missing_imports = True\n"
    )
    command = [sys.executable, "-m", "mypy", "--config-file", str(folder / "mypy.ini"), str(script)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder).stdout


@pytest.mark.slow
def test_mypy_accepts_a_script_that_runs(tmp_path: Path) -> None:
    assert _checked(SCRIPT, tmp_path).startswith("Success")


@pytest.mark.slow
@pytest.mark.parametrize("call", ['sb.learn("data.csv", algoritm="x")', 'sb.learn("data.csv", max_parents="3")'])
def test_mypy_finds_a_wrong_option(call: str, tmp_path: Path) -> None:
    assert "script.py:6: error" in _checked(f"{SCRIPT}{call}\n", tmp_path)
