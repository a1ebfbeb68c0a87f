"""The compiled core beside what was there before it: size installed, from clone to demo, lines, arguments, edits.

Usage: python bench/core.py [--before FOLDER] [--no-install] [--no-demo]

FOLDER is a clone or worktree of the project at an earlier commit. Writes docs/core-table.md. Without --no-install it
installs both with all they need into temporary folders, without --no-demo it clones both and runs `make demo`: then it
compiles, and takes some minutes.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from machine import machine
from processes import run

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "core-table.md"
LIMIT = 1800
"""Seconds for an installation or a demo."""
LARGEST = 6
"""Packages that are named."""
MB = 1e6

EDITS = {
    "kernels": "11 edits in 5 files",
    "core": "1 entry in 1 file, and its behaviour: `tests/unit/test_options.py` adds one and finds it at every door",
}
"""What a new option of the search takes, counted by hand: for the old tree when the port began (issue 13)."""


@dataclass(frozen=True)
class Code:
    """What was compiled: which files, and how to find the parameters of their functions."""

    kind: str
    folder: Path
    files: Sequence[Path]
    functions: Callable[[str], Iterator[tuple[str, int]]]

    @property
    def parameters(self) -> list[tuple[int, str]]:
        """Number of parameters and name of every function, the longest lists first."""
        found = {(count, name) for path in self.files for name, count in self.functions(path.read_text())}
        return sorted(found, key=lambda one: (-one[0], one[1]))


def code_of(folder: Path) -> Code:
    """The compiled part of a tree: the core, or the kernels of Numba."""
    core, kernels = folder / "src" / "core", folder / "src" / "stablebn" / "kernels"
    if core.exists():
        return Code("core", core, sorted([*core.rglob("*.hpp"), *core.rglob("*.cpp")]), parameters_in_cpp)
    return Code("kernels", kernels, sorted(kernels.rglob("*.py")), parameters_in_python)


def lines_of(path: Path) -> int:
    """All lines of a file, with comments and empty ones."""
    return len(path.read_text().splitlines())


def parameters_in_python(source: str) -> Iterator[tuple[str, int]]:
    """Name and number of parameters of each function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            own = node.args
            yield node.name, len(own.posonlyargs) + len(own.args) + len(own.kwonlyargs)


def parameters_in_cpp(source: str) -> Iterator[tuple[str, int]]:
    """Name and number of parameters of each function: roughly, by the look of "type name" between brackets."""
    source = re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.S)
    source = re.sub(r'"(?:\\.|[^"\\])*"', '""', source)
    for opening in re.finditer(r"(\w+)\s*\(", source):
        parts = _split(source, opening.end())
        if parts and all(_is_parameter(part) for part in parts):
            yield opening[1], len(parts)


def _split(source: str, start: int) -> list[str]:
    """What stands between the commas up to the closing bracket."""
    depth, parts = 0, [""]
    for letter in source[start:]:
        if letter in "([{<":
            depth += 1
        elif letter in ")]}>":
            if letter == ")" and not depth:
                return [part.strip() for part in parts]
            depth -= 1
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return []


def _is_parameter(part: str) -> bool:
    words = part.split("=")[0].strip()
    return re.fullmatch(r"[\w:]+(\s*<.*>)?[\w:\s&*]*[\s&*>]\w+", words, flags=re.S) is not None and not re.match(
        r"(return|throw|new|delete|else|sizeof)\b", words
    )


def installed(folder: Path) -> Counter[str]:
    """Bytes of each package after a plain `pip install`, with all that it depends on."""
    with tempfile.TemporaryDirectory() as target:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", target, str(folder)]
        if run(command, limit=LIMIT) is None:
            raise RuntimeError("the installation failed; the log says why.")
        sizes: Counter[str] = Counter()
        for path in Path(target).rglob("*"):
            if path.is_file():
                # numpy.libs and numpy-2.0.dist-info belong to numpy.
                name = re.split(r"\.libs$|-[\d.]+(?:\.post\d+)?\.dist-info$", path.relative_to(target).parts[0])[0]
                sizes[name.lower()] += path.stat().st_size
    return sizes


def demo(folder: Path) -> tuple[float, float]:
    """Seconds of `make demo` in a fresh clone, by the clock and of the processors."""
    with tempfile.TemporaryDirectory() as temporary:
        clone = Path(temporary) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(folder), str(clone)], check=True)
        done = run(["make", "demo"], limit=LIMIT, folder=clone)
        if done is None:
            raise RuntimeError("make demo failed; the log says why.")
    return done.seconds, done.cpu


def commit(folder: Path) -> str:
    """The commit that a tree is at."""
    asked = ["git", "-C", str(folder), "log", "-1", "--format=%h"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def rows_of(folder: Path, options: argparse.Namespace) -> dict[str, str]:
    """What the table says of one tree."""
    code = code_of(folder)
    parameters = code.parameters
    most, name = parameters[0]
    more = sum(count > 8 for count, _ in parameters)
    lines = sum(map(lines_of, code.files))
    bindings = sum(lines_of(path) for path in code.files if path.parent.name == "bindings")
    python = [path for path in sorted((folder / "src").rglob("*.py")) if path not in set(code.files)]
    rows = {
        "compiled code": f"`{code.folder.relative_to(folder)}`: {len(code.files)} files, {lines:,} lines"
        + (f", {bindings:,} of them bindings" if bindings else ""),
        "longest file of it": f"{max(map(lines_of, code.files)):,} lines",
        "Python besides": f"{len(python)} files, {sum(map(lines_of, python)):,} lines",
        "longest list of parameters": f"{most} (`{name}`)",
        "functions with more than 8": f"{more}",
        "a new option of the search": EDITS[code.kind],
    }
    if options.install:
        sizes = installed(folder)
        named = ", ".join(f"{package} {size / MB:,.1f}" for package, size in sizes.most_common(LARGEST))
        own = f"stablebn itself {sizes['stablebn'] / MB:,.2f}"
        rows["`pip install .`, MB"] = f"{sizes.total() / MB:,.0f} ({named}; {own})"
    if options.demo:
        clock, cpu = demo(folder)
        rows["`make demo` in a fresh clone"] = f"{clock:.0f} s ({cpu:.0f} s of the processors)"
    return rows


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--before", type=Path, help="a tree of an earlier commit")
    parser.add_argument("--no-install", dest="install", action="store_false", help="leave out the installed size")
    parser.add_argument("--no-demo", dest="demo", action="store_false", help="leave out make demo")
    parser.add_argument("--out", type=Path, default=TABLE)
    options = parser.parse_args()
    trees = {"before": options.before.resolve(), "now": ROOT} if options.before else {"now": ROOT}
    columns = {when: rows_of(folder, options) for when, folder in trees.items()}
    lines = [
        "# The compiled core: size and shape",
        "",
        f"Made by `bench/core.py`, {date.today()}, {machine()}, Python {sys.version.split()[0]}; "
        + ", ".join(f"{when}: commit {commit(folder)}" for when, folder in trees.items())
        + ".",
        "Lines are all lines, with comments. Parameters of C++ are found by their look. Sizes have the bytecode that",
        "pip writes. What pip fetches came from a mirror nearby; a compiler was on the machine. How fast the core is:",
        "[performance-table.md](performance-table.md).",
        "",
        f"| | {' | '.join(columns)} |",
        "|---" * (1 + len(columns)) + "|",
        *(f"| {row} | {' | '.join(column[row] for column in columns.values())} |" for row in columns["now"]),
    ]
    options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
