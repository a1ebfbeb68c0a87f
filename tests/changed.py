"""Print the tests to run after a change: those of the folders that differ from the last commit, and a few fast ones."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALWAYS = (
    "tests/test_layers.py",
    "tests/unit/test_import.py",
    "tests/unit/test_options.py",
    "tests/golden/test_graphs.py",
)


def changed_files() -> list[str]:
    """Return the files that differ from the last commit, those that git does not know yet among them."""
    commands = (["git", "diff", "--name-only", "HEAD"], ["git", "ls-files", "--others", "--exclude-standard"])
    return [
        line
        for command in commands
        for line in subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    ]


def tests_of(files: Iterable[str]) -> list[str]:
    """Return test files and folders: a changed test itself, and `tests/unit/X` for a file of `src/stablebn/X`."""
    found = set(ALWAYS)
    for file in map(Path, files):
        if file.parts[:1] == ("tests",) and file.name.startswith("test_"):
            found.add(str(file))
        elif file.parts[:2] == ("src", "core"):
            found.add("tests/unit/core")
        elif file.parts[:2] == ("src", "stablebn"):
            found.add(str(Path("tests", "unit", *file.parts[2:3])))
        elif file.suffix == ".md":
            found.add("tests/test_site.py")
    return sorted(name for name in found if (ROOT / name).exists())


if __name__ == "__main__":
    sys.stdout.write(" ".join(tests_of(changed_files())) + "\n")
