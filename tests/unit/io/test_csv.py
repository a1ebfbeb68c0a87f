"""CSV files: types are inferred from whole columns, and no value is lost."""

import gzip
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.preparing import prepare

from stablebn.columns.na_values import PANDAS_MARKERS
from stablebn.errors import DataError, StableBNError
from stablebn.prepare.prepared import Prepared
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.csv"


def _prepare(path: Path, text: str | bytes, missing: str = "error") -> Prepared:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return prepare(path, missing=missing)


def _levels(path: Path, *fields: str, missing: str = "error") -> object:
    lines = [f"{field},{i % 2}" for i, field in enumerate(fields)]
    table = _prepare(path, "\n".join(["a,b", *lines, ""]), missing).table
    first = table.select([0])
    assert not isinstance(first, MixedTable)
    return first.levels[0] if isinstance(first, CategoricalTable) else first.values[0].tolist()


def test_a_type_depends_on_every_row_and_not_on_the_first_block(path: Path) -> None:
    rows = ["1,x", "2,y"] * 1_200_000
    table = _prepare(path, "\n".join(["a,b", *rows, "three,x"])).table
    assert isinstance(table, CategoricalTable)
    assert table.levels == (("1", "2", "three"), ("x", "y"))
    assert table.codes.shape == (2, 2_400_001)


def test_integers_are_integers(path: Path) -> None:
    assert _levels(path, "10", "-2", " 0", "10") == (-2, 0, 10)


def test_leading_zeros_make_text(path: Path) -> None:
    assert _levels(path, "007", "7") == ("007", "7")
    assert _levels(path, "01.5", "7") == ("01.5", "7")


def test_integers_beyond_64_bits_stay_text(path: Path) -> None:
    assert _levels(path, "9223372036854775808", "1") == ("1", "9223372036854775808")


def test_quoted_numbers_are_numbers(path: Path) -> None:
    assert _levels(path, '"2"', '"1"') == (1, 2)


def test_decimals_are_continuous(path: Path) -> None:
    text = "a,b\n1,2.5\n.5,1e-3\n+3, 4.\n-1,0.1\n"
    table = _prepare(path, text).table
    assert isinstance(table, ContinuousTable)
    assert table.values.tolist() == [[1, 0.5, 3, -1], [2.5, 0.001, 4, 0.1]]


@pytest.mark.parametrize("infinity", ["inf", "-Inf", "Infinity", "1e999"])
def test_an_infinity_is_a_number_and_reported(path: Path, infinity: str) -> None:
    with pytest.raises(DataError, match=r"infinite values in 'a' \(1\)"):
        _prepare(path, f"a,b\n1.5,2.5\n{infinity},3.5\n")


@pytest.mark.parametrize("spelling", PANDAS_MARKERS)
def test_missing_values_are_missing_unless_they_are_words_in_quotes(path: Path, spelling: str) -> None:
    assert _levels(path, "x", spelling, missing="level") == ("x", None)
    quoted = (None,) if spelling == "" else (spelling,)
    assert set(_levels(path, "x", f'"{spelling}"', missing="level")) == {"x", *quoted}  # type: ignore[call-overload]


@pytest.mark.parametrize("spelling", ["NA", "NULL", "nan"])
def test_a_quoted_word_among_many_numbers_is_missing(path: Path, spelling: str) -> None:
    numbers = [f'"{i}.5"' for i in range(30)]
    text = "\n".join(["a,b", *(f"{number},{i % 3}" for i, number in enumerate([*numbers, f'"{spelling}"'])), ""])
    assert _prepare(path, text, "drop").table.total == 30
    # Few distinct numbers may be codes, and the word may be one of them.
    assert _levels(path, "1", "2", f'"{spelling}"') == ("1", "2", spelling)


def test_a_warning_names_quoted_words_that_are_read_as_values(path: Path) -> None:
    (warning,) = _prepare(path, 'a,b\n"NA",x\nno,y\nyes,x\n').warnings
    assert warning.code == "quoted-markers"
    assert "'a' ('NA')" in warning.message


@pytest.mark.parametrize("rows", [3, 6000])
@pytest.mark.parametrize("quote", ["", '"'])
def test_na_values_replace_the_markers(path: Path, quote: str, rows: int) -> None:
    fields = [f"x{i}" for i in range(rows)] + ["NA", "?", "-99", " -99", ""]
    text = "\n".join(["a,b", *(f"{quote}{field}{quote},{i % 2}" for i, field in enumerate(fields)), ""])
    path.write_text(text)
    table = prepare(path, na_values=["-99"], missing="level", keep="a").table
    assert isinstance(table, CategoricalTable)
    assert set(table.levels[0]) == {*fields[:-3], None}
    assert prepare(path, na_values="", missing="drop", keep="a").table.total == len(fields) - 1


def test_na_values_hold_among_numbers(path: Path) -> None:
    path.write_text("\n".join(["a,b", *(f"{i}.25,{i % 3}" for i in range(60)), "-99,1", ""]))
    assert prepare(path, missing="drop").table.total == 61
    assert prepare(path, missing="drop", na_values="-99").table.total == 60
    assert prepare(path, missing="drop", na_values=["-99", "2"]).table.total == 40


