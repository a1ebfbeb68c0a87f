"""Many forms of real files: each gives the same table as a dict of its columns, or an error that says what to do."""

from __future__ import annotations

import gzip
import random
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.preparing import prepare
from tests.unit.prepare.comparing import assert_same

import stablebn as sb
from stablebn.errors import DataError, MissingExtraError, OptionError, StableBNError
from stablebn.prepare.prepared import Prepared

LETTERS = {"a": ["x", "y", "x", "y"], "b": ["p", "q", "q", "p"]}
NUMBERS = {"a": [1.5, 2.5, 3.0, 0.5], "b": [2.25, 0.5, 1.75, 9.0]}
INTEGERS = {"a": [1, 2, 1, 2], "b": [3, 3, 4, 4]}


@dataclass(frozen=True)
class Animal:
    """File, and the expected result of reading it.

    `table` is the same as a dict of columns; else `error` is what is said. `codes` are those of the cautions on how the
    file was read, `told` is something that they say.
    """

    name: str
    text: str | bytes
    table: Mapping[str, Sequence[object]] | None = None
    codes: tuple[str, ...] = ()
    told: str = ""
    error: str = ""
    file: str = "t.csv"
    options: Mapping[str, Any] = field(default_factory=dict)


def _rows(*rows: str, end: str = "\n") -> str:
    return end.join([*rows, ""])


SEMICOLONS = _rows("a;b", "x;p", "y;q", "x;q", "y;p")
COMMAS = _rows("a;b", "1,5;2,25", "2,5;0,5", "3;1,75", "0,5;9")
PLAIN = _rows("a,b", "x,p", "y,q", "x,q", "y,p")
FRENCH = {"é": ["œuf", "thé", "œuf", "thé"], "b": ["p", "q", "q", "p"]}
FRENCH_TEXT = _rows("é,b", "œuf,p", "thé,q", "œuf,q", "thé,p")
BOTH = _rows("a,b;c", "1,5;2", "2,5;3", "1,5;3", "4,5;2")

