from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import stablebn as sb
from stablebn.networks import sample_asia

COMMAND = [sys.executable, "-c", "from stablebn.cli import main; main()"]


def _run(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "asia.csv"
    pd.DataFrame(sample_asia(500, seed=1)).to_csv(path, index=False)
    return path


def test_learn_writes_the_graph_and_says_so(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "graph.json"
    done = _run("learn", data, "--algorithm", "tabu-stable", "--out", out)
    result = sb.learn(data)
    written = json.loads(out.read_text())
    assert written == json.loads(result.to_json())
    assert f"Learned {len(result.arcs)} arcs among 8 variables" in done.stdout
    assert f"Written to {out}" in done.stdout
    assert result.fingerprint in done.stdout
    assert done.stderr == ""


def test_learn_without_a_file_prints_the_arcs(data: Path) -> None:
    done = _run("learn", data, "-a", "hc-stable")
    for u, v in sb.learn(data, "hc-stable").arcs:
        assert f"{u} -> {v}" in done.stdout


def test_quiet_prints_nothing(data: Path, tmp_path: Path) -> None:
    done = _run("learn", data, "--quiet", "--out", tmp_path / "g.json")
    assert (done.stdout, done.stderr) == ("", "")
    assert (tmp_path / "g.json").exists()


@pytest.mark.parametrize("format_", ["json", "dot", "csv", "graphml"])
def test_every_format_is_written(data: Path, tmp_path: Path, format_: str) -> None:
    named, asked = tmp_path / f"g.{format_}", tmp_path / "graph"
    _run("learn", data, "--out", named)
    _run("learn", data, "--out", asked, "--format", format_)
    text = named.read_text()
    assert text == asked.read_text()
    result = sb.learn(data)
    if format_ == "graphml":
        edges = [element for element in ET.fromstring(text).iter() if element.tag.endswith("edge")]
        assert len(edges) == len(result.arcs)
    elif format_ == "csv":
        assert len(text.splitlines()) == len(result.arcs) + 1
    elif format_ == "dot":
        assert text.count("->") == len(result.arcs)


def test_options_reach_the_learner(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "g.json"
    _run("learn", data, "-s", "bde", "--iss", 5, "--tabu", 4, "--noinc", 2, "--max-parents", 2, "--out", out)
    result = sb.learn(data, score="bde", iss=5, tabu=4, noinc=2, max_parents=2)
    assert json.loads(out.read_text())["score"] == result.score
    _run("learn", data, "--k", 2.5, "--out", out, "--force")
    assert json.loads(out.read_text())["score"] == sb.learn(data, k=2.5).score


def test_trace_is_written(data: Path, tmp_path: Path) -> None:
    _run("learn", data, "--trace", tmp_path / "t.json", "--quiet")
    _run("learn", data, "--trace", tmp_path / "t.csv", "--quiet")
    trace = sb.learn(data).trace
    assert json.loads((tmp_path / "t.json").read_text()) == trace.to_dict()
    assert (tmp_path / "t.csv").read_text() == trace.to_csv()


def test_files_are_never_overwritten_unasked(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "g.json"
    out.write_text("precious")
    done = _run("learn", data, "--out", out, code=2)
    assert "--force" in done.stderr
    assert out.read_text() == "precious"
    _run("learn", data, "--out", out, "--force")
    assert "arcs" in out.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["asia.csv", "g.json"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["{data}", "--algorithm", "magic"], "tabu-stable"),
        (["{data}", "--score", "bge"], "bge"),
        (["{data}", "--out", "graph.magic"], "--format"),
        (["{data}", "--out", "no/such/dir/g.json"], "directory"),
        (["{data}", "--continuous", "dysp"], "dysp"),
    ],
)
def test_mistakes_are_a_message_and_not_a_traceback(data: Path, arguments: list[str], words: str) -> None:
    done = _run("learn", *(str(data) if word == "{data}" else word for word in arguments), code=2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_kinds_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "ages.csv"
    pd.DataFrame({"age": range(40), "height": [x * 1.5 + x % 7 for x in range(40)]}).to_csv(path, index=False)
    assert "--continuous age" in _run("learn", path, code=2).stderr
    _run("learn", path, "--continuous", "age")


def test_interrupted_run_writes_nothing(tmp_path: Path) -> None:
    # Without a penalty every arc helps: 100 variables keep the search busy for minutes.
    data, out = tmp_path / "wide.parquet", tmp_path / "g.json"
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(2000, 100)))
    frame.rename(columns=str).to_parquet(data)
    arguments = ["learn", str(data), "--score", "loglik", "--out", str(out)]
    running = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(8)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Nothing was written" in errors
    assert "Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir()] == ["wide.parquet"]


def test_progress_is_shown_on_a_terminal_only(data: Path) -> None:
    parent, child = pty.openpty()
    running = subprocess.Popen([*COMMAND, "learn", str(data)], stdout=subprocess.PIPE, stderr=child)
    os.close(child)
    assert running.wait(60) == 0
    time.sleep(0.1)
    shown = os.read(parent, 100_000).decode()
    os.close(parent)
    if running.stdout is not None:
        running.stdout.close()
    assert "reading the table" in shown or "steps" in shown


def test_demo_shows_one_graph(data: Path) -> None:
    shown = _run("demo").stdout
    assert "Same graph, arc for arc:  True" in shown
    assert "Same score, to the bit:   True" in shown


def test_version_and_help() -> None:
    assert sb.__version__ in _run("--version").stdout
    assert "learn" in _run("--help").stdout
