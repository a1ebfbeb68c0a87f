"""Test the commands that draw plots."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import stablebn as sb
from stablebn.cli.main import app


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "asia.csv"
    sb.read_network("asia").sample(300, seed=1).to_pandas().to_csv(path, index=False)
    return path


def _run(*arguments: object) -> str:
    done = CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_learn_draws_what_it_shows(data: Path, tmp_path: Path) -> None:
    for option, directions in (("--dag", "dag"), ("--cpdag", "cpdag")):
        ours, theirs = tmp_path / f"ours{option}.svg", tmp_path / f"theirs{option}.svg"
        assert f"Written to {ours}." in _run("learn", data, option, "--plot", ours)
        sb.learn(data).plot(theirs, directions=directions)  # type: ignore[arg-type]
        assert ours.read_bytes() == theirs.read_bytes()
    assert len({path.read_bytes() for path in tmp_path.glob("ours*.svg")}) == 2


def test_compare_draws_both_graphs(data: Path, tmp_path: Path) -> None:
    graph, picture, ours = tmp_path / "graph.json", tmp_path / "two.svg", tmp_path / "ours.svg"
    _run("learn", data, "--out", graph)
    _run("compare", graph, "asia", "--plot", picture)
    sb.compare(sb.learn(data), "asia").plot(ours)
    assert picture.read_bytes() == ours.read_bytes()


@pytest.mark.parametrize("command", [("stability", "--repeats", 2), ("bootstrap", "--replicates", 2)])
def test_frequencies_are_drawn_as_bars_and_as_a_map(command: tuple[object, ...], data: Path, tmp_path: Path) -> None:
    bars, heat_map = tmp_path / "bars.png", tmp_path / "map.pdf"
    name, *options = command
    said = _run(name, data, "-a", "hc", *options, "--plot", bars, "--heat-map", heat_map)
    assert f"{bars} and {heat_map}." in "".join(said.split("\n")[-2:])
    assert bars.read_bytes().startswith(b"\x89PNG")
    assert heat_map.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("command", ["learn", "compare"])
def test_a_picture_that_cannot_be_drawn_is_refused_before_any_work(command: str, tmp_path: Path) -> None:
    absent = [tmp_path / "absent.csv"] * (2 if command == "compare" else 1)
    with pytest.raises(sb.OptionError, match=r"must end in .png, .svg, .pdf"):
        _run(command, *absent, "--plot", tmp_path / "picture.doc")
