"""Test that the man page agrees with the help of the commands and is valid."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stablebn.cli.main import app
from stablebn.cli.reference import command_reference

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "man" / "stablebn.1"


def test_the_page_is_the_one_that_is_made_now() -> None:
    program = "import sys; sys.path.insert(0, 'build_backend'); import man_page; sys.stdout.write(man_page.man_page())"
    now = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert PAGE.read_text(encoding="utf-8") == now, "a command has changed: say `make man`, and commit man/stablebn.1"


@pytest.mark.parametrize("program", [["mandoc", "-T", "lint", "-W", "error"], ["groff", "-man", "-ww", "-z", "-Tutf8"]])
def test_the_page_has_no_faults(program: list[str]) -> None:
    if shutil.which(program[0]) is None:
        pytest.skip(f"there is no {program[0]}")
    done = subprocess.run([*program, str(PAGE)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_man_shows_every_command_and_every_option() -> None:
    if shutil.which("man") is None or shutil.which("col") is None:
        pytest.skip("there is no man, or no col")
    shown = subprocess.run(
        ["bash", "-c", f"MANWIDTH=500 man -l '{PAGE}' | col -bx"], capture_output=True, text=True, check=True
    ).stdout
    for command in command_reference(app):
        assert f"STABLEBN {command.name.upper()}\n" in shown
        for group in command.groups:
            assert [entry.term for entry in group.entries if entry.names[-1] not in shown] == []
