"""The examples of the README are run, and what it says they print is what they print."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README.read_text(encoding="utf-8"), flags=re.M | re.S)


def test_python_examples_run_and_say_what_they_give() -> None:
    for block in _blocks("python"):
        scope: dict[str, object] = {}
        exec(block, scope)
        shown = re.findall(r"^(\S+)\s+# (\S.*?)\.\.\.", block, flags=re.M)
        assert len(shown) == 2
        for expression, value in shown:
            assert str(eval(expression, scope)).startswith(value.removesuffix(", "))


def test_command_examples_print_what_they_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in _blocks("console"):
        command, *expected = block.splitlines()
        assert command.startswith("$ stablebn ")
        words = command.removeprefix("$ stablebn ").split()
        program = [sys.executable, "-c", "from stablebn.cli import main; main()", *words]
        done = subprocess.run(program, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == expected
