"""What is learned from rows that came one after the other is what is learned from all of them at once."""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.unit.prepare.strange_tables import draw_batches, draw_options, draw_table, limits_for_small_tables

import stablebn as sb
from stablebn.errors import DataError, FormatError, OptionError, StableBNError
from stablebn.prepare.incremental import GrowingTable

READING = ("missing", "weights", "kinds", "keep", "drop", "levels")


def _learned(source: object, **options: Any) -> object:
    try:
        return sb.learn(source, **options)
    except StableBNError as error:
        return str(error)


@pytest.mark.parametrize("seed", range(60))
def test_rows_one_after_the_other_are_all_rows_at_once(
    seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rng = random.Random(f"growing {seed}")
    limits_for_small_tables(rng, monkeypatch)
    table = draw_table(rng)
    options = draw_options(rng, table)
    reading = {name: options.pop(name) for name in READING if name in options}
    parts = [pa.Table.from_batches([own]) for own in draw_batches(rng, table)]
    whole = _learned(table, **reading, **options)
    try:
        found = sb.statistics(parts[0], **reading)
        for number, part in enumerate(parts[1:]):
            found.update(part)
            drawn = rng.random()
            if drawn < 0.1:
                found.save(tmp_path / f"{number}.stats")
                found = sb.load_statistics(tmp_path / f"{number}.stats")
            elif drawn < 0.3:
                found = pickle.loads(pickle.dumps(found))
    except (DataError, OptionError) as error:
        # Only what is wrong whatever else comes is refused at once.
        assert "weights" in str(error) or str(error) == whole  # noqa: PT017
        return
    grown = _learned(found, **options)
    assert grown == whole
    if isinstance(grown, sb.Result) and isinstance(whole, sb.Result):
        assert grown.fingerprint == whole.fingerprint


def _numbers(rows: int, seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    a = rng.integers(3, size=rows)
    return {"a": a, "b": np.array(["no", "yes"])[(a + rng.integers(2, size=rows)) % 2], "c": rng.normal(size=rows) + a}


def _both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {name: [*one[name], *other[name]] for name in one}


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ([1, 2] * 100, [2, 3] * 100, "categorical: 3 distinct integers"),
        ([1, 2] * 100, [*range(200)], "continuous: 200 distinct integers"),
        (["x", "y"] * 100, [f"k{own}" for own in range(200)], "categorical: text"),
        (["x", "y"] * 5, [f"k{own}" for own in range(200)], "set aside: text, 202 values in 210 rows"),
        ([0.5, 1.0] * 100, [2.0, 3.0] * 100, "continuous: floats"),
        ([1.0, 2.0] * 100, [2.5, 3.0] * 100, "continuous: floats"),
        (["7"] * 100, ["7"] * 100, "categorical: a single value"),
    ],
)
def test_new_rows_may_make_something_else_of_a_column(before: list[Any], after: list[Any], told: str) -> None:
    first, second = ({**_numbers(len(own)), "new": own} for own in (before, after))
    found = sb.statistics(first)
    sb.learn(found)
    found.update(second)
    grown, whole = sb.learn(found), sb.learn(_both(first, second))
    assert grown == whole
    assert str(grown.decisions["new"]) == told


def test_rows_come_from_any_source(tmp_path: Path) -> None:
    tables = [pa.table(_numbers(100, seed)) for seed in range(5)]
    pq.write_table(tables[1], tmp_path / "rows.parquet")
    found = sb.statistics({name: own.to_pylist() for name, own in zip("abc", tables[0].columns, strict=True)})
    found.update(tmp_path / "rows.parquet")
    found.update(tables[2].to_pandas())
    found.update(iter(tables[3].to_batches()))
    found.update(tables[4].select(["c", "a", "b"]))
    assert found.rows == 500
    assert sb.learn(found) == sb.learn(pa.concat_tables(tables))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"a": [1], "b": ["no"]}, "not those of the rows before, or of other types: 'c'"),
        ({"a": [1], "b": ["no"], "c": [0.5], "d": [1]}, "not those of the rows before, or of other types: 'd'"),
        ({"a": [1.5], "b": ["no"], "c": [0.5]}, "not those of the rows before, or of other types: 'a'"),
    ],
)
def test_rows_with_other_columns_are_refused(more: dict[str, Any], told: str) -> None:
    found = sb.statistics(_numbers(50))
    with pytest.raises(DataError, match=told):
        found.update(more)
    assert sb.learn(found) == sb.learn(_numbers(50))


def test_a_column_without_any_value_is_of_any_type() -> None:
    found = sb.statistics(_numbers(50), missing="drop")
    found.update({"a": [1, 2], "b": [None, None], "c": [0.5, 1.5]})
    assert sb.learn(found) == sb.learn(
        _both(_numbers(50), {"a": [1, 2], "b": [None] * 2, "c": [0.5, 1.5]}), missing="drop"
    )


def test_rows_that_end_in_an_error_are_not_taken_at_all() -> None:
    def batches() -> Iterator[pa.Table]:
        yield pa.table({**_numbers(7), "b": ["new level"] * 7})
        raise OSError("the line is dead")

    found = sb.statistics(_numbers(50))
    with pytest.raises(OSError, match="the line is dead"):
        found.update(batches())
    assert found.rows == 50
    found.update(_numbers(9))
    assert sb.learn(found) == sb.learn(_both(_numbers(50), _numbers(9)))


