from __future__ import annotations

from pathlib import Path

import pytest
from tests.shared import SHARED, needs_shared

import stablebn as sb
from stablebn.networks import known_networks


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


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    with pytest.raises(sb.OptionError, match="asia"):
        sb.read_network("atlantis")
    with pytest.raises(sb.OptionError, match="not a folder"):
        known_networks(["no such folder"])


@needs_shared
def test_the_papers_networks_are_found_by_name() -> None:
    for name, nodes in (("pathfinder", 109), ("arth150_c", 107), ("mildew", 35)):
        assert len(sb.read_network(name, directories=[SHARED / "networks"])) == nodes
