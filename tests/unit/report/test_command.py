"""Test `stablebn report`."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.terminal import read_terminal

import stablebn as sb
from stablebn.cli.main import app
from stablebn.report import report_text

COMMAND = [sys.executable, "-c", "from stablebn.cli.main import main; main()"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "asia.csv"
    sb.read_network("asia").sample(500, seed=1).to_pandas().to_csv(path, index=False)
    return path


def _run_here(*arguments: object) -> None:
    app([*map(str, arguments)], standalone_mode=False)


def test_report_writes_a_file_and_says_what_was_learned(data: Path, tmp_path: Path) -> None:
    done = subprocess.run([*COMMAND, "report", data], capture_output=True, text=True, check=True, cwd=tmp_path)
    result = sb.learn(data)
    assert f"Learned {len(result.arcs)} arcs among 8 variables" in done.stdout
    assert "Written to report.html." in done.stdout
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text == report_text(result, command=f"stablebn report {data}")
    again = subprocess.run([*COMMAND, "report", data], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert again.returncode == 2
    assert "report.html exists. Say --force" in again.stderr


def test_options_of_learn_are_options_of_report(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.html"
    _run_here("report", data, "-a", "hc-stable", "--score", "bde", "--drop", "asia", "--out", out, "-q")
    text = out.read_text(encoding="utf-8")
    assert sb.learn(data, "hc-stable", score="bde", drop=["asia"]).fingerprint in text
    assert "7 variables, 500 rows" in text


def test_stability_bootstrap_and_the_true_graph_are_asked_for(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.html"
    _run_here("report", data, "--stability", 3, "--bootstrap", 4, "--seed", 5, "--truth", "asia", "--out", out, "-q")
    text = out.read_text(encoding="utf-8")
    assert sb.stability(data, "tabu-stable", repeats=3, seed=5).verdict in text
    assert sb.bootstrap(data, replicates=4, seed=5).noise in text
    assert "Comparison with the true graph" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--truth", "nowhere.bif"), "nowhere.bif"),
        (("--bootstrap", 3, "--max-time", 5), "--bootstrap cannot be combined with --max-time"),
    ],
)
def test_wrong_options_are_refused_before_learning(
    data: Path, tmp_path: Path, options: tuple[object, ...], message: str
) -> None:
    out = tmp_path / "a.html"
    with pytest.raises(sb.StableBNError, match=message):
        _run_here("report", data, *options, "--out", out)
    assert not out.exists()


def test_a_signal_ends_the_search_and_the_report_is_of_the_graph_so_far(tmp_path: Path) -> None:
    # Without a penalty every arc helps, so that the search takes long.
    path, out = tmp_path / "wide.csv", tmp_path / "a.html"
    sb.random_network(100, continuous=True, seed=1).sample(1000, seed=1).to_pandas().to_csv(path, index=False)
    terminal, child = pty.openpty()
    command = [*COMMAND, "report", str(path), "--score", "loglik", "--stability", "3", "--out", str(out)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=child, env={**os.environ, "COLUMNS": "200"}
    ) as running:
        os.close(child)
        shown, interrupted = b"", False
        while piece := read_terminal(terminal):
            shown += piece
            if not interrupted and b"steps" in shown:
                running.send_signal(signal.SIGINT)
                interrupted = True
        os.close(terminal)
        assert running.stdout is not None
        said = running.stdout.read().decode()
    assert running.returncode == 130
    assert "Unfinished, so far" in said
    text = out.read_text(encoding="utf-8")
    assert "The search was interrupted: the graph is the best so far, and unfinished." in text
    # The resampling did not run after the signal.
    assert 'id="stability"' not in text