ZOO = [
    Animal("plain", PLAIN, LETTERS),
    Animal("semicolons", SEMICOLONS, LETTERS, ("dialect",), "separated by semicolons: if that is wrong, say sep="),
    Animal("tabs in a .csv", SEMICOLONS.replace(";", "\t"), LETTERS, ("dialect",), "tabs"),
    Animal("bars", SEMICOLONS.replace(";", "|"), LETTERS, ("dialect",), "bars"),
    Animal("tabs in a .tsv", SEMICOLONS.replace(";", "\t"), LETTERS, file="t.tsv"),
    Animal(
        "tabs and commas in a .tsv",
        _rows("a,1\tb,1", "x,1\tp", "y,1\tq"),
        {"a,1": ["x,1", "y,1"], "b,1": ["p", "q"]},
        file="t.tsv",
    ),
    Animal("commas in a .tsv", PLAIN, LETTERS, ("dialect",), "commas", file="t.tsv"),
    Animal("semicolons in a .txt", SEMICOLONS, LETTERS, ("dialect",), file="T.TXT"),
    Animal("gzipped semicolons", gzip.compress(SEMICOLONS.encode()), LETTERS, ("dialect",), file="t.tsv.gz"),
    Animal("a separator that was asked for", SEMICOLONS, LETTERS, options={"sep": ";"}),
    Animal("a tab that was asked for", SEMICOLONS.replace(";", "\t"), LETTERS, options={"sep": r"\t"}),
    Animal("blanks, asked for", SEMICOLONS.replace(";", " "), LETTERS, options={"sep": " "}),
    Animal("the separator said in the first line", "sep=;\n" + SEMICOLONS, LETTERS, ("dialect",), "semicolons"),
    Animal("the separator said, and a field too many", "sep=;\na;b\nx;p;q\n", error="row 2 .* has 3 fields"),
    Animal("names with semicolons", _rows("a;1,b;1", "x,p", "y,q"), {"a;1": ["x", "y"], "b;1": ["p", "q"]}),
    Animal(
        "quoted names with commas",
        _rows('"a,1";"b,1"', "x;p", "y;q"),
        {"a,1": ["x", "y"], "b,1": ["p", "q"]},
        ("dialect",),
    ),
    Animal("two separators", BOTH, error=r"separated by commas \(2 columns\) or semicolons \(2 columns\).*sep="),
    Animal(
        "two separators, decided",
        BOTH,
        {"a,b": [1.5, 2.5, 1.5, 4.5], "c": [2, 3, 3, 2]},
        ("dialect",),
        "decimal commas",
        options={"sep": ";", "kinds": {"c": "continuous"}},
    ),
    Animal("no separator fits", _rows("a,b;c", "1", "2,3"), error="say sep= .*by no separator all rows are alike"),
    Animal("a field too many", _rows("a;b", "x;p", "y;q;q"), error="row 3 .* 3 fields where the header has 2.*';'"),
    Animal("one column", _rows("a", "x", "y"), error="at least two columns, and the table has only one, 'a'"),
    Animal("decimal commas", COMMAS, NUMBERS, ("dialect",), "semicolons, decimal commas: .* sep= and decimal="),
    Animal(
        "quoted decimal commas",
        _rows("a,b", '"1,5","2,25"', '"2,5","0,5"', '3,"1,75"', '"0,5",9'),
        NUMBERS,
        ("dialect",),
        "decimal commas",
    ),
    Animal("decimal commas, asked for", COMMAS, NUMBERS, options={"sep": ";", "decimal": ","}),
    Animal(
        "decimal commas, refused",
        COMMAS,
        {"a": ["1,5", "2,5", "3", "0,5"], "b": ["2,25", "0,5", "1,75", "9"]},
        options={"sep": ";", "decimal": "."},
    ),
    Animal("points and semicolons", COMMAS.replace(",", "."), NUMBERS, ("dialect",), "semicolons: if"),
    Animal(
        "points in one column, commas in the other",
        _rows("a;b", "1,5;2.5", "2,5;3.5"),
        error="decimal commas, in 'a', and with decimal points, in 'b'. Say decimal=",
    ),
    Animal("points and commas in one column", _rows("a;b", "1,5;x", "2.5;y"), error="Say decimal="),
    Animal(
        "thousands or decimals", _rows("a;b", "1,234;x", "12,345;y"), error="set thousands apart: 'a'. Say decimal="
    ),
    Animal(
        "labels with zeros in front", _rows("a;b", "007;x", "7;y"), {"a": ["007", "7"], "b": ["x", "y"]}, ("dialect",)
    ),
    Animal("a byte order mark", b"\xef\xbb\xbf" + PLAIN.encode(), LETTERS),
    Animal("a byte order mark and semicolons", b"\xef\xbb\xbf" + SEMICOLONS.encode(), LETTERS, ("dialect",)),
    Animal("UTF-8", FRENCH_TEXT, FRENCH),
    Animal("Windows", FRENCH_TEXT.encode("cp1252"), FRENCH, ("dialect",), "text in cp1252: .* say encoding="),
    Animal("Windows, asked for", FRENCH_TEXT.encode("cp1252"), FRENCH, options={"encoding": "cp1252"}),
    Animal("Latin-1", PLAIN.replace("x", "é").encode("latin-1"), {**LETTERS, "a": ["é", "y", "é", "y"]}, ("dialect",)),
    Animal(
        "cp850, asked for",
        PLAIN.replace("x", "é").encode("cp850"),
        {**LETTERS, "a": ["é", "y", "é", "y"]},
        options={"encoding": "cp850"},
    ),
    Animal("neither UTF-8 nor Windows", PLAIN.encode().replace(b"x", b"\x81"), error="not cp1252 text. Say encoding="),
    Animal(
        "UTF-8 in part",
        _rows("a,b", "é,p").encode() + _rows("é,q").encode("latin-1"),
        error="UTF-8 in some places and not in others",
    ),
    Animal("UTF-16", FRENCH_TEXT.encode("utf-16"), FRENCH, ("dialect",), "text in utf-16"),
    Animal(
        "UTF-16, big end first",
        b"\xfe\xff" + SEMICOLONS.encode("utf-16-be"),
        LETTERS,
        ("dialect",),
        "semicolons, text in utf-16: .* sep= and encoding=",
    ),
    Animal("gzipped Windows", gzip.compress(FRENCH_TEXT.encode("cp1252")), FRENCH, ("dialect",), file="t.csv.gz"),
    Animal("UTF-16 without a mark", PLAIN.encode("utf-16-le"), error='encoding="utf-16-le"'),
    Animal("UTF-16 without a mark, asked for", PLAIN.encode("utf-16-le"), LETTERS, options={"encoding": "utf-16-le"}),
    Animal("half of UTF-16", PLAIN.encode("utf-16")[:-1], error="not utf-16 text"),
    Animal("Windows line ends", _rows(*SEMICOLONS.splitlines(), end="\r\n"), LETTERS, ("dialect",)),
    Animal("old Mac line ends", _rows(*PLAIN.splitlines(), end="\r"), LETTERS),
    Animal(
        "quoted line ends",
        _rows('"a\nb";c', '"x\r\ny";p', '"x;y";q'),
        {"a\nb": ["x\r\ny", "x;y"], "c": ["p", "q"]},
        ("dialect",),
    ),
    Animal("empty lines first", "\n\r\n" + SEMICOLONS, LETTERS, ("dialect",)),
    Animal("the index of pandas", _rows(",a,b", "0,x,p", "1,y,q", "2,x,q", "3,y,p"), LETTERS, ("index",), "left out"),
    Animal(
        "the index of pandas, saved twice",
        _rows("Unnamed: 0,a,b", "0,x,p", "1,y,q", "2,x,q", "3,y,p"),
        LETTERS,
        ("index",),
    ),
    Animal(
        "the index of R",
        _rows('"";"a";"b"', '"1";"x";"p"', '"2";"y";"q"', '"3";"x";"q"', '"4";"y";"p"'),
        LETTERS,
        ("dialect", "index"),
    ),
    Animal(
        "the index of R, without a place in the header",
        _rows("a,b", "1,x,p", "2,y,q", "3,x,q", "4,y,p"),
        LETTERS,
        ("index",),
    ),
    Animal(
        "no index: it does not count", _rows(",a,b", "7,x,p", "7,y,q", "8,x,q", "8,y,p"), {"": [7, 7, 8, 8], **LETTERS}
    ),
    Animal(
        "no index: it has a name", _rows("id,a,b", "1,x,p", "2,y,q", "3,x,q", "4,y,p"), {"id": [1, 2, 3, 4], **LETTERS}
    ),
    Animal("no index: a header that lacks a name", _rows("a,b", "5,x,p", "2,y,q"), error="row 2 .* 3 fields"),
    Animal(
        "markers of pandas",
        _rows("a;b", 'NA;""', "x;p", ";q", "NULL;q"),
        {"a": [None, "x", None, None], "b": [None, "p", "q", "q"]},
        ("dialect",),
    ),
    Animal(
        "words in quotes",
        _rows("a,b", '"NA",p', '"",q', "NA,q", '"x","NULL"'),
        {"a": ["NA", None, None, "x"], "b": ["p", "q", "q", "NULL"]},
        ("quoted-markers",),
        r"taken for values, because they are in quotes: 'a' \('NA'\), 'b' \('NULL'\)",
    ),
    Animal(
        "a question mark among numbers",
        _rows("a,b", "?,3", "2,3", "1,4"),
        {"a": [None, 2, 1], "b": [3, 3, 4]},
        ("markers",),
        r"taken for missing values: 'a' \('\?'\)",
    ),
    Animal(
        "signs among text",
        _rows("a,b", "-,p", "x,.", "?,q", "y,p"),
        {"a": [None, "x", None, "y"], "b": ["p", None, "q", "p"]},
        ("markers",),
        r"'a' \('-' '\?'\), 'b' \('\.'\)",
    ),
    Animal(
        "markers with blanks around them",
        _rows("a,b", " ?,p", "x, NA", "x,q", "y,  "),
        {"a": [None, "x", "x", "y"], "b": ["p", None, "q", None]},
        ("markers",),
    ),
    Animal("a minus beside a plus", _rows("a,b", "-,p", "+,q", "++,q"), {"a": ["-", "+", "++"], "b": ["p", "q", "q"]}),
    Animal(
        "a decimal comma and a marker",
        _rows("a;b", "1,5;x", "-;y", "2,5;x"),
        {"a": [1.5, None, 2.5], "b": ["x", "y", "x"]},
        ("dialect", "markers"),
        options={"kinds": {"a": "categorical"}},
    ),
    Animal("None is an answer", _rows("a,b", "None,p", "x,q"), {"a": ["None", "x"], "b": ["p", "q"]}),
    Animal(
        "lines of JSON",
        _rows('{"a": 1, "b": 3}', '{"a": 2, "b": 3}', "", '{"a": 1, "b": 4}', '{"a": 2, "b": 4}'),
        INTEGERS,
        file="t.jsonl",
    ),
    Animal(
        "lines of JSON with gaps",
        _rows('{"b": "p", "a": "x"}', '{"a": "?"}', '{"a": "y", "b": null}'),
        {"a": ["x", None, "y"], "b": ["p", None, None]},
        ("markers",),
        file="t.ndjson",
    ),
    Animal(
        "lines that are no objects", _rows('{"a": 1}', "[2]"), error="line 2 of .* is no JSON object", file="t.jsonl"
    ),
    Animal(
        "nested JSON",
        _rows('{"a": 1, "b": {"c": 2}, "d": "x"}', '{"a": 2, "b": {"c": 3}, "d": "y"}'),
        {"a": [1, 2], "b": [{"c": 2}, {"c": 3}], "d": ["x", "y"]},
        file="t.jsonl",
    ),
    Animal(
        "a column of JSON of two types",
        _rows('{"a": 1, "b": 1}', '{"a": "x", "b": 2}'),
        error="'a' mixes values of different types: int, str",
        file="t.jsonl",
    ),
    Animal(
        "numbers and a word",
        _rows("a,b", *(f"{row}.5,{'xy'[row % 2]}" for row in range(30)), "n.k.,x"),
        {"a": [*(f"{row}.5" for row in range(30)), "n.k."], "b": ["x", "y"] * 15 + ["x"]},
    ),
    Animal(
        "a key, a date and a remark in each row",
        _rows(
            "key,day,remark,b", *(f"{row},2024-01-{row},it was day {row} of it,{'xy'[row % 2]}" for row in range(1, 31))
        ),
        {
            "key": list(range(1, 31)),
            "day": [f"2024-01-{row}" for row in range(1, 31)],
            "remark": [f"it was day {row} of it" for row in range(1, 31)],
            "b": ["y", "x"] * 15,
        },
    ),
    Animal(
        "a column without any value",
        _rows("a,b,c", "x,,p", "y,,q"),
        {"a": ["x", "y"], "b": [None] * 2, "c": ["p", "q"]},
    ),
    Animal("true and false", _rows("a,b", "true,x", "false,y"), {"a": ["true", "false"], "b": ["x", "y"]}),
    Animal("codes as floats", _rows("a,b", *["1.0,x", "2.0,y"] * 4), {"a": [1.0, 2.0] * 4, "b": ["x", "y"] * 4}),
    Animal(
        "two things to decide",
        _rows("a,b,c", "inf,x,p", "0.5,,q", "1.5,y,q", "2.5,x,p"),
        error="2 things to mend or to decide:",
        options={"missing": "error"},
    ),
    Animal(
        "not a database", "certainly no database, whatever its name says" * 30, error="complete SQLite", file="t.db"
    ),
    Animal("an empty database", b"", error="has no tables", file="t.sqlite"),
    Animal("not a DuckDB database", "no database" * 30, error="complete DuckDB database", file="t.duckdb"),
    Animal("not a workbook", "a,b\n1,2\n", error=r"complete \.xlsx file", file="t.xlsx"),
]


