from __future__ import annotations

from pathlib import Path

import pytest
from tests.shared import SHARED, needs_shared

import stablebn as sb
from stablebn.networks import known_networks
from stablebn.networks.formats import graph_text


def test_asia_is_built_in() -> None:
    assert any((entry.name, entry.source) == ("asia", "built in") for entry in known_networks())
    assert sb.read_network("asia").name == "asia"


def test_networks_of_an_installed_pgmpy_are_found() -> None:
    pytest.importorskip("pgmpy")
    names = {entry.name for entry in known_networks() if entry.source == "pgmpy"}
    assert {"alarm", "munin", "ecoli70"} <= names
    assert len(sb.read_network("alarm")) == 37


def test_folders_come_first_and_are_found_by_option_and_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = sb.random_network(3, seed=1)
    mine.write(tmp_path / "asia.bif.gz")
    mine.write(tmp_path / "mine.xdsl")
    assert len(sb.read_network("asia", directories=[tmp_path])) == 3
    assert len(sb.read_network("asia")) == 8
    monkeypatch.setenv("STABLEBN_NETWORKS", str(tmp_path))
    assert len(sb.read_network("mine")) == 3
    assert [entry.name for entry in known_networks()][:2] == ["asia", "mine"]


def test_paths_are_read(tmp_path: Path) -> None:
    sb.random_network(3, seed=1).write(tmp_path / "mine.net")
    assert len(sb.read_network(tmp_path / "mine.net")) == 3
    with pytest.raises(sb.FormatError, match=r"nowhere\.bif"):
        sb.read_network("nowhere.bif")


def test_graphs_are_read_by_name_and_from_all_that_is_written(tmp_path: Path) -> None:
    asia = sb.read_network("asia")
    assert sb.read_graph("asia") == asia.dag
    result = sb.learn(asia.sample(500, seed=1))
    (tmp_path / "result.json").write_text(result.to_json())
    assert sb.read_graph(tmp_path / "result.json") == result.marked
    for ending in (".csv", ".dot", ".graphml", ".json"):
        (tmp_path / f"graph{ending}").write_text(graph_text(asia.dag, ending))
        assert sb.read_graph(str(tmp_path / f"graph{ending}")) == asia.dag
    asia.write(tmp_path / "asia.2.bif")
    assert sb.read_graph(tmp_path / "asia.2.bif") == asia.dag


def test_a_name_with_a_point_is_no_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sb.read_network("asia").write(tmp_path / "asia.v2.bif")
    monkeypatch.setenv("STABLEBN_NETWORKS", str(tmp_path))
    assert sb.read_graph("asia.v2") == sb.read_graph("asia")
    with pytest.raises(sb.FormatError, match="there is no such file"):
        sb.read_graph("learned.json")


def test_graphs_are_compared_by_name_and_path(tmp_path: Path) -> None:
    result = sb.learn(sb.read_network("asia").sample(500, seed=1))
    (tmp_path / "result.json").write_text(result.to_json())
    expected = sb.compare(result, sb.read_network("asia"))
    assert sb.compare(result, "asia") == sb.compare(tmp_path / "result.json", "asia") == expected


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    with pytest.raises(sb.OptionError, match="asia"):
        sb.read_network("atlantis")
    with pytest.raises(sb.OptionError, match="not a folder"):
        known_networks(["no such folder"])


@needs_shared
def test_the_papers_networks_are_found_by_name() -> None:
    for name, nodes in (("pathfinder", 109), ("arth150_c", 107), ("mildew", 35)):
        assert len(sb.read_network(name, directories=[SHARED / "networks"])) == nodes
