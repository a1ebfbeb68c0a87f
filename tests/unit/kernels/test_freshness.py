from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import stablebn
from stablebn.kernels.freshness import forget_if_changed

# A kernel that calls one of another file.
PROGRAM = """
import numpy as np
from stablebn.kernels.joint import likelihood
print(likelihood(np.array([1, 1], dtype=np.int64), 2, 1, np.array([[0, 0], [3, 0], [10, 0]], dtype=np.int64))[0])
"""


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    sources, compiled = tmp_path / "sources", tmp_path / "compiled"
    for folder in (sources, compiled):
        folder.mkdir()
    (sources / "a.py").write_text("one = 1\n")
    forget_if_changed(sources, compiled)
    for name in ("a.f-1.py311.nbi", "a.f-1.py311.1.nbc", "other.pyc"):
        (compiled / name).touch()
    return sources, compiled


def _kept(compiled: Path) -> list[str]:
    return sorted(path.suffix for path in compiled.iterdir())


def test_compiled_kernels_are_kept_while_nothing_changes(folders: tuple[Path, Path]) -> None:
    forget_if_changed(*folders)
    assert _kept(folders[1]) == [".nbc", ".nbi", ".pyc", ".stamp"]


@pytest.mark.parametrize("name", ["a.py", "b.py"])
def test_compiled_kernels_are_forgotten_when_a_source_changes(folders: tuple[Path, Path], name: str) -> None:
    (folders[0] / name).write_text("two = 22\n")
    forget_if_changed(*folders)
    assert _kept(folders[1]) == [".pyc", ".stamp"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_folder_that_cannot_be_written_is_left_alone(folders: tuple[Path, Path]) -> None:
    (folders[0] / "a.py").write_text("two = 22\n")
    folders[1].chmod(0o500)
    forget_if_changed(*folders)
    assert ".nbi" in _kept(folders[1])


def test_kernel_follows_a_change_of_a_function_that_it_calls(tmp_path: Path) -> None:
    package = tmp_path / "stablebn"
    shutil.copytree(Path(stablebn.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    environment.pop("NUMBA_CACHE_DIR", None)

    def answer() -> int:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        return int(done.stdout)

    assert answer() == 3 + 3 - 10
    counting = package / "kernels" / "counting.py"
    before = counting.read_text()
    counting.write_text(before.replace("return table[place, 0], ", "return 2 * table[place, 0], "))
    assert counting.read_text() != before
    assert answer() == 2 * (3 + 3 - 10)
