"""The page on the architecture shows the tree as it is, and folders stay small and described."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "stablebn"
CORE = ROOT / "src" / "core"
MOST_FILES = 16


def test_the_page_shows_the_tree_of_now() -> None:
    program = (
        "import sys; sys.path.insert(0, 'build_backend'); import architecture; sys.stdout.write(architecture.page())"
    )
    now = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert page == now, "a folder has changed: run `make architecture`, and commit docs/architecture.md"


def test_every_folder_has_a_docstring() -> None:
    folders = [path for path in PACKAGE.rglob("__init__.py") if not ast.get_docstring(ast.parse(path.read_text()))]
    assert folders == []


def test_every_folder_of_the_core_is_described() -> None:
    text = (CORE / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in CORE.iterdir() if path.is_dir() and f"| `{path.name}` |" not in text] == []


def test_no_folder_has_many_files() -> None:
    modules = Counter(path.parent for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")
    assert {folder.name: count for folder, count in modules.items() if count > MOST_FILES} == {}
    sources = Counter(path.parent for path in CORE.rglob("*.?pp"))
    assert {folder.name: count for folder, count in sources.items() if count > MOST_FILES} == {}


def test_a_type_name_is_defined_once() -> None:
    homes: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name.lstrip("_"), set()).add(str(path.relative_to(PACKAGE)))
    assert {name: sorted(places) for name, places in homes.items() if len(places) > 1} == {}
