"""Write the trees of docs/architecture.md from the docstrings of the folders and the table of src/core/README.md.

Run by ``make architecture``; tests/test_architecture.py notices if a folder has changed since.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
PACKAGE = ROOT / "src" / "stablebn"
CORE = ROOT / "src" / "core"
START, END = "<!-- tree: start -->", "<!-- tree: end -->"


def page() -> str:
    """Return the page with the trees as they are now."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{tree()}{END}{after}"


def tree() -> str:
    """Return one line per folder: its name and the first sentence of its docstring."""
    return "```text\n" + "\n".join([*_package(), *_core()]) + "\n```\n"


def _package() -> Iterator[str]:
    yield "src/stablebn/"
    folders = sorted(path.parent for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE)
    names = {folder: "  " * len(folder.relative_to(PACKAGE).parts) + folder.name + "/" for folder in folders}
    width = max(map(len, names.values())) + 2
    for folder, name in names.items():
        yield f"{name:<{width}}{_summary(folder)}"
    yield from (f"  {path.name}" for path in sorted(PACKAGE.glob("*.py")) if path.name != "__init__.py")


def _summary(folder: Path) -> str:
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def _core() -> Iterator[str]:
    yield "src/core/"
    described = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", (CORE / "README.md").read_text(encoding="utf-8"), re.M))
    width = max(map(len, described)) + 5
    for folder in sorted(path for path in CORE.iterdir() if path.is_dir()):
        yield f"  {folder.name + '/':<{width - 2}}{described.get(folder.name, '')}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)}\n")