def test_a_sign_is_no_marker_that_na_values_do_not_name(path: Path) -> None:
    fields = [*(f"{i}.25" for i in range(60)), *["?"] * 60]
    path.write_text("\n".join(["a,b", *(f"{field},{i % 2}" for i, field in enumerate(fields)), ""]))
    assert prepare(path, missing="drop").kinds["a"] == "continuous"
    assert prepare(path, na_values="NA").kinds["a"] == "categorical"


def test_none_is_an_answer_and_not_missing(path: Path) -> None:
    assert _levels(path, "None", "Some") == ("None", "Some")


def test_an_empty_column_is_set_aside(path: Path) -> None:
    prepared = _prepare(path, "a,b\n,1\n,2\n")
    assert prepared.names == ("a", "b")
    assert prepared.aside == ("a",)


def test_byte_order_mark_and_windows_line_ends_leave_no_trace(path: Path) -> None:
    prepared = _prepare(path, b'\xef\xbb\xbf"a",b\r\nx,"u\r\nv"\r\ny,w\r\n')
    assert prepared.names == ("a", "b")
    assert isinstance(prepared.table, CategoricalTable)
    assert prepared.table.levels == (("x", "y"), ("u\r\nv", "w"))


def test_quotes_protect_commas_quotes_and_line_ends(path: Path) -> None:
    assert _levels(path, '"x,y"', '"say ""no"""', '"two\nlines"') == ('say "no"', "two\nlines", "x,y")


def test_gzip_in_several_members_is_read_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,x\n") + gzip.compress(b"2,y\n"))
    assert prepare(path).rows == 2


@pytest.mark.parametrize(("row", "fields"), [("1,2,3", 3), ("1", 1)])
def test_a_row_with_too_many_or_too_few_fields_is_named(path: Path, row: str, fields: int) -> None:
    with pytest.raises(DataError, match=rf"row 3 .* has {fields} fields where the header has 2: '{row}'"):
        _prepare(path, f"a,b\n1,2\n{row}\n")


def test_a_quote_that_is_never_closed_is_reported(path: Path) -> None:
    with pytest.raises(DataError, match="inside a quoted field: close the quote opened in row 3"):
        _prepare(path, 'a,b\n1,2\n3,"4\n5,6\n7,8\n')


def test_an_encoding_that_was_asked_for_and_is_wrong_is_named(path: Path) -> None:
    path.write_bytes("a,b\n1,é\n2,x\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"column 'b' of .* is not UTF-8"):
        prepare(path, encoding="utf-8")
    path.write_bytes("é,b\n1,2\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"the header of .* is not UTF-8"):
        prepare(path, encoding="utf-8")


def test_a_header_alone_has_no_rows(path: Path) -> None:
    with pytest.raises(DataError, match="no rows"):
        _prepare(path, "a,b\n")


@pytest.mark.parametrize("file", ["t.csv", "t.csv.gz", "t.parquet", "t.feather", "t.arrow"])
def test_a_file_that_cannot_be_read_is_named(file: str, tmp_path: Path) -> None:
    path = tmp_path / file
    with pytest.raises(DataError, match=f"there is no file '.*{file}'"):
        prepare(path)
    path.write_bytes(b"")
    with pytest.raises(DataError, match=f"{file}' cannot be read"):
        prepare(path)
    if file != "t.csv":
        path.write_bytes(b"certainly not what the name says")
        with pytest.raises(DataError, match=f"{file}' cannot be read"):
            prepare(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(DataError, match=f"{file}' is a directory"):
        prepare(path)


def test_a_truncated_gzip_is_not_half_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    whole = gzip.compress(b"a,b\n" + b"1,x\n2,y\n" * 10_000)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"t\.csv\.gz' cannot be read"):
        prepare(path)


@pytest.mark.parametrize("source", ["table.ods", "table", "a,b\n1,2\n"])
def test_a_path_of_no_known_format_lists_the_known_ones(source: str) -> None:
    with pytest.raises(DataError, match=r"'\.csv', '\.csv\.gz', .* '\.parquet', '\.feather', '\.arrow', '\.xlsx'"):
        prepare(source)


def test_an_empty_path_is_named() -> None:
    with pytest.raises(DataError, match="no file can be called ''"):
        prepare("")


@given(
    body=st.binary(max_size=200),
    file=st.sampled_from(["t.csv", "t.csv.gz", "t.parquet", "t.arrow", "t.xlsx", "t.jsonl", "t.db", "t.tsv"]),
)
def test_random_bytes_never_raise_a_foreign_error(
    body: bytes, file: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / file
    path.write_bytes(body)
    with suppress(StableBNError):
        prepare(path)


@given(text=st.text(st.sampled_from('ab1,.-"\n\r NA'), max_size=60))
def test_random_csv_never_raises_a_foreign_error(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "random.csv"
    path.write_text("a,b\n" + text, newline="")
    with suppress(StableBNError):
        prepare(path, missing="level")


@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=4, max_size=20, unique=True))
def test_floats_come_through_csv_bit_for_bit(values: list[float], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "floats.csv"
    path.write_text("\n".join(["a,b", *(f"{value!r},{i}.5" for i, value in enumerate(values)), ""]))
    table = prepare(path).table
    assert isinstance(table, ContinuousTable)
    np.testing.assert_array_equal(table.values[0], np.array(values) + 0.0)
