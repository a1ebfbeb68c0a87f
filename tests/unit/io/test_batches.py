"""A table that is read in parts gives the same kinds, encoding and graph as the same rows in memory."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.preparing import prepare
from tests.unit.prepare.comparing import assert_same_table
from tests.unit.prepare.strange_tables import draw_batches, draw_options, draw_table, limits_for_small_tables

import stablebn as sb
from stablebn.cli.main import app
from stablebn.errors import DataError, OptionError
from stablebn.prepare.prepared import Prepared
from stablebn.table.memory_limit import bytes_of, check_memory


def _outcome(source: object, **options: Any) -> Prepared | tuple[object, ...]:
    try:
        return prepare(source, **options)
    except (DataError, OptionError) as error:
        return type(error), str(error), getattr(error, "remedy", None)


FIELDS = (
    *(
        "names",
        "left_out",
        "kinds",
        "decisions",
        "constants",
        "identical",
        "copies",
        "merged",
        "cuts",
        "levels",
        "rows",
    ),
    "warnings",
)


def _assert_same(whole: Prepared | tuple[object, ...], parts: Prepared | tuple[object, ...]) -> None:
    if not isinstance(whole, Prepared) or not isinstance(parts, Prepared):
        assert whole == parts
        return
    assert parts.blocks is not None
    for field in FIELDS:
        assert repr(getattr(whole, field)) == repr(getattr(parts, field)), field
    held = parts.held()
    assert_same_table(whole.table, held.table)


@pytest.fixture(params=range(60))
def drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> random.Random:
    """Return a random generator, with limits so small that small tables have many parts and blocks."""
    rng = random.Random(f"parts {request.param}")
    limits_for_small_tables(rng, monkeypatch)
    return rng


def test_decisions_levels_codes_and_warnings_are_those_of_the_table_in_memory(drawn: random.Random) -> None:
    for _ in range(10):
        table = draw_table(drawn)
        options = draw_options(drawn, table)
        batches = draw_batches(drawn, table)
        parts = _outcome(pa.RecordBatchReader.from_batches(table.schema, batches), **options)
        _assert_same(_outcome(table, **options), parts)


def test_files_in_parts_are_the_table_in_memory(drawn: random.Random, tmp_path: Path) -> None:
    table = draw_table(drawn)
    options = draw_options(drawn, table)
    first = number = 0
    while first < table.num_rows:
        rows = drawn.choice([1, 50, 300])
        pq.write_table(
            table.slice(first, rows), tmp_path / f"{number:04d}.parquet", row_group_size=drawn.choice([7, 99])
        )
        first, number = first + rows, number + 1
    _assert_same(_outcome(tmp_path, **options), _outcome(tmp_path, memory=10**8, **options))
    _assert_same(_outcome(tmp_path, **options), _outcome(f"{tmp_path}/*.parquet", **options))


def _learned(source: object, **options: Any) -> object:
    try:
        return sb.learn(source, **options)
    except (DataError, OptionError) as error:
        return str(error)


def test_what_is_learned_is_the_same(drawn: random.Random) -> None:
    table = draw_table(drawn)
    options = draw_options(drawn, table)
    whole = _learned(table, **options)
    parts = _learned(iter(draw_batches(drawn, table)), **options)
    assert whole == parts
    if isinstance(whole, sb.Result) and isinstance(parts, sb.Result):
        assert whole.fingerprint == parts.fingerprint


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Write a table as three files in a folder."""
    folder = tmp_path / "rows"
    folder.mkdir()
    for part in range(3):
        pq.write_table(sb.read_network("asia").sample(200, seed=part + 1), folder / f"{part}.parquet")
    return folder