PAGE = Path(__file__).resolve().parents[3] / "docs" / "zoo.md"


def _page() -> str:
    """Return the text of docs/zoo.md: the result for each file."""
    lines = [
        "# What happens to odd files?",
        "",
        "Each is a file in `tests/unit/io/test_zoo.py`, which makes this page: `python -m tests.unit.io.test_zoo`.",
        "",
        "| file | what happens |",
        "|---|---|",
    ]
    for animal in ZOO:
        if animal.table is None:
            happens = f"an error: {animal.error}"
        else:
            asked = ", ".join(f"`{option}={value!r}`" for option, value in animal.options.items())
            told = f", told under {' and '.join(f'`{code}`' for code in animal.codes)}" if animal.codes else ""
            happens = f"read{f' with {asked}' if asked else ''}{told}"
        lines.append(f"| {animal.name} | {re.sub(r'([|])', r'&#124;', happens)} |")
    return "\n".join([*lines, ""])


def test_the_page_has_all_animals_and_they_are_many() -> None:
    assert PAGE.read_text(encoding="utf-8") == _page()
    assert len(ZOO) >= 40


def _released(animal: Animal, folder: Path) -> Path:
    path = folder / animal.file
    path.write_bytes(animal.text.encode() if isinstance(animal.text, str) else animal.text)
    return path


