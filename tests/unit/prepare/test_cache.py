"""A table that was read in parts is found again by its contents, and nothing is left behind."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tests.preparing import prepare
from tests.unit.prepare.comparing import assert_same_table

import stablebn as sb
from stablebn.errors import DataError, OptionError
from stablebn.prepare import out_of_core
from stablebn.prepare.out_of_core import open_out_of_core
from stablebn.prepare.prepared import Prepared
from stablebn.stats import statistics_of
from stablebn.table.blocks import joined
from stablebn.table.table import MixedTable

MEMORY = 1 << 24


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A folder with a table in two files."""
    folder = tmp_path / "rows"
    folder.mkdir()
    for part in range(2):
        pq.write_table(_table(part), folder / f"{part}.parquet")
    return folder


def _table(seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    a = rng.integers(3, size=500)
    return pa.table(
        {
            "a": a,
            "b": pa.array(np.array(["no", "yes", "?"])[rng.integers(3, size=500)]),
            "c": pa.array(rng.normal(size=500) + a),
            "same": ["x"] * 500,
            "copy": a,
            "w": rng.integers(4, size=500),
        }
    )


def _prepared(rows: Path, cache: Path, **options: Any) -> tuple[Prepared, list[str]]:
    """The table, and what was done for it."""
    stages: list[str] = []
    given: dict[str, Any] = {"weights": "w", "duplicates": "merge", **options}
    found = prepare(rows, memory=MEMORY, cache=cache, progress=lambda stage, _: stages.append(stage), **given)
    return found, stages


def _tables(cache: Path) -> list[Path]:
    return sorted(cache.iterdir())


def test_a_table_is_made_once_and_found_again(rows: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first, done = _prepared(rows, cache)
    again, done_again = _prepared(rows, cache)
    assert done == ["reading", "encoding"]
    assert done_again == ["reading"]
    assert len(_tables(cache)) == 1
    for field in ("names", "left_out", "kinds", "decisions", "constants", "identical", "merged", "rows", "warnings"):
        assert repr(getattr(first, field)) == repr(getattr(again, field)), field
    assert_same_table(first.held().table, again.held().table)
    assert_same_table(again.held().table, prepare(rows, weights="w", duplicates="merge").table)


def test_what_is_learned_from_the_cache_is_the_same(rows: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"weights": "w", "duplicates": "merge"}
    whole = sb.learn(rows, **options)
    for _ in range(2):
        found = sb.learn(rows, memory="1GiB", cache=tmp_path / "cache", **options)
        assert found == whole
        assert found.fingerprint == whole.fingerprint


@pytest.mark.parametrize("options", [{"drop": ["c"]}, {"kinds": {"a": "continuous"}}, {"duplicates": "keep"}])
def test_other_options_make_another_table(rows: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    _prepared(rows, tmp_path / "cache")
    found, done = _prepared(rows, tmp_path / "cache", **options)
    assert done == ["reading", "encoding"]
    assert len(_tables(tmp_path / "cache")) == 2
    assert_same_table(found.held().table, prepare(rows, **{"weights": "w", "duplicates": "merge", **options}).table)


def test_other_contents_make_another_table_and_the_old_one_goes(rows: Path, tmp_path: Path) -> None:
    _prepared(rows, tmp_path / "cache")
    (before,) = _tables(tmp_path / "cache")
    pq.write_table(_table(7), rows / "1.parquet")
    found, done = _prepared(rows, tmp_path / "cache")
    assert done == ["reading", "encoding"]
    assert before not in _tables(tmp_path / "cache")
    assert_same_table(found.held().table, prepare(rows, weights="w", duplicates="merge").table)


def test_a_result_whose_table_was_removed_from_the_cache_says_so(rows: Path, tmp_path: Path) -> None:
    result = sb.learn(rows, "hc", weights="w", columns=["a", "b"], cache=tmp_path / "cache")
    pq.write_table(_table(7), rows / "1.parquet")
    sb.learn(rows, "hc", weights="w", columns=["a", "b"], cache=tmp_path / "cache")
    # A copy has no counts of the search, and must read the table.
    with pytest.raises(DataError, match=r"was removed: a later run .* Learn again"):
        copy(result).explain("a", "b")


@pytest.mark.parametrize("columns", [["a", "b", "w"], ["c", "d", "w"], ["a", "b", "c", "d", "w"]], ids=" ".join)
def test_no_flipped_bit_of_a_kept_table_is_ever_used(rows: Path, tmp_path: Path, columns: list[str]) -> None:
    for part in rows.iterdir():
        table = pq.read_table(part)
        pq.write_table(table.append_column("d", pc.multiply(table["c"], table["c"])), part)
    options: dict[str, Any] = {"weights": "w", "columns": columns}
    whole = prepare(rows, **options).table
    for name in ("header", "block-000000"):
        _prepared(rows, tmp_path / "cache", **options)
        (table,) = _tables(tmp_path / "cache")
        content = (table / name).read_bytes()
        for place in np.random.default_rng(1).choice(len(content), 12, replace=False):
            damaged = bytearray(content)
            damaged[place] ^= 1 << int(place) % 8
            (table / name).write_bytes(damaged)
            found, done = _prepared(rows, tmp_path / "cache", **options)
            assert done == ["reading", "encoding"], (name, place)
            assert_same_table(found.held().table, whole)
            assert (table / name).read_bytes() == content


@pytest.mark.parametrize("name", ["header", "block-000000"])
@pytest.mark.parametrize("damage", ["cut", "gone", "longer"])
def test_a_damaged_table_is_made_anew(rows: Path, tmp_path: Path, name: str, damage: str) -> None:
    _prepared(rows, tmp_path / "cache")
    (table,) = _tables(tmp_path / "cache")
    if damage == "cut":
        os.truncate(table / name, 100)
    elif damage == "gone":
        (table / name).unlink()
    else:
        with (table / name).open("ab") as file:
            file.write(b" ")
    found, done = _prepared(rows, tmp_path / "cache")
    assert done == ["reading", "encoding"]
    assert_same_table(found.held().table, prepare(rows, weights="w", duplicates="merge").table)
    assert _prepared(rows, tmp_path / "cache")[1] == ["reading"]


def test_codes_without_a_level_never_reach_the_core(
    rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With a digest that is right, as a program with an error would write it.
    monkeypatch.setattr("stablebn.table.block_files.digest_of_file", lambda _: "the same")
    _prepared(rows, tmp_path / "cache", columns=["a", "b", "w"])
    (table,) = _tables(tmp_path / "cache")
    with (table / "block-000000").open("r+b") as file:
        file.write(bytes([3]))
    found, done = _prepared(rows, tmp_path / "cache", columns=["a", "b", "w"])
    assert done == ["reading", "encoding"]
    assert_same_table(found.held().table, prepare(rows, weights="w", columns=["a", "b", "w"]).table)


def _change_in_the_middle(path: Path, content: bytes) -> None:
    """Write other content of the same length, and set the old times."""
    status = path.stat()
    assert len(content) == status.st_size
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _csv(middle: str) -> bytes:
    """A table longer than any part of a file that could stand for all of it."""
    around = "0,0\n1,1\n0,1\n" * 20_000
    return f"a,b\n{around}{middle * 10_000}{around}".encode()


@pytest.mark.parametrize("source", ["table.csv", "."])
def test_a_file_that_changed_in_the_middle_only_is_read_again(tmp_path: Path, source: str) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    (folder / "table.csv").write_bytes(_csv("1,0\n"))
    first = _prepared(folder / source, tmp_path / "cache", weights=None)[0].held().table
    (before,) = _tables(tmp_path / "cache")
    _change_in_the_middle(folder / "table.csv", _csv("1,1\n"))
    found, done = _prepared(folder / source, tmp_path / "cache", weights=None)
    assert done == ["reading", "encoding"]
    assert before not in _tables(tmp_path / "cache")
    assert_same_table(found.held().table, prepare(folder / "table.csv").table)
    assert statistics_of(found.held().table).sort_key(1) != statistics_of(first).sort_key(1)


def test_a_table_of_files_that_changed_while_they_were_read_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(_csv("1,0\n"))

    def open_changed(*arguments: Any, **options: Any) -> Any:
        _change_in_the_middle(path, _csv("1,1\n"))
        return open_out_of_core(*arguments, **options)

    monkeypatch.setattr(out_of_core, "open_out_of_core", open_changed)
    _prepared(path, tmp_path / "cache", weights=None)
    monkeypatch.undo()
    _change_in_the_middle(path, _csv("1,0\n"))
    found, _ = _prepared(path, tmp_path / "cache", weights=None)
    assert_same_table(found.held().table, prepare(path).table)


_LEAVING = """
import os, sys
from pathlib import Path
from stablebn.table.temporary_folders import Folder
folder = Folder(Path(sys.argv[1]))
(folder.path / "rows").write_bytes(b"half")
print(folder.path, flush=True)
if sys.argv[2] == "die":
    os._exit(1)
sys.stdin.read()
"""


def test_what_a_killed_process_has_left_is_removed_and_what_a_running_one_needs_is_not(
    rows: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    program = [sys.executable, "-c", _LEAVING, str(cache)]
    left = Path(subprocess.run([*program, "die"], capture_output=True, text=True, check=False).stdout.strip())
    assert (left / "rows").exists()
    with subprocess.Popen([*program, "live"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        needed = Path(running.stdout.readline().strip())
        _prepared(rows, cache)
        assert not left.exists()
        assert needed.exists()
        running.communicate()
    assert not needed.exists()
    assert len(_tables(cache)) == 1


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files are."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_nothing_is_left_where_no_cache_is_named(rows: Path, temporary: Path) -> None:
    sb.learn(rows, memory=MEMORY, weights="w")
    assert list(temporary.iterdir()) == []


def test_blocks_are_there_for_as_long_as_somebody_has_them(rows: Path, temporary: Path) -> None:
    found = prepare(rows, memory=MEMORY)
    assert found.blocks is not None
    chosen = found.blocks.select([1, 0])
    del found
    assert sum(block.rows for block in chosen.blocks()) == 1000
    del chosen
    assert list(temporary.iterdir()) == []


def test_blocks_on_disk_can_be_sent_to_another_process(rows: Path, temporary: Path) -> None:
    found = prepare(rows, memory=MEMORY)
    assert found.blocks is not None
    for table in (found.blocks, found.blocks.select([2, 0])):
        content = pickle.dumps(table)
        assert len(content) < 10_000
        sent = pickle.loads(content)
        assert_same_table(joined(sent), joined(table))
    del sent
    assert len(list(temporary.iterdir())) == 1


@pytest.mark.parametrize("columns", [["a", "b"], ["c", "d"], ["a", "b", "c", "d"]], ids=" ".join)
def test_statistics_are_counted_from_blocks_on_disk(rows: Path, columns: list[str], temporary: Path) -> None:
    for part in rows.iterdir():
        table = pq.read_table(part)
        pq.write_table(table.append_column("d", pc.multiply(table["c"], table["c"])), part)
    found = prepare(rows, memory=MEMORY, columns=columns)
    assert found.blocks is not None
    (block,) = found.blocks.blocks()
    whole = prepare(rows, columns=columns).table
    assert statistics_of(block).sort_key(1) == statistics_of(whole).sort_key(1)
    del block, found
    assert list(temporary.iterdir()) == []


def test_nothing_is_left_after_an_error(rows: Path, temporary: Path, tmp_path: Path) -> None:
    for cache in (None, tmp_path / "cache"):
        with pytest.raises(DataError, match="identical columns"):
            sb.learn(rows, memory=MEMORY, cache=cache, duplicates="error")
    assert list(temporary.iterdir()) == []
    assert list((tmp_path / "cache").iterdir()) == []


def test_nothing_is_left_after_an_interrupt(rows: Path, temporary: Path) -> None:
    def interrupt(stage: str, _: int) -> None:
        if stage == "encoding":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sb.learn(rows, memory=MEMORY, progress=interrupt)
    assert list(temporary.iterdir()) == []


def test_a_disk_that_takes_no_more_is_told_of(rows: Path, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="limits of a process are for Unix")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(DataError, match=r"the table cannot be written to '.*': File too large\. Say cache= "):
            prepare(rows, memory=MEMORY, cache=tmp_path / "cache")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_cache_that_is_a_file_is_refused(rows: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match=r"cache='.*file' is a file\. Name a folder"):
        sb.learn(rows, cache=tmp_path / "file")


@pytest.mark.parametrize("options", [{}, {"weights": None}, {"weights": None, "missing": "available", "kinds": None}])
def test_what_is_found_again_keeps_to_the_memory(rows: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    for _ in range(2):
        found, _ = _prepared(rows, tmp_path / "cache", **options)
        assert found.blocks is not None
        assert found.blocks.memory == MEMORY


def test_bits_of_levels_are_kept_beside_the_codes(rows: Path, tmp_path: Path) -> None:
    many = pa.table({"many": [f"level {row % 200}" for row in range(500)], "few": [row % 3 for row in range(500)]})
    holes = pc.if_else(pc.equal(many["few"], 2), None, many["few"])
    for part in range(2):
        table = pq.read_table(rows / f"{part}.parquet").drop_columns(["w"])
        for name, column in (("many", many["many"]), ("holes", holes)):
            table = table.append_column(name, column)
        pq.write_table(table, rows / f"{part}.parquet")
    for _ in range(2):
        found, _ = _prepared(rows, tmp_path / "cache", weights=None, missing="available")
        assert found.blocks is not None
        table = found.blocks.select([c for c, name in enumerate(found.blocks.names) if name != "a"][::-1])
        assert table.bits is not None
        block = table.blocks()[0]
        assert isinstance(block, MixedTable)
        assert isinstance(table.like, MixedTable)
        expected = []
        for place, (codes, levels) in enumerate(zip(block.categorical.codes, block.categorical.levels, strict=True)):
            if block.categorical.names[place] != "many":
                counted = len(levels) + (place in block.categorical.holes)
                expected += [codes == level for level in range(counted)]
        bits = np.unpackbits(table.bits.open_bits(0).view(np.uint8), axis=1, bitorder="little")[:, : block.rows]
        np.testing.assert_array_equal(bits, np.array(expected))


@pytest.mark.parametrize("name", ["FORMAT", "__version__"])
def test_tables_of_another_format_or_version_are_made_anew(
    rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(f"stablebn.prepare.cache.{name}", "0")
    _prepared(rows, tmp_path / "cache")
    monkeypatch.undo()
    assert _prepared(rows, tmp_path / "cache")[1] == ["reading", "encoding"]


@pytest.mark.parametrize(
    "made", [pd.Index, pd.Series, pd.Categorical, np.array, list, iter], ids=lambda own: own.__name__
)
def test_columns_in_the_middle_of_a_long_choice_make_another_table(tmp_path: Path, made: Callable[..., Any]) -> None:
    # The repr of an index, a series or an array leaves out what is in the middle.
    names = [f"column {number}" for number in range(1200)]
    path = tmp_path / "wide.parquet"
    pq.write_table(pa.table({name: [place % 2, 1] for place, name in enumerate(names)}), path)
    for left_out in (names[600], names[500]):
        chosen = [name for name in names if name != left_out]
        found, done = _prepared(path, tmp_path / "cache", weights=None, columns=made(chosen), allow_few_rows=True)
        assert done == ["reading", "encoding"]
        assert left_out not in (*found.names, *found.constants)


def test_a_folder_with_the_name_of_another_table_is_made_again(rows: Path, tmp_path: Path) -> None:
    _prepared(rows, tmp_path / "cache")
    (wanted,) = _tables(tmp_path / "cache")
    _prepared(rows, tmp_path / "cache", drop=["b"])
    (other,) = set(_tables(tmp_path / "cache")) - {wanted}
    shutil.rmtree(wanted)
    shutil.copytree(other, wanted)
    found, done = _prepared(rows, tmp_path / "cache")
    assert done == ["reading", "encoding"]
    assert_same_table(found.held().table, prepare(rows, weights="w", duplicates="merge").table)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are for Unix")
def test_a_pipe_in_the_place_of_a_header_is_not_waited_for(rows: Path, tmp_path: Path) -> None:
    _prepared(rows, tmp_path / "cache")
    (table,) = _tables(tmp_path / "cache")
    (table / "header").unlink()
    os.mkfifo(table / "header")
    assert _prepared(rows, tmp_path / "cache")[1] == ["reading", "encoding"]
    assert _prepared(rows, tmp_path / "cache")[1] == ["reading"]
