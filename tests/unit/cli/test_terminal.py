"""Test that control characters and markup in names from data do not affect the terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.terminal import read_terminal

import stablebn as sb
from stablebn.errors import spelled
from stablebn.graph import DAG, to_csv

COMMAND = [sys.executable, "-c", "from stablebn.cli.main import main; main()"]

# Markup of Rich (open, closed, unknown); codes that clear the screen, set its title or ring the bell; lines, tabs, a C1
# control, right-to-left text, an emoji of Rich, and a backslash, which is the escape of Rich.
HOSTILE = (
    *("[/b]", "[red]", "[/]", "[link=x]", "\\[b]", "[bold", ":smile:"),
    *("\x1b[31m", "\x1b[2J", "\x1b]0;title\x07", "a\nb", "c\rd", "e\tf", "\x9b1m", "\x7f", "\u202egnp", "g\x08"),
)
# Codes that Rich writes to show progress: move the cursor, clear the line, hide, colours, empty links.
STEERING = re.compile(r"\x1b\[\??[0-9;]*[A-Zlhmlu]")


def _on_a_terminal(*arguments: object, folder: Path) -> tuple[int, str]:
    """Run a command on a terminal; return the exit code and both outputs."""
    parent, child = pty.openpty()
    environment = {**os.environ, "COLUMNS": "4000", "NO_COLOR": "1", "TERM": "xterm"}
    with subprocess.Popen(
        [*COMMAND, *map(str, arguments)], stdout=child, stderr=child, stdin=child, env=environment, cwd=folder
    ) as running:
        os.close(child)
        shown = b""
        while piece := read_terminal(parent):
            shown += piece
        os.close(parent)
    return running.returncode, shown.decode()


def _check(shown: str, names: tuple[str, ...] = HOSTILE) -> None:
    """Assert that all control codes are those of Rich, and that every name is readable."""
    assert "Traceback" not in shown
    lines = STEERING.sub("", shown.replace("\r\n", "\n"))
    assert [letter for letter in lines if not letter.isprintable() and letter not in "\n\r"] == []
    for forbidden in ("\x1b[31m", "\x1b[2J"):
        assert forbidden not in shown
    assert [name for name in names if spelled(name) not in lines and repr(name) not in lines] == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with tables and graphs whose columns, levels and nodes have hostile names."""
    folder = tmp_path_factory.mktemp("hostile")
    first = ["no", "yes", "no", "yes", "\x1b[31mno", "[/b]"] * 30
    chain = {name: first[place:] + first[:place] for place, name in enumerate(HOSTILE)}
    pa.parquet.write_table(pa.table({**chain, "same [/i]": ["x"] * 180}), folder / "t.parquet")
    pa.parquet.write_table(
        pa.table({name: [float("inf"), *[0.5] * 179] for name in HOSTILE[:8]}), folder / "many.parquet"
    )
    pa.parquet.write_table(pa.table({name: [None, *first[1:]] for name in HOSTILE[:8]}), folder / "gaps.parquet")
    nodes = [*HOSTILE, "same [/i]"]
    arcs = list(pairwise(HOSTILE))
    for file, kept in (("chain.csv", arcs), ("round.csv", [*arcs, (HOSTILE[-1], HOSTILE[0])])):
        rows = "".join(f'"{a}","{b}"\n' for a, b in kept)
        (folder / file).write_text(f"from,to\n{rows}", newline="")
    for file, kept in (("chain.json", arcs), ("other.json", [])):
        (folder / file).write_text(json.dumps({"nodes": nodes, "arcs": kept}))
    return folder


def test_learn(folder: Path) -> None:
    code, shown = _on_a_terminal(
        "learn", "t.parquet", "-a", "hc", "--start", "chain.json", "--max-iter", 0, "--dag", folder=folder
    )
    assert code == 0, shown
    _check(shown)
    assert "  [/b] -> [red]" in shown


def test_learn_shows_what_is_logged_of_names(folder: Path) -> None:
    """Identical columns and constants are logged while the table is read."""
    code, shown = _on_a_terminal("learn", "t.parquet", "-q", folder=folder)
    assert (code, shown) == (0, "")
    code, shown = _on_a_terminal("learn", "t.parquet", "--out", "[b]\x1b[31m.json", "--force", folder=folder)
    assert code == 0, shown
    _check(shown, ("same [/i]", "[b]\x1b[31m.json"))