def _assert_is(prepared: Prepared, table: Mapping[str, Sequence[object]], codes: Sequence[str], **options: Any) -> str:
    """Compare with the same table as a dict; return the warnings about how the file was read."""
    own = [
        caution for caution in prepared.warnings if caution.code in ("dialect", "index", "markers", "quoted-markers")
    ]
    assert tuple(caution.code for caution in own) == tuple(codes)
    rest = tuple(caution for caution in prepared.warnings if caution not in own)
    assert_same(replace(prepared, warnings=rest), prepare(dict(table), **options))
    return " ".join(map(str, own))


@pytest.mark.parametrize("animal", ZOO, ids=lambda animal: animal.name)
def test_a_file_is_the_same_as_a_dict_or_refused(animal: Animal, tmp_path: Path) -> None:
    path = _released(animal, tmp_path)
    options = {"missing": "level", **animal.options}
    if animal.table is None:
        with pytest.raises(DataError, match=animal.error):
            prepare(path, **options)
        return
    others = {name: value for name, value in options.items() if name in ("missing", "kinds")}
    told = _assert_is(prepare(path, **options), animal.table, animal.codes, **others)
    assert re.search(animal.told, told)


def test_what_is_recognised_can_be_overruled_only_by_what_fits(tmp_path: Path) -> None:
    path = _released(Animal("", SEMICOLONS), tmp_path)
    with pytest.raises(DataError, match="only one, 'a;b'"):
        prepare(path, sep=",")
    path = _released(Animal("", FRENCH_TEXT.encode("cp1252")), tmp_path)
    with pytest.raises(DataError, match=r"is not ascii text\. Say encoding="):
        prepare(path, encoding="ascii")