def test_the_command_learns_the_same(rows: Path, tmp_path: Path) -> None:
    written = []
    for number, options in enumerate(([], ["--memory", "32MiB"], ["--cache", str(tmp_path / "cache")])):
        out = tmp_path / f"{number}.json"
        app(["learn", str(rows), "--out", str(out), "--quiet", *options], standalone_mode=False)
        written.append(out.read_text())
    assert written[0] == written[1] == written[2]
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_what_needs_rows_has_them(rows: Path) -> None:
    table, pattern = pq.read_table(rows), f"{rows}/*.parquet"
    graph = sb.learn(table).dag
    assert sb.score(graph, pattern) == sb.score(graph, table)
    assert sb.ci_test(pattern, "smoke", "lung") == sb.ci_test(table, "smoke", "lung")
    assert sb.check(pattern).findings == sb.check(table).findings
    assert sb.bootstrap(pattern, replicates=3).graphs == sb.bootstrap(table, replicates=3).graphs
    assert sb.cross_validate(pattern, folds=3).folds == sb.cross_validate(table, folds=3).folds
    network = sb.fit(graph, table)
    assert sb.fit(graph, pattern).log_likelihood(pattern) == network.log_likelihood(table)


def test_arrow_files_and_streams_are_read_in_parts(rows: Path, tmp_path: Path) -> None:
    table = pq.read_table(rows)
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema) as file:
        file.write_table(table.slice(0, 250), max_chunksize=9)
    with pa.ipc.new_stream(tmp_path / "b.feather", table.schema) as stream:
        stream.write_table(table.slice(250), max_chunksize=100)
    whole = sb.learn(table)
    assert sb.learn(f"{tmp_path}/[ab].*") == whole
    one = sb.learn(tmp_path / "a.arrow")
    assert sb.learn(tmp_path / "a.arrow", memory="32MB") == one


def test_memory_for_what_is_in_memory_already_changes_nothing(rows: Path) -> None:
    table = pq.read_table(rows)
    assert sb.learn(table, memory="32MB") == sb.learn(table)


@pytest.mark.parametrize(
    ("memory", "size"),
    [("32MB", 32_000_000), ("2GiB", 2 << 30), ("1.5 gib", 3 << 29), (1 << 25, 1 << 25), ("64 MB", 64_000_000)],
)
def test_memory_is_a_size(memory: str | int, size: int) -> None:
    check_memory("memory", memory)
    assert bytes_of(memory) == size


@pytest.mark.parametrize("memory", ["much", "GiB", "2 GiBs", "", True, 1.5, -1, "1KB", 1 << 20, "-2GiB"])
def test_memory_that_is_no_size_is_refused(memory: object) -> None:
    with pytest.raises(OptionError, match=r"memory=.* (is no size|is too little)"):
        check_memory("memory", memory)


@pytest.mark.parametrize(
    ("pattern", "options", "told"),
    [
        ("none-*.parquet", {}, "there is no file '.*none-.*': check the pattern"),
        ("*", {}, "can be read in parts together, and '.*' names others: '.*notes.txt'"),
        ("*.parquet", {"sep": ";"}, "sep= is for text files"),
        ("*.parquet", {"names": ["a"]}, "names= goes with a NumPy array"),
        ("*.parquet", {"weights": [1] * 600}, "weights= of a table that is read in parts must be the name"),
        ("*.parquet", {"weights": "none"}, "weights='none' is not a column"),
        ("*.parquet", {"discretise": "quantile"}, "discretise= needs all values of a column at once"),
        ("*.parquet", {"columns": ["smoke", "none"]}, "columns= names 'none', not a column"),
        ("*.parquet", {"levels": {"none": ["a"]}}, "levels= names 'none', not a variable"),
    ],
)
def test_what_cannot_be_is_refused(rows: Path, pattern: str, options: dict[str, Any], told: str) -> None:
    (rows / "notes.txt").write_text("a,b\n1,2\n")
    with pytest.raises((DataError, OptionError), match=told):
        sb.learn(f"{rows}/{pattern}", **options)


def test_files_of_other_formats_too_large_for_the_memory_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    path.write_text('{"a": 1.5, "b": "no"}\n{"a": 2.5, "b": "yes"}\n' * 100_000)
    with pytest.raises(OptionError, match=r"memory= is too little for '.*table\.jsonl': only text \(CSV\), Parquet"):
        sb.learn(path, memory="16MiB")
    assert sb.learn(path, memory="1GiB") == sb.learn(path)


def test_files_with_other_columns_are_refused(rows: Path) -> None:
    pq.write_table(sb.read_network("cancer").sample(20, seed=1), rows / "3.parquet")
    messages = [_outcome(rows), _outcome(rows, memory=1 << 25)]
    assert messages[0] == messages[1]
    assert "3.parquet' are not those of" in str(messages[0])


