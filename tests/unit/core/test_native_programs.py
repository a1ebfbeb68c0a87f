"""The programs without Python still compile: they are built by hand, and would break unseen."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCES = sorted([*(ROOT / "tests" / "native").glob("*.cpp"), *(ROOT / "bench" / "native").glob("*.cpp")])


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_compiles_without_a_warning(source: Path) -> None:
    compiler = next(filter(None, map(shutil.which, ("g++", "clang++"))), None)
    if compiler is None:
        pytest.skip("no g++ or clang++ here: the core was compiled by ziglang")
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'src' / 'core'}"]
    run = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