@pytest.mark.parametrize(
    ("option", "value", "error"),
    [("sep", ";;", "one character"), ("sep", "é", "one character"), ("decimal", ";", "decimal=';' is not known")]
    + [("encoding", name, f"encoding='{name}' is not known") for name in ("klingon", "base64", "rot13")],
)
def test_an_option_that_cannot_be_is_refused(option: str, value: str, error: str) -> None:
    with pytest.raises(OptionError, match=error):
        sb.learn("t.csv", **{option: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("option", ["sep", "decimal", "encoding"])
def test_options_of_text_files_are_refused_elsewhere(option: str, tmp_path: Path) -> None:
    value: Any = {"sep": ";", "decimal": ",", "encoding": "utf-8"}[option]
    with pytest.raises(OptionError, match=f"{option}= is for text files"):
        prepare(LETTERS, **{option: value})
    pq.write_table(pa.table(LETTERS), tmp_path / "t.parquet")
    with pytest.raises(OptionError, match=f"{option}= is for text files"):
        prepare(tmp_path / "t.parquet", **{option: value})


def test_markers_are_named_where_missing_values_are_refused(tmp_path: Path) -> None:
    path = _released(Animal("", _rows("a,b", "?,3", "2,3", "1,4")), tmp_path)
    with pytest.raises(DataError, match=r"missing values in 'a' \(1\).*taken for missing values: 'a' \('\?'\)"):
        prepare(path)


@pytest.mark.parametrize("marker", ["?", "-", ".", " NA"])
def test_markers_among_many_values_are_missing_too(marker: str, tmp_path: Path) -> None:
    values = [f"{i}.5" for i in range(5000)]
    path = _released(Animal("", _rows("a;b", *(f"{value};1.5" for value in values), f"{marker};2.5")), tmp_path)
    prepared = prepare(path, missing="drop")
    assert prepared.kinds == {"a": "continuous", "b": "continuous"}
    assert [caution.code for caution in prepared.warnings] == ["dialect", "markers", "dropped-rows", "constant"]


def test_decimal_commas_among_many_values_are_recognised(tmp_path: Path) -> None:
    values = [i + 0.5 for i in range(5000)]
    text = _rows("a;b", *(f"{value};{value + 0.25}".replace(".", ",") for value in values))
    table = {"a": values, "b": [value + 0.25 for value in values]}
    _assert_is(prepare(_released(Animal("", text), tmp_path)), table, ["dialect"])


CELLS = {
    "numbers": ["1", "2", "0"],
    "decimals": ["1.5", "2", "0.25"],
    "commas": ["1,5", "2", "0,25"],
    "thousands": ["1,234", "2"],
    "text": ["x", "y", "é"],
    "signs": ["+", "-", "?"],
    "gaps": ["x", "-", "NA", "", " ?"],
}


@given(data=st.data())
def test_the_order_of_rows_never_changes_what_is_recognised(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    kinds = data.draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=2, max_size=3))
    rows = data.draw(
        st.lists(st.tuples(*(st.sampled_from(CELLS[kind]) for kind in kinds)), min_size=2, max_size=8), label="rows"
    )
    index = data.draw(st.booleans())
    sep = data.draw(st.sampled_from(";\t|"))
    names = [
        *([""] if index else []),
        *(data.draw(st.sampled_from(["v", "v,w", "v|w"])) + str(i) for i in range(len(kinds))),
    ]
    lines = [sep.join([*([str(i)] if index else []), *row]) for i, row in enumerate(rows)]
    shuffled = data.draw(st.permutations(lines))
    encoding = data.draw(st.sampled_from(["utf-8", "cp1252", "utf-16"]))
    path = tmp_path_factory.getbasetemp() / "shuffled.csv"

    def recognised(lines: Sequence[str]) -> object:
        path.write_bytes(_rows(sep.join(names), *lines).encode(encoding))
        try:
            prepared = prepare(path, missing="level", kinds={})
        except DataError as error:
            # The error has the number of a row with too many or too few fields.
            return "row" if "fields where the header" in str(error) else str(error)
        levels = getattr(prepared.table, "levels", None)
        return prepared.names, prepared.kinds, levels, prepared.warnings

    assert recognised(lines) == recognised(shuffled)


def _workbook(path: Path, *sheets: Sequence[Sequence[object]]) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets, start=1):
        sheet = book.create_sheet(f"sheet {number}")
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_workbook_is_the_same_as_a_dict(tmp_path: Path) -> None:
    rows: list[list[object]] = [["a", "b"], [1, 3], [2, 3], [1, 4], [2, 4]]
    path = _workbook(tmp_path / "t.xlsx", rows)
    _assert_is(prepare(path), INTEGERS, [])
    _assert_is(prepare(f"{path}::sheet 1"), INTEGERS, [])


