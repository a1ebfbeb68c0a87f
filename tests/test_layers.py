"""Imports go one way: the contract of pyproject.toml, which is the tree of the design."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "pyproject.toml"


def _lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Hold the package in a folder against the contract, in a process of its own: the linter sets up logging anew."""
    # Of the package there is only the copy: an editable installation would be found before it.
    program = (
        "import sys; sys.meta_path = [f for f in sys.meta_path if 'Redirecting' not in type(f).__name__]; "
        f"from importlinter.cli import lint_imports; exit(lint_imports({str(PROJECT)!r}, no_cache=True))"
    )
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_room_imports_only_from_rooms_below_it() -> None:
    done = _lint(ROOT / "src")
    assert done.returncode == 0, done.stdout


def test_no_import_goes_up() -> None:
    (contract,) = tomllib.loads(PROJECT.read_text())["tool"]["importlinter"]["contracts"]
    assert "ignore_imports" not in contract


@pytest.mark.parametrize(
    ("room", "line", "words"),
    [
        ("errors.py", "from stablebn.graph import DAG", "stablebn.errors is not allowed to import stablebn.graph"),
        ("scores/__init__.py", "def f():\n    import stablebn.search", "stablebn.scores is not allowed to import"),
        ("attic.py", "", "attic"),
    ],
    ids=["an import", "an import inside a function", "a room without a place"],
)
def test_what_the_contract_forbids_is_noticed(room: str, line: str, words: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src" / "stablebn", tmp_path / "stablebn", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "stablebn" / room).open("a") as file:
        file.write(f"\n{line}\n")
    done = _lint(tmp_path)
    assert done.returncode == 1
    assert words in done.stdout
