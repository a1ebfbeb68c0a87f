"""A text file that is read in parts gives the same types, encoding and graph as the same file in memory."""

from __future__ import annotations

import gzip
import itertools
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.preparing import prepare
from tests.unit.io.test_batches import FIELDS, _assert_same, _outcome

import stablebn as sb
from stablebn.errors import DataError
from stablebn.io.csv.index_column import RowNumberCheck
from stablebn.io.csv.parts import scan_text_files
from stablebn.prepare.prepared import Prepared

MEMORY = 1 << 26


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make blocks so small that small files have many, and reduce the number of texts that are examined one by one."""
    monkeypatch.setattr("stablebn.io.csv.inference.BLOCK_BYTES", 400)
    monkeypatch.setattr("stablebn.io.csv.column_types.FEW_TEXTS", 20)
    monkeypatch.setattr("stablebn.prepare.out_of_core._MOST_BATCH_ROWS", 40)
    monkeypatch.setattr("stablebn.prepare.out_of_core.MOST_BLOCK_ROWS", 64)
    monkeypatch.setattr("stablebn.prepare.out_of_core._FEWEST_ROWS", 1)


WORDS = ["a", "b c", "yes", "no", "x,y", 'say "no"', "two\nlines", "é", "007", "2024-05-01", "1.2.2024", "None", "İ"]
MARKERS = ["", "NA", "nan", " NA", "?", "-", ".", " ? ", "NULL"]
NUMBERS = ["1", "2", "-3", " 4", "5 ", "0", "+6", "1.5", ".5", "2.", "1e3", "-1E-2", "inf", "1e999", "7,5", "1,234"]
LARGE = ["9223372036854775807", "9223372036854775808", "-9223372036854775808", "123456789012345678901234567890"]
KINDS = [
    ["1", "2", "3"],
    ["0", "1"],
    ["true", "false"],
    ["True", "False", "?"],
    ["yes", "no"],
    ["+", "-"],
    ["1.5", "2.25", "3"],
    ["1,5", "2,25"],
    ["1,234", "5,678", "12"],
    ["1,234", "5,6"],
    WORDS,
    NUMBERS,
    LARGE,
    MARKERS,
    [*NUMBERS[:6], "?"],
    [*NUMBERS[7:11], "NA", "-"],
    ["2024-05-01", "2024-05-02", ""],
]


@st.composite
def columns(draw: st.DrawFn, rows: int) -> list[str]:
    """Draw a column of text: few values, or another one in each row, and possibly another sort of text in the last."""
    kind = draw(st.sampled_from(["few", "floats", "integers", "ids", "counts", "texts"]))
    rng = random.Random(draw(st.integers(0, 10**6)))
    if kind == "few":
        values = draw(st.sampled_from(KINDS))
        column = [rng.choice(values) for _ in range(rows)]
    elif kind == "floats":
        mark = draw(st.sampled_from(".,"))
        column = [
            f"{rng.choice(['', '-', '+', ' '])}{rng.random():.{rng.randint(1, 17)}f}".replace(".", mark)
            for _ in range(rows)
        ]
    elif kind == "integers":
        most = draw(st.sampled_from([30, 10**4, 2**63, 10**20]))
        column = [str(rng.randrange(-most, most)) for _ in range(rows)]
    elif kind == "ids":
        column = [f"id-{row}" for row in range(rows)]
    elif kind == "counts":
        first = draw(st.sampled_from([0, 1, 2]))
        column = [str(row + first) for row in range(rows)]
        if draw(st.booleans()):
            rng.shuffle(column)
        if draw(st.booleans()) and rows:
            column[rng.randrange(rows)] = column[0]
    else:
        column = ["".join(rng.choice('ab 1,.é-\n"') for _ in range(rng.randrange(6))) for _ in range(rows)]
    for value in draw(st.lists(st.sampled_from([*WORDS, *MARKERS, *NUMBERS, *LARGE]), max_size=1)):
        if rows:
            column[rng.choice([0, rows - 1])] = value
    return column


@st.composite
def files(draw: st.DrawFn) -> tuple[str, bytes, dict[str, Any]]:
    """Draw the name of a text file, its contents, and reading options."""
    rows = draw(st.sampled_from([0, 1, 3, 30, 120]))
    table = draw(st.lists(columns(rows), min_size=1, max_size=5))
    names = draw(
        st.lists(
            st.sampled_from(["a", "b", "c", "d", "é", "b c", "x,y", "", "Unnamed: 0", "a\nb"]),
            min_size=len(table),
            max_size=len(table),
            unique=draw(st.integers(0, 9)) > 0,
        )
    )
    sep = draw(st.sampled_from([",", ",", ";", "\t", "|"]))
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    always = draw(st.booleans())

    def field(text: str) -> str:
        quoted = always or any(mark in text for mark in f'{sep}"\n\r')
        return '"' + text.replace('"', '""') + '"' if quoted else text

    header = names[1:] if len(names) > 1 and draw(st.integers(0, 5)) == 0 else names
    lines = [sep.join(map(field, row)) for row in [header, *zip(*table, strict=True)]]
    if draw(st.integers(0, 7)) == 0:
        place = draw(st.integers(0, len(lines)))
        lines.insert(place, draw(st.sampled_from([f"1{sep}2", "x", '"open', f"{sep}" * 7, "", "z" * 500])))
    if draw(st.integers(0, 9)) == 0:
        lines.insert(0, f"sep={sep}")
    text = end.join(lines) + draw(st.sampled_from([end, end, ""]))
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "latin-1"]))
    content = text.encode(encoding, "replace")
    if draw(st.integers(0, 15)) == 0:
        place = draw(st.integers(0, len(content)))
        content = content[:place] + draw(st.sampled_from([b"\xff", b"\0", b"\xc3\xa9", b'"'])) + content[place:]
    options: dict[str, Any] = {"missing": draw(st.sampled_from(["error", "drop", "level", "available"]))}
    if draw(st.integers(0, 3)) == 0:
        options["decimal"] = draw(st.sampled_from([".", ","]))
    if draw(st.integers(0, 3)) == 0:
        options["sep"] = sep
    if draw(st.integers(0, 3)) == 0:
        options["encoding"] = draw(st.sampled_from([encoding, "utf-8", "cp1252", "utf-16", "utf-7", "gbk"]))
    if draw(st.integers(0, 5)) == 0:
        options["weights"] = draw(st.sampled_from(names))
    if draw(st.integers(0, 5)) == 0:
        options["kinds"] = draw(st.sampled_from(["categorical", "continuous"]))
    if draw(st.integers(0, 5)) == 0:
        options["drop"] = [draw(st.sampled_from(names))]
    ending = draw(st.sampled_from([".csv", ".csv", ".tsv", ".txt", ".csv.gz"]))
    return f"t{ending}", gzip.compress(content) if ending.endswith(".gz") else content, options


_number = itertools.count()


@given(file=files(), threads=st.sampled_from([1, 2]))
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_text_file_in_parts_is_the_file_in_memory(
    file: tuple[str, bytes, dict[str, Any]], threads: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    name, content, options = file
    folder = tmp_path_factory.getbasetemp() / f"drawn {next(_number)}"
    folder.mkdir()
    path = folder / name
    path.write_bytes(content)
    whole = _outcome(path, **options)
    parts = _outcome(path, memory=MEMORY, threads=threads, **options)
    _assert_same(whole, parts)
    if isinstance(whole, Prepared):
        assert sb.learn(path, **options) == sb.learn(path, memory=MEMORY, **options)


@pytest.mark.parametrize("split", [1, 2, 5])
@pytest.mark.parametrize("index", [True, False])
def test_text_files_of_a_folder_are_one_table(split: int, index: bool, tmp_path: Path) -> None:
    rng = random.Random(split)
    rows = [
        (str(rng.randrange(3)), f"{rng.random()}", rng.choice(["1", "2", "?"]), rng.choice(["x", "y"]))
        for _ in range(200)
    ]
    rows[-1] = ("three", *rows[-1][1:])
    (tmp_path / "whole.csv").write_text("\n".join(["a,b,c,d", *map(",".join, rows), ""]))
    folder = tmp_path / "rows"
    folder.mkdir()
    for part in range(split):
        own = [",".join([*([str(n)] if index else []), *row]) for n, row in enumerate(rows[part::split])]
        (folder / f"{part}.csv").write_text("\n".join([",a,b,c,d" if index else "a,b,c,d", *own, ""]))
    (folder / "notes.txt").write_text("not a table")
    options: dict[str, Any] = {"missing": "drop"}
    found = prepare(folder, **options)
    whole = prepare(tmp_path / "whole.csv", **options)
    assert found.blocks is not None
    for name in FIELDS:
        if name != "warnings":
            assert getattr(found, name) == getattr(whole, name), name
    assert [own.code for own in found.warnings if own.code != "index"] == [own.code for own in whole.warnings]
    assert ("index" in [own.code for own in found.warnings]) == index
    assert sb.learn(folder, **options).fingerprint == sb.learn(tmp_path / "whole.csv", **options).fingerprint
    assert sb.learn(f"{folder}/*.csv", **options) == sb.learn(folder, **options)


def test_text_files_with_other_columns_are_refused(tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("a,b\n1,2\n")
    (tmp_path / "1.csv").write_text("a,c\n1,2\n")
    with pytest.raises(DataError, match=r"columns of '.*1\.csv' are not those of '.*0\.csv'"):
        prepare(tmp_path)


def test_a_text_file_is_found_again_in_the_cache(tmp_path: Path) -> None:
    path, cache = tmp_path / "t.csv", tmp_path / "cache"
    path.write_text("a;b\n" + "1,5;x\n2,5;y\n3,5;x\n0,5;z\n" * 9)
    stages: list[str] = []
    asked: list[dict[str, Any]] = [{}, {}, {"decimal": "."}]
    found = [prepare(path, cache=cache, progress=lambda stage, _: stages.append(stage), **options) for options in asked]
    assert stages == ["reading", "encoding", "reading", "reading", "encoding"]
    _assert_same(prepare(path), found[1])
    _assert_same(prepare(path, decimal="."), found[2])
    assert "fields separated by semicolons, decimal commas" in str(found[1].warnings[0])


def test_a_file_that_changes_meanwhile_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n")

    def changing(*arguments: Any) -> Any:
        found = scan_text_files(*arguments)
        path.write_text("a,b\n1,2\n3,five\n")
        return found

    monkeypatch.setattr("stablebn.io.batches.scan_text_files", changing)
    with pytest.raises(DataError, match=r"'.*t\.csv' has changed while it was read"):
        prepare(path, memory=MEMORY)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (range(100), True),
        (range(1, 101), True),
        (range(2, 102), False),
        ([*range(99), 98], False),
        ([*range(100)][::-1], True),
        ([0, *range(1, 98), 99, 99], False),
        ([], False),
        ([0], True),
        ([-1, 0, 1], False),
        ([5, 10**18], False),
    ],
)
def test_rows_that_are_counted_are_recognised_in_parts(values: Any, expected: bool) -> None:
    counted = RowNumberCheck()
    texts = [str(value).encode() for value in values]
    for first in range(0, len(texts), 7):
        counted.add(pa.array(texts[first : first + 7], pa.binary()).dictionary_encode())
    assert counted.counts_rows() is expected