def test_a_workbook_has_floats_gaps_and_an_index(tmp_path: Path) -> None:
    rows: list[list[object]] = [["", "a", "b", "c"], [0, 1, True, "x"], [1, "?", False, None], [2, 2.5, True, "NA"]]
    table: dict[str, list[object]] = {"a": [1.0, None, 2.5], "b": [True, False, True], "c": ["x", None, None]}
    options: dict[str, Any] = {"missing": "level", "kinds": {"a": "categorical"}}
    path = _workbook(tmp_path / "t.xlsx", rows)
    _assert_is(prepare(path, **options), table, ["index", "markers"], **options)


def test_a_sheet_must_be_named_where_there_are_several(tmp_path: Path) -> None:
    path = _workbook(tmp_path / "t.xlsx", [["x"], [1]], [["a", "b"], [1, 3], [2, 3], [1, 4], [2, 4]])
    with pytest.raises(
        DataError, match=r"has several sheets\. Name one of 'sheet 1', 'sheet 2', for example .*::sheet 1"
    ):
        prepare(path)
    _assert_is(prepare(f"{path}::sheet 2"), INTEGERS, [])
    with pytest.raises(DataError, match="has no sheet 'x'"):
        prepare(f"{path}::x")


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_workbook_never_raises_a_foreign_error(seed: int, tmp_path: Path) -> None:
    path = _workbook(tmp_path / "t.xlsx", [["a", "b"], [1, 3], [2, 3], [1, 4], [2, 4]])
    draw = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(40):
        content[draw.randrange(len(content))] = draw.randrange(256)
    path.write_bytes(content)
    with suppress(StableBNError):
        prepare(path)


