"""The pages for users, README.md and docs/*.md: their blocks of code, and how these are run.

All blocks of a page are run one after the other, in one folder and with one set of names, and must give what they show:

- `python` with prompts is a doctest. Without prompts, what stands before a comment `# -> value` must have that value,
  and a `print(...)` before it must print it. `...` stands for anything.
- `console` has commands after `$ `, with what they print below. Nothing below: it is not looked at.

A comment of HTML in the line before a block, which no reader sees, says what is special about it:

    <!-- not run: REASON -->        it is not run; tests/test_pages.py counts these
    <!-- needs: PACKAGE -->         it is passed over where the package is not installed
    <!-- exit code: 2 -->           that of its last command
    <!-- file: NAME -->             it is written to a file of that name

And a comment `<!-- run: ... -->` with Python in its lines is run as well: it makes what the page takes for granted, a
file of the reader's for instance, or looks closer at what came.
"""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "README.md", *sorted(DOCS.glob("**/*.md")))}
"""All pages, by their path."""

RUN = ("python", "pycon", "console")
CODE = (*RUN, "sh", "bash", "r")
"""Languages of blocks that are code: run, or said to be not run."""
TEXT = ("text", "toml", "json", "csv", "dot", "bibtex")
"""Those of blocks that nobody runs."""

_BLOCK = re.compile(
    r"(?:^<!-- run:\n(?P<hidden>.*?)^-->$)|"
    r"(?:^<!-- (?P<word>not run|needs|exit code|file): (?P<value>.+?) -->\n)?"
    r"^```(?P<language>\S*)\n(?P<code>.*?)^```$",
    flags=re.M | re.S,
)
_SHOWN = re.compile(r"^( *)(\S.*?) +# -> (\S.*)$", flags=re.M)
_PRINTED = re.compile(r"^print\((.*)\)$")
_COMPARED = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A block of a page."""

    page: str
    line: int
    language: str
    code: str
    word: str | None = None
    value: str = ""

    @property
    def place(self) -> str:
        """Where it is."""
        return f"{self.page}:{self.line}"

    @property
    def missing(self) -> str | None:
        """The package that it needs and that is not installed."""
        return self.value if self.word == "needs" and importlib.util.find_spec(self.value) is None else None


def blocks_of(page: str) -> list[Block]:
    """The blocks of a page, hidden ones included."""
    text = PAGES[page].read_text(encoding="utf-8")
    found = []
    for match in _BLOCK.finditer(text):
        part = "hidden" if match["hidden"] is not None else "code"
        line = text.count("\n", 0, match.start(part)) + 1
        language = "python" if part == "hidden" else match["language"]
        found.append(Block(page, line, language, match[part], match["word"], match["value"] or ""))
    return found


def run(block: Block, names: dict[str, object]) -> None:
    """Run a block in this folder; `AssertionError` where it does not give what it shows."""
    if block.word == "file":
        Path(block.value).write_text(block.code, encoding="utf-8")
    elif block.language == "console":
        _run_commands(block)
    elif ">>> " in block.code:
        _run_doctest(block, names)
    else:
        _run_python(block, names)


def _run_python(block: Block, names: dict[str, object]) -> None:
    def told(value: object, shown: str, *, printed: bool) -> None:
        texts = [str(value)] if printed else [str(value), repr(value)]
        assert any(_agrees(shown, text) for text in texts), f"{block.place}: {shown!r} is shown, {texts[-1]!r} came"

    def asks(match: re.Match[str]) -> str:
        indent, expression, shown = match.groups()
        printed = _PRINTED.match(expression)
        value = f"' '.join(map(str, ({printed[1]},)))" if printed else expression
        return f"{indent}_told(({value}), {shown!r}, printed={bool(printed)})"

    # Lines before it, so that errors name the line of the page.
    source = "\n" * (block.line - 1) + _SHOWN.sub(asks, block.code)
    names["_told"] = told
    exec(compile(source, block.page, "exec", dont_inherit=True), names)


def _run_doctest(block: Block, names: dict[str, object]) -> None:
    examples = doctest.DocTestParser().get_doctest(block.code, names, block.page, block.page, block.line - 1)
    # The parser copies the names.
    examples.globs = names
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=_COMPARED).run(examples, out=said.append, clear_globs=False)
    assert result.failed == 0, "".join(said)


def _run_commands(block: Block) -> None:
    commands = re.split(r"^\$ ", block.code.replace("\\\n", ""), flags=re.M)
    assert commands[0] == "", f"{block.place}: a block of commands begins with '$ '"
    code = int(block.value) if block.word == "exit code" else 0
    for number, text in enumerate(commands[1:], 1):
        command, _, shown = text.partition("\n")
        program, *words = shlex.split(command)
        assert program == "stablebn", f"{block.place}: {program} is not run by the tests"
        done = subprocess.run(
            [sys.executable, "-c", "from stablebn.cli.main import main; main()", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80", "NO_COLOR": "1"},
            check=False,
        )
        expected = code if number == len(commands) - 1 else 0
        assert done.returncode == expected, f"{block.place}: exit code {done.returncode}\n{done.stdout}"
        agrees = not shown or _agrees(shown, done.stdout)
        assert agrees, f"{block.place}: shown is\n{shown}\nand what came is\n{done.stdout}"


def _agrees(shown: str, came: str) -> bool:
    return doctest.OutputChecker().check_output(shown.strip() + "\n", came.strip() + "\n", _COMPARED)