def test_a_damaged_file_is_named(rows: Path) -> None:
    content = bytearray((rows / "1.parquet").read_bytes())
    content[40:4000] = bytes(3960)
    (rows / "1.parquet").write_bytes(content)
    with pytest.raises(DataError, match=r"1\.parquet"):
        sb.learn(rows, memory="32MB")


def test_an_iterator_that_has_been_used_is_told_of(rows: Path) -> None:
    batches = iter(pq.read_table(rows).to_batches())
    sb.learn(batches)
    with pytest.raises(DataError, match=r"the iterator gives no batches\. Has it been used before"):
        sb.learn(batches)


def test_batches_with_other_columns_are_refused(rows: Path) -> None:
    table = pq.read_table(rows)
    parts = [table, table.rename_columns([*table.column_names[:-1], "other"])]
    with pytest.raises(DataError, match="columns of batch 2 are not those of batch 1, or of other types: "):
        sb.learn(iter(parts))


@pytest.mark.parametrize("seed", range(40))
def test_texts_that_name_rows_are_set_aside_though_memory_does_not_hold_them(
    seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rng = random.Random(f"texts {seed}")
    limits_for_small_tables(rng, monkeypatch)
    rows = rng.choice([60, 400])
    table = pa.table({"a": [rng.randrange(2) for _ in range(rows)], "b": [rng.choice("xyz") for _ in range(rows)]})
    for place in range(rng.randint(1, 3)):
        table = table.append_column(f"text {place}", _names_of_rows(rng, rows))
    if rng.random() < 0.4:
        table = table.append_column("w", pa.array([rng.randrange(3) for _ in range(rows)]))
    options: dict[str, Any] = {"weights": "w"} if "w" in table.column_names else {}
    whole = prepare(table, missing="drop", **options)
    # With this little memory for texts, some columns are listed at first.
    monkeypatch.setattr("stablebn.prepare.out_of_core.SHARE_OF_TEXTS", (2 << 30) // rng.choice([1000, 3000, 9000]))
    batches = draw_batches(rng, table)
    parts = _outcome(iter(batches), missing="drop", **options)
    if isinstance(parts, Prepared):
        _assert_same(whole, parts)
        growing = sb.statistics(batches[0], missing="drop", **options)
        for batch in batches[1:]:
            growing.update(batch)
        growing.save(tmp_path / "stats")
        saved = sb.load_statistics(tmp_path / "stats")
        _assert_same(whole, prepare(saved, missing="drop", **options))
    else:
        assert "more different texts than fit into the memory that there is: " in str(parts[1])
        assert any(own.kind is not None for name, own in whole.decisions.items() if str(name).startswith("text"))


def _names_of_rows(rng: random.Random, rows: int) -> pa.Array:
    pattern = rng.choice(["id-{}", "note {} is a long free text", "{}.5", "2024-{}-1", "{} ?"])
    numbers = [10 + row % 90 if pattern.startswith("2024") else row for row in range(1, rows + 1)]
    texts: list[str | None] = [pattern.format(own) for own in numbers]
    for row in rng.sample(range(rows), rng.choice([0, 0, 3, rows // 4])):
        texts[row] = rng.choice([None, "x y", "again", "?"])
    rng.shuffle(texts)
    return pa.array(texts)


def test_more_texts_than_memory_holds_are_told_of_with_a_remedy(rows: Path) -> None:
    table = pq.read_table(rows)
    parts = [table.append_column("id", pa.array([f"{part}-{row}" * 40 for row in range(600)])) for part in range(40)]
    with pytest.raises(DataError, match="more different texts than fit into the memory that there is: 'id'") as caught:
        sb.learn(iter(parts), memory="16MiB", keep=["id"])
    assert sb.learn(iter(parts), memory="16MiB") == sb.learn(pa.concat_tables(parts))
    remedy: dict[str, Any] = caught.value.remedy
    assert sb.learn(iter(parts), memory="16MiB", **remedy) == sb.learn(pa.concat_tables(parts), drop=["id"])