def test_a_workbook_of_a_later_zip_is_refused(tmp_path: Path) -> None:
    path = _workbook(tmp_path / "t.xlsx", [["a", "b"], [1, 3], [2, 4]])
    content = bytearray(path.read_bytes())
    # Bytes of the version that is required to decompress the first member.
    content[content.index(b"PK\x01\x02") + 6] = 138
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"complete \.xlsx file"):
        prepare(path)


def test_an_empty_sheet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is empty"):
        prepare(_workbook(tmp_path / "t.xlsx", []))


def _database(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute('CREATE TABLE "of ""letters""" (a TEXT, b TEXT)')
        database.executemany('INSERT INTO "of ""letters""" VALUES (?, ?)', zip(*LETTERS.values(), strict=True))
        database.execute("CREATE TABLE numbers (a INTEGER, b REAL)")
        database.executemany("INSERT INTO numbers VALUES (?, ?)", [(1, 1.5), (2, None), (1, 2.5)])
        database.execute("CREATE VIEW some AS SELECT a, a AS b FROM numbers")
    return path


def test_a_table_of_sqlite_is_the_same_as_a_dict(tmp_path: Path) -> None:
    path = _database(tmp_path / "t.db")
    before = path.read_bytes()
    _assert_is(prepare(f'{path}::of "letters"'), LETTERS, [])
    options: dict[str, Any] = {"missing": "level", "kinds": {"b": "categorical"}}
    _assert_is(prepare(f"{path}::numbers", **options), {"a": [1, 2, 1], "b": [1.5, None, 2.5]}, [], **options)
    _assert_is(prepare(f"{path}::some"), {"a": [1, 2, 1], "b": [1, 2, 1]}, [])
    with pytest.raises(DataError, match=r"has several tables\. Name one of 'numbers', 'of \"letters\"'"):
        prepare(path)
    with pytest.raises(DataError, match="has no table 'numbres'"):
        prepare(f"{path}::numbres")
    assert path.read_bytes() == before
    assert [own.name for own in tmp_path.iterdir()] == ["t.db"]


def test_a_table_of_duckdb_is_the_same_as_a_dict(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE numbers (a INTEGER, b INTEGER)")
        database.execute("INSERT INTO numbers VALUES (1, 3), (2, 3), (1, 4), (2, 4)")
    _assert_is(prepare(path), INTEGERS, [])
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE more AS SELECT * FROM numbers")
        database.execute(f"CREATE VIEW outside AS SELECT * FROM read_text('{path.parent}/*.txt')")
    _assert_is(prepare(f"{path}::more"), INTEGERS, [])
    with pytest.raises(DataError, match=r"has several tables\. Name one of 'more', 'numbers'"):
        prepare(path)
    (tmp_path / "secret.txt").write_text("secret")
    with pytest.raises(DataError, match="cannot be read"):
        prepare(f"{path}::outside")


@pytest.mark.parametrize(("package", "file"), [("python_calamine", "t.xlsx"), ("duckdb", "t.duckdb")])
def test_an_extra_that_is_not_installed_is_named(
    package: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, package, None)
    (tmp_path / file).write_bytes(b"")
    with pytest.raises(MissingExtraError, match=r"pip install 'stablebn\[(excel|duckdb)\]'"):
        prepare(tmp_path / file)


@pytest.mark.parametrize("file", ["t.xlsx", "t.jsonl", "t.db::x", "t.duckdb", "t.tsv", "t.txt"])
def test_a_file_that_is_not_there_is_named(file: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no file"):
        prepare(tmp_path / file)


def test_a_folder_of_parquet_files_is_one_table(tmp_path: Path) -> None:
    for name, rows in (("2.parquet", slice(2, 4)), ("1.parquet", slice(0, 2))):
        pq.write_table(pa.table({column: values[rows] for column, values in LETTERS.items()}), tmp_path / name)
    (tmp_path / "_SUCCESS").touch()
    _assert_is(prepare(tmp_path), LETTERS, [])
    pq.write_table(pa.table({"a": [1], "b": ["x"]}), tmp_path / "3.parquet")
    with pytest.raises(DataError, match=r"3\.parquet' are not those of '.*1\.parquet', or of other types: 'a'"):
        prepare(tmp_path)


def test_a_zip_bomb_is_no_workbook(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "t.xlsx", "w", zipfile.ZIP_DEFLATED) as packed, packed.open("x", "w") as member:
        for _ in range(300):
            member.write(bytes(1 << 20))
    with pytest.raises(DataError, match="unpacks to 300 MiB"):
        prepare(tmp_path / "t.xlsx")


TABLE = {"age": ["x", "y", "x", "y"], "wage": ["p", "q", "q", "p"], "n": [1, 2, 1, 2], "b,c": ["u", "u", "v", "v"]}


def _chosen(*names: str) -> Prepared:
    return prepare({name: values for name, values in TABLE.items() if name in names})


def test_columns_are_chosen() -> None:
    assert_same(prepare(TABLE, columns=["wage", "age"]), _chosen("age", "wage"))
    assert_same(prepare(TABLE, columns="wage, n"), _chosen("wage", "n"))
    assert_same(prepare(TABLE, drop=["n", "b,c"]), _chosen("age", "wage"))
    assert_same(prepare(TABLE, drop="b,c"), _chosen("age", "wage", "n"))
    weighted = prepare(TABLE, columns="age,wage", weights="n")
    assert weighted.names == ("age", "wage")
    assert weighted.table.total == 6


@pytest.mark.parametrize("option", ["columns", "drop"])
def test_unknown_columns_are_refused_with_near_names(option: str) -> None:
    with pytest.raises(OptionError, match=rf"{option}= names 'agee', not a column\. Did you mean 'age'"):
        prepare(TABLE, **{option: ["agee"]})
    with pytest.raises(OptionError, match=rf"{option}= names 'zzz', not a column\. Columns: 'age', 'wage'"):
        prepare(TABLE, **{option: "zzz"})
    with pytest.raises(OptionError, match=f"{option}=3 must be a list"):
        prepare(TABLE, **{option: 3})


def test_a_column_cannot_be_chosen_and_left_out() -> None:
    with pytest.raises(OptionError, match="both name 'n'"):
        prepare(TABLE, columns="age,wage,n", drop="n")


def test_what_is_wrong_with_a_column_that_is_not_wanted_does_not_matter() -> None:
    mixed = {**LETTERS, "c": [1, "x", None, 2.5]}
    assert_same(prepare(mixed, drop="c"), prepare(LETTERS))


@pytest.mark.parametrize("sep", [",", ";"])
def test_a_long_header_is_read_whole(sep: str, tmp_path: Path) -> None:
    names = [
        f"a column with a long name, number {i}" if sep == ";" else f"long name of column {i}" for i in range(6000)
    ]
    rows = [sep.join("xy"[(i * (r + 1) // 7) % 2] for i in range(6000)) for r in range(3)]
    path = _released(Animal("", _rows(sep.join(names), *rows)), tmp_path)
    assert prepare(path).names == tuple(names)
    # The index that R writes has no name in the header.
    path = _released(Animal("", _rows(sep.join(names), *(f"{r}{sep}{row}" for r, row in enumerate(rows)))), tmp_path)
    assert prepare(path).names == tuple(names)


def test_what_is_said_of_a_file_does_not_depend_on_its_folder(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    text = _rows(";a;b", "0;x;p", "1;y;q", "2;x;q", "3;y;p")
    one, two = (prepare(_released(Animal("", text), tmp_path / folder)) for folder in ("one", "two"))
    assert [caution.code for caution in one.warnings] == ["dialect", "index"]
    assert one.warnings == two.warnings


def test_doubled_names_are_refused_in_any_dialect(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"names must be unique: 'a' \(2 times\)"):
        prepare(_released(Animal("", _rows("a;a;b", "1;2;3")), tmp_path))


def test_a_separator_inside_a_quoted_name_is_none(tmp_path: Path) -> None:
    path = tmp_path / "quoted.csv"
    path.write_text("a,\"b,#';\",c-;;'\np,s,q\nq,s,p\n")
    assert prepare(path).names == ("a", "b,#';", "c-;;'")


if __name__ == "__main__":
    PAGE.write_text(_page(), encoding="utf-8")
