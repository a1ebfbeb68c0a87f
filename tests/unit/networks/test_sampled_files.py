"""A sampled table that is written to a file and read again is the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Hashable
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from tests.preparing import prepare
from tests.shared import SHARED, needs_shared

import stablebn as sb
from stablebn.cli.main import app
from stablebn.networks.sample_files import levels_read_as_equal, levels_read_as_missing, write_table
from stablebn.table.table import CategoricalTable

LEVELS = ["NA", "NULL", "nan", "n/a", "yes", "a,b", 'say "no"', "two\nlines", "007", "None"]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".feather"])
@pytest.mark.parametrize("beside", [["p", "q"], ["1", "2"], [0.5, 1.5]])
def test_levels_are_read_as_they_were_written(beside: list[object], ending: str, tmp_path: Path) -> None:
    table = pa.table({"a": pa.array(LEVELS * 4).dictionary_encode(), "b": pa.array(beside * 20)})
    path = tmp_path / f"t{ending}"
    write_table(table, path, path.name)
    read = prepare(path, keep="a").table.select([0])
    assert isinstance(read, CategoricalTable)
    assert [read.levels[0][code] for code in read.codes[0]] == LEVELS * 4


def test_levels_that_a_text_file_cannot_keep_by_default_are_named(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array(["?", "NA", "x"]).dictionary_encode(), "b": ["+", "-", "+"], "c": ["", "y", "y"]})
    assert levels_read_as_missing(table) == {"a": {"?"}, "c": {""}}
    path = tmp_path / "t.csv"
    write_table(table.select(["a", "b"]), path, path.name)
    assert prepare(path, na_values="").table.levels == (("?", "NA", "x"), ("+", "-"))  # type: ignore[union-attr]


def test_levels_that_a_text_file_makes_equal_are_named(tmp_path: Path) -> None:
    numbers = pa.array(["1", "1.0", "2", "1e3", "1000"]).dictionary_encode()
    labels = pa.array(["1", "1.0", "x", "x", "x"])
    assert levels_read_as_equal(pa.table({"a": numbers, "b": labels})) == {"a": {"1", "1.0", "1e3", "1000"}}
    network = sb.Network({"a": sb.CPT(("1", "1.0", "2"), (), np.array([0.2, 0.3, 0.5]))})
    network.write(tmp_path / "n.json")
    done = CliRunner().invoke(app, ["sample", str(tmp_path / "n.json"), "-n", "50", "--out", str(tmp_path / "t.csv")])
    assert done.exit_code == 0, done.output
    told = " ".join(done.output.split())
    assert "Levels that are read as equal numbers: 'a' ('1' '1.0'). Write a .parquet file" in told


@pytest.mark.parametrize(("out", "is_named"), [("t.CSV", True), ("t.csv.gz", True), ("t.csv.parquet", False)])
def test_levels_are_named_for_every_name_of_a_csv_file(out: str, is_named: bool, tmp_path: Path) -> None:
    sb.Network({"a": sb.CPT(("?", "x"), (), np.array([0.5, 0.5]))}).write(tmp_path / "n.json")
    done = CliRunner().invoke(app, ["sample", str(tmp_path / "n.json"), "-n", "50", "--out", str(tmp_path / out)])
    assert done.exit_code == 0, done.output
    assert ("Levels that are read as missing values: 'a' ('?')" in done.output) == is_named


@pytest.mark.parametrize(("words", "is_named"), [([], True), (["--quiet"], False)])
def test_levels_are_named_beside_printed_csv(words: list[str], is_named: bool, tmp_path: Path) -> None:
    sb.Network({"a": sb.CPT(("?", "x"), (), np.array([0.5, 0.5]))}).write(tmp_path / "n.json")
    program = "from stablebn.cli.start import main; main()"
    command = [sys.executable, "-c", program, "sample", str(tmp_path / "n.json"), "-n", "50", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.count("\n") == 51
    assert ("Levels that are read as missing values: 'a' ('?')" in done.stderr) == is_named


@pytest.mark.parametrize(
    "levels",
    [(1, "x"), (True, "x"), (1, 2.5), (1, 2**70), ("x", ("y", "z")), (("x", 1), ("y", 2)), (date(2020, 1, 1), "x")],
)
def test_levels_that_a_column_cannot_hold_together_are_refused(levels: tuple[Hashable, ...]) -> None:
    """Arrow would raise its own errors, and convert 1 beside 2.5 to 1.0, which is not a level of the network."""
    network = sb.Network({"a": sb.CPT(levels, (), np.array([0.5, 0.5]))})
    with pytest.raises(sb.GraphError, match="cannot hold the levels of node 'a' together"):
        network.sample(10, seed=1)


@needs_shared
def test_a_network_with_a_level_na_is_learned_from_the_file_that_sample_writes(tmp_path: Path) -> None:
    network = SHARED / "networks" / "pathfinder.dsc"
    for name in ("p.csv", "p.parquet"):
        done = CliRunner().invoke(app, ["sample", str(network), "--rows", "500", "--out", str(tmp_path / name)])
        assert done.exit_code == 0, done.output
    columns = [f"F{i}" for i in range(90, 105)]
    text, typed = (sb.learn(tmp_path / name, "hc-stable", columns=columns) for name in ("p.csv", "p.parquet"))
    assert (text.fingerprint, text.score) == (typed.fingerprint, typed.score)
    assert [warning.code for warning in text.warnings if warning not in typed.warnings] == ["quoted-markers"]