@pytest.mark.parametrize("file", ["many.parquet", "gaps.parquet"])
def test_errors(file: str, folder: Path) -> None:
    code, shown = _on_a_terminal("learn", file, folder=folder)
    assert code == 2
    assert "DataError" in shown
    _check(shown, HOSTILE[:8])


def test_errors_in_a_graph(folder: Path) -> None:
    code, shown = _on_a_terminal("score", "round.csv", "t.parquet", folder=folder)
    assert code == 2
    assert "the arcs form a cycle" in shown
    _check(shown)


def test_score(folder: Path) -> None:
    code, shown = _on_a_terminal("score", "chain.json", "t.parquet", "--by-node", folder=folder)
    assert code == 0, shown
    _check(shown)


def test_compare(folder: Path) -> None:
    code, shown = _on_a_terminal("compare", "other.json", "chain.json", "--as-they-are", folder=folder)
    assert code == 0, shown
    _check(shown)


def test_stability(folder: Path) -> None:
    code, shown = _on_a_terminal("stability", "t.parquet", "-a", "hc", "--repeats", 2, "--max-iter", 1, folder=folder)
    assert code == 0, shown
    _check(shown, ("same [/i]",))


def test_networks_and_their_files(folder: Path, tmp_path: Path) -> None:
    names = [name for name in HOSTILE if "/" not in name]
    for name in names:
        sb.read_network("asia").write(tmp_path / f"{name}.bif")
    code, shown = _on_a_terminal("networks", "--networks", tmp_path, folder=folder)
    assert code == 0, shown
    _check(shown, tuple(names))
    code, shown = _on_a_terminal("sample", "nowhere", "--networks", tmp_path, folder=folder)
    assert code == 2
    _check(shown, tuple(names))


def test_sample(folder: Path, tmp_path: Path) -> None:
    sb.read_network("asia").write(tmp_path / "asia.bif")
    text = (tmp_path / "asia.bif").read_text().replace("smoke", "sm\x9b31moke")
    (tmp_path / "hostile.bif").write_text(text)
    code, shown = _on_a_terminal("sample", tmp_path / "hostile.bif", "-n", 30, folder=folder)
    assert code == 0, shown
    _check(shown, ("sm\x9b31moke", "either"))


def test_where_a_sample_is_written(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "[red]\x1b[31m.csv"
    code, shown = _on_a_terminal("sample", "asia", "-n", 3, "--out", out, folder=folder)
    assert code == 0, shown
    _check(shown, (out.name,))


def test_study(folder: Path, tmp_path: Path) -> None:
    sb.read_network("asia").write(tmp_path / "[red]net.bif")
    learner = '[[learners]]\nlabel = "[/b]\\u001b[31m"\nalgorithm = "hc"\nscore = "bge"\n'
    (tmp_path / "mine.toml").write_text(f'networks = ["[red]net"]\nsizes = [50]\nrandomisations = 1\n{learner}')
    for options in (["--dry-run"], ["--jobs", "1"], ["--tables", "--out", "[/i]"]):
        code, shown = _on_a_terminal("study", "mine.toml", "--networks", tmp_path, *options, folder=tmp_path)
        assert code == 0, shown
        _check(shown, ("[red]net",) if options == ["--dry-run"] else ("[/b]\x1b[31m",))


@pytest.mark.parametrize("command", ["learn", "score", "compare"])
def test_what_is_wrong_with_arguments(command: str, folder: Path) -> None:
    for arguments in (["[/b]\x1b[31m.csv", "[/b]\x1b[31m.csv"], ["--[/b]"], ["[/b]", "--format", "[/b]"]):
        code, shown = _on_a_terminal(command, *arguments, folder=folder)
        assert code == 2, shown
        assert "Traceback" not in shown
        assert "MarkupError" not in shown


def test_names_that_the_output_cannot_encode_are_spelled(tmp_path: Path) -> None:
    for file, arcs in (("a.json", [["é", "☃"]]), ("b.json", [])):
        (tmp_path / file).write_text(json.dumps({"nodes": ["é", "☃"], "arcs": arcs}))
    done = subprocess.run(
        [*COMMAND, "compare", "a.json", "b.json"],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
    )
    assert done.returncode == 0, done.stderr
    assert b"\xe9 -- \\u2603" in done.stdout


@pytest.mark.parametrize("write", [str, to_csv], ids=["text", "file"])
def test_only_what_is_shown_is_spelled(write: Callable[[DAG], str]) -> None:
    """Files contain the names unchanged."""
    dag = DAG(["a\nb", "\x1b"], [("a\nb", "\x1b")])
    assert ("\x1b" in write(dag)) == (write is to_csv)