def test_weights_that_are_none_are_refused_by_their_rows() -> None:
    found = sb.statistics({**_numbers(50), "w": [2] * 50}, weights="w")
    with pytest.raises(DataError, match=r"Of 3, these are not: 1 negative \(the first in row 52: -1\)"):
        found.update({**_numbers(3), "w": [1, -1, 1]})
    found.update({**_numbers(3), "w": [0, 0, 0]})
    assert sb.learn(found) == sb.learn({**_numbers(50), "w": [2] * 50}, weights="w")


def test_what_was_said_of_reading_holds_for_all_rows() -> None:
    found = sb.statistics(_numbers(50), kinds={"a": "continuous"}, drop="b")
    found.update(_numbers(40))
    whole = sb.learn(_both(_numbers(50), _numbers(40)), kinds={"a": "continuous"}, drop="b", score="aic")
    assert sb.learn(found, score="aic") == whole
    with pytest.raises(OptionError, match=r"give 'missing' to stablebn\.statistics"):
        sb.learn(found, missing="drop")
    with pytest.raises(OptionError, match="cannot be made with discretise="):
        sb.statistics(_numbers(50), discretise="quantile")
    with pytest.raises(OptionError, match="discretise= needs all values"):
        sb.learn(found, discretise="quantile")


def test_an_array_keeps_its_names() -> None:
    rows = np.random.default_rng(3).normal(size=(60, 3))
    found = sb.statistics(rows[:20], names=["x", "y", 3])
    found.update(rows[20:])
    assert sb.learn(found) == sb.learn(rows, names=["x", "y", 3])


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Statistics in a file."""
    found = sb.statistics({**_numbers(50), "w": [2] * 50}, weights="w", kinds={"a": "categorical", ...: "continuous"})
    found.save(tmp_path / "saved.stats")
    return tmp_path / "saved.stats"


def test_what_was_saved_goes_on_growing(saved: Path) -> None:
    found = sb.load_statistics(saved)
    found.update({**_numbers(30, 2), "w": [1] * 30})
    whole = _both({**_numbers(50), "w": [2] * 50}, {**_numbers(30, 2), "w": [1] * 30})
    assert sb.learn(found) == sb.learn(whole, weights="w", kinds={"a": "categorical", ...: "continuous"})
    assert repr(found) == "<stablebn statistics of 80 rows and 3 variables>"


def test_a_file_is_not_replaced_unasked(saved: Path) -> None:
    found = sb.load_statistics(saved)
    with pytest.raises(OptionError, match="exists"):
        found.save(saved)
    found.save(saved, force=True)
    assert sb.learn(sb.load_statistics(saved)) == sb.learn(found)


@pytest.mark.parametrize("damage", ["cut", "longer", "changed", "empty", "header", "other"])
def test_a_damaged_file_is_told_of(saved: Path, damage: str) -> None:
    content = bytearray(saved.read_bytes())
    if damage == "changed":
        content[-5] ^= 1
    elif damage == "header":
        content[200] ^= 1
    others = {"cut": bytes(content[:-1]), "longer": bytes(content) + b"x", "empty": b"", "other": b"a,b\n1,2\n"}
    saved.write_bytes(others.get(damage, bytes(content)))
    with pytest.raises(FormatError, match=r"saved\.stats: this is no file of statistics of stablebn, or it is damaged"):
        sb.load_statistics(saved)


def test_a_file_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there is no such file"):
        sb.load_statistics(tmp_path / "none.stats")


def test_a_file_of_another_version_is_told_of(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stablebn.prepare.incremental._FORMAT", 2)
    with pytest.raises(FormatError, match="written by another version of stablebn"):
        sb.load_statistics(saved)


_COPIES: dict[str, Callable[[GrowingTable], GrowingTable]] = {
    "pickle": lambda table: pickle.loads(pickle.dumps(table)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", _COPIES)
def test_a_copy_has_rows_of_its_own(way: str, tmp_path: Path) -> None:
    first, second, third = (
        {**_numbers(30, seed), ("a", 1): ["x", "y", "z"] * 10, "w": [0, 1, 2] * 10} for seed in range(3)
    )
    options: dict[str, Any] = {"weights": "w", "kinds": {("a", 1): "categorical"}}
    table = sb.statistics(first, cache=tmp_path, **options)
    sent = _COPIES[way](table)
    table.update(second)
    sent.update(third)
    for found, more in ((table, second), (sent, third)):
        assert sb.learn(found) == sb.learn(_both(first, more), **options)
    del table
    assert sent.rows == 60
    assert sb.learn(sent) == sb.learn(_both(first, third), **options)
    del sent, found
    assert list(tmp_path.iterdir()) == []


def test_statistics_can_be_sent_to_another_process(tmp_path: Path) -> None:
    rows = _numbers(40)
    (tmp_path / "sent").write_bytes(pickle.dumps(sb.statistics(rows)))
    program = (
        "import pickle, sys, stablebn as sb; print(sb.learn(pickle.loads(open(sys.argv[1], 'rb').read())).fingerprint)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "sent")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == sb.learn(rows).fingerprint


def test_nothing_is_left_on_disk(tmp_path: Path) -> None:
    found: GrowingTable | None = sb.statistics(_numbers(50), cache=tmp_path)
    assert len(os.listdir(tmp_path)) == 1
    sb.learn(found, cache=tmp_path)
    assert len(os.listdir(tmp_path)) == 1
    found = None
    assert os.listdir(tmp_path) == []
