"""`stablebn bootstrap`."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.terminal import read_terminal

import stablebn as sb

COMMAND = [sys.executable, "-c", "from stablebn.cli.main import main; main()", "bootstrap"]


def _run(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "asia.csv"
    sb.read_network("asia").sample(300, seed=1).to_pandas().to_csv(path, index=False)
    return path


def test_it_says_how_sure_edges_are_and_writes_all_of_it(data: Path, tmp_path: Path) -> None:
    out, picture, kept = tmp_path / "all.json", tmp_path / "edges.svg", tmp_path / "kept.jsonl"
    options = ["--replicates", 12, "--seed", 3, "--score", "aic", "--max-parents", 2]
    done = _run(data, *options, "--out", out, "--plot", picture, "--checkpoint", kept)
    found = sb.bootstrap(data, replicates=12, seed=3, score="aic", max_parents=2)
    assert json.loads(out.read_text()) == json.loads(found.to_json())
    assert found.summary() in done.stdout
    for a, b in found.learned.skeleton():
        assert f"{a} -> {b}" in done.stdout or f"{b} -> {a}" in done.stdout or f"{a} -- {b}" in done.stdout
    assert picture.read_text().startswith("<?xml")
    assert len(kept.read_text().splitlines()) == 13
    assert done.stderr == ""
    edges = tmp_path / "edges.csv"
    assert _run(data, *options, "--out", edges, "--checkpoint", kept, "--quiet").stdout == ""
    assert edges.read_text() == found.to_csv()
    assert "--force" in _run(data, *options, "--out", out, code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--replicates", "0"], "replicates=0"),
        (["--out", "all.txt"], ".json or .csv"),
        (["--checkpoint", "asia.csv"], "no checkpoint"),
    ],
)
def test_mistakes_are_a_message(data: Path, arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(data.parent)
    done = _run(data, *arguments, code=2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_help_has_the_options_of_learners() -> None:
    text = _run("--help").stdout
    for option in ("--max-parents", "--alpha", "--missing", "--weights", "--discretise", "--all-continuous"):
        assert option in text
    assert "--max-time" not in text


def test_interrupted_on_a_terminal_it_shows_a_bar_and_can_go_on(data: Path, tmp_path: Path) -> None:
    kept, out = tmp_path / "kept.jsonl", tmp_path / "all.json"
    asked = [data, "--checkpoint", kept, "--out", out]
    parent, child = pty.openpty()
    command = [*COMMAND, *map(str, asked), "--replicates", "100000"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=child) as running:
        os.close(child)
        shown = b""
        interrupted = False
        while piece := read_terminal(parent):
            shown += piece
            # When the bar is there, and some replicates are done.
            if not interrupted and b"graphs" in shown and kept.exists() and kept.read_bytes().count(b"\n") > 3:
                running.send_signal(signal.SIGINT)
                interrupted = True
        os.close(parent)
    assert running.returncode == 130
    assert b"Repeat the command" in shown
    assert b"Traceback" not in shown
    assert not out.exists()
    _run(*asked, "--replicates", 5)
    assert json.loads(out.read_text())["edges"] == json.loads(sb.bootstrap(data, replicates=5).to_json())["edges"]
