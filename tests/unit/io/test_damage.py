"""Damaged tables give a result or a `DataError`, never another exception and never the end of the process."""

from __future__ import annotations

import gzip
import io
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

import stablebn as sb
from stablebn import decompression as unpacking
from stablebn.columns.arrow import validation as soundness
from stablebn.errors import DataError

ROOT = Path(__file__).resolve().parents[3]
ROWS = 40
PLAIN = pa.array(["no", "yes"] * (ROWS // 2))
NOT_UTF8 = b"\xff\xc3("


@pytest.fixture(params=["few", "many"])
def looked_at(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Validate every value, as for small tables, or bounds, as for large ones."""
    if request.param == "many":
        monkeypatch.setattr(soundness, "_FEW_VALUES", 0)


def _from_buffers(type_: pa.DataType, offsets: list[int], content: bytes) -> pa.Array:
    """Make text from buffers, which PyArrow does not check."""
    numbers = np.array(offsets, dtype=np.int32 if type_ == pa.string() else np.int64)
    return pa.Array.from_buffers(type_, len(offsets) - 1, [None, pa.py_buffer(numbers), pa.py_buffer(content)])


def _text(type_: pa.DataType, *, one: bytes = b"no", offset: int | None = None) -> pa.Array:
    """Make text with one invalid value or one invalid offset in the middle."""
    values = [b"yes", b"no "] * (ROWS // 2)
    values[7] = one.ljust(3)
    offsets = [3 * i for i in range(ROWS + 1)]
    if offset is not None:
        offsets[9] = offset
    return _from_buffers(type_, offsets, b"".join(values))


def _indices(wrong: int, type_: str = "int32", *, nulls: bool = False) -> pa.Array:
    numbers: list[Any] = [0, 1] * (ROWS // 2)
    numbers[11] = wrong
    if nulls:
        numbers[5] = None
    return pa.DictionaryArray.from_arrays(pa.array(numbers, type=type_), pa.array(["no", "yes"]), safe=False)


def _views(*, wrong_buffer: bool) -> pa.Array:
    """Make text as in polars (string view), whose long values refer to a buffer by its number."""
    sound = pa.array(["no", "a text of more than twelve bytes"] * (ROWS // 2), type=pa.string_view())
    validity, views, content = sound.buffers()
    words = np.frombuffer(views, dtype=np.int32).copy()
    words[4 * 3 + 2] = 99 if wrong_buffer else 0
    words[4 * 3 + 3] += 0 if wrong_buffer else 2**30
    return pa.Array.from_buffers(sound.type, ROWS, [validity, pa.py_buffer(words), content])


DAMAGED: dict[str, Callable[[], pa.Array]] = {
    "an index one too large": lambda: _indices(2),
    "an index far too large": lambda: _indices(2**30),
    "a negative index": lambda: _indices(-1, "int8"),
    "a large unsigned index": lambda: _indices(200, "uint8"),
    "a wrong index among nulls": lambda: _indices(2**20, nulls=True),
    "an offset behind the end": lambda: _text(pa.string(), offset=2**30),
    "an offset that goes back": lambda: _text(pa.string(), offset=2),
    "a negative offset": lambda: _text(pa.string(), offset=-5),
    "a long offset behind the end": lambda: _text(pa.large_string(), offset=2**40),
    "text that is not UTF-8": lambda: _text(pa.string(), one=NOT_UTF8),
    "long text that is not UTF-8": lambda: _text(pa.large_string(), one=NOT_UTF8),
    "a dictionary that is not UTF-8": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1] * (ROWS // 2)), _from_buffers(pa.string(), [0, 3, 6], b"yes" + NOT_UTF8)
    ),
    "a letter cut in two": lambda: _from_buffers(pa.string(), list(range(ROWS + 1)), "é".encode() * (ROWS // 2)),
    "a view into no buffer": lambda: _views(wrong_buffer=True),
    "a view behind the end": lambda: _views(wrong_buffer=False),
}
EVERYWHERE = ("a dictionary that is not UTF-8", "a letter cut in two")
# What these files hold is looked at as it is written, or they have no such things.
NOT_IN_PARQUET = ("index", "offset", "view")


def _damaged_table(what: str) -> pa.Table:
    return pa.table({"good": PLAIN, "bad": DAMAGED[what]()})


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_table_in_memory_is_refused(what: str) -> None:
    with pytest.raises(DataError, match="column 'bad' is damaged"):
        sb.learn(_damaged_table(what))


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_slice_is_refused(what: str) -> None:
    with pytest.raises(DataError, match="column 'bad' is damaged"):
        sb.learn(_damaged_table(what).slice(3, 20))


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("what", [what for what in DAMAGED if what not in EVERYWHERE])
def test_damage_beyond_a_slice_does_no_harm(what: str) -> None:
    assert sb.learn(_damaged_table(what).slice(20, 20)).rows == 20


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("what", DAMAGED)
def test_damaged_columns_of_other_frames_are_refused(what: str) -> None:
    column = DAMAGED[what]()
    for source in (
        {"good": PLAIN, "bad": column},
        pa.RecordBatch.from_arrays([PLAIN, column], names=["good", "bad"]),
        pd.DataFrame({"good": pd.Series(["no", "yes"] * (ROWS // 2)), "bad": pd.arrays.ArrowExtensionArray(column)}),  # type: ignore[attr-defined,unused-ignore]
    ):
        with pytest.raises(DataError, match="column 'bad' is damaged"):
            sb.learn(source)


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("form", ["feather", "lz4.feather", "arrow", "stream.arrow"])
@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_arrow_file_is_refused(what: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    path.write_bytes(_written(_damaged_table(what), form))
    with pytest.raises(DataError):
        sb.learn(path)


@pytest.mark.parametrize("compression", ["none", "snappy"])
@pytest.mark.parametrize("what", [what for what in DAMAGED if not any(word in what for word in NOT_IN_PARQUET)])
def test_text_in_parquet_that_is_not_utf8_is_refused(what: str, compression: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(_damaged_table(what), path, compression=compression)
    with pytest.raises(DataError, match=r"UTF-?8"):
        sb.learn(path)


@pytest.mark.parametrize("form", ["feather", "arrow", "stream.arrow", "parquet"])
def test_names_that_are_not_utf8_are_refused(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    path.write_bytes(_written(pa.table({"good": PLAIN, "bad": PLAIN}), form).replace(b"bad", NOT_UTF8))
    with pytest.raises(DataError, match="UTF-8"):
        sb.learn(path)


def test_names_in_memory_that_are_not_utf8_are_refused() -> None:
    stream = _written(pa.table({"good": PLAIN, "bad": PLAIN}), "stream.arrow").replace(b"bad", NOT_UTF8)
    with pytest.raises(DataError, match=r"names of the columns are not UTF-8"):
        sb.learn(pa.ipc.open_stream(stream).read_all())


@pytest.mark.parametrize("note", [b"\xff{", b"[1]", b"{", b'{"index_columns": 3}', b"[" * 10**5])
def test_a_damaged_note_on_the_pandas_index_is_told(note: bytes) -> None:
    table = pa.table({"a": PLAIN, "b": PLAIN}).replace_schema_metadata({b"pandas": note})
    with pytest.raises(DataError, match="pandas index in the table is damaged"):
        sb.learn(table)


@pytest.mark.usefixtures("looked_at")
def test_sound_text_of_all_kinds_is_not_refused() -> None:
    """Full validation decides the cases that bounds cannot."""
    values = ["é", "", None, "a text of more than twelve bytes", "☃"] * 8
    columns = [pa.array(values, type_) for type_ in (pa.string(), pa.large_string(), pa.string_view())]
    table = pa.table([*columns, columns[0].dictionary_encode()], names=["a", "b", "c", "d"])
    for part in (table, table.slice(3, 30), pa.concat_tables([table, table.slice(1, 0), table])):
        assert sb.learn(part, missing="level").rows == part.num_rows


# Fuzzing: files of each format, damaged at random, read in a process of their own.


def _written(table: pa.Table, form: str) -> bytes:
    out = io.BytesIO()
    if form == "parquet":
        pa.parquet.write_table(table, out, row_group_size=25)
    elif form == "plain.parquet":
        pa.parquet.write_table(table, out, compression="none", use_dictionary=False, data_page_version="2.0")
    elif form == "lz4.feather":
        pa.feather.write_feather(table, out, chunksize=25, compression="lz4")
    elif form == "feather":
        pa.feather.write_feather(table, out, compression="uncompressed")
    elif form == "arrow":
        with pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table, max_chunksize=25)
    elif form == "stream.arrow":
        with pa.ipc.new_stream(out, table.schema) as writer:
            writer.write_table(table, max_chunksize=25)
    else:
        assert form == "csv.gz"
        columns = [c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c for c in table.columns]
        pa.csv.write_csv(pa.table(columns, names=table.column_names), out)
        return gzip.compress(out.getvalue(), mtime=0)
    return out.getvalue()


FORMS = ("parquet", "plain.parquet", "feather", "lz4.feather", "arrow", "stream.arrow", "csv.gz")


def _tables() -> list[pa.Table]:
    texts = ["no", "yes", "Ünlü", "a text of more than twelve bytes"]
    chosen = [random.Random(column).choices(texts, k=ROWS) for column in range(3)]
    words = pa.table(
        {
            "dictionary": pa.array(chosen[0]).dictionary_encode(),
            "text": chosen[1],
            "long": pa.array(chosen[2], pa.large_string()),
            "integer": pa.array([len(text) for text in chosen[1]], pa.int8()),
            "boolean": [text < "o" for text in chosen[2]],
        }
    )
    numbers = {name: [random.Random(f"{name}{row}").gauss() for row in range(ROWS)] for name in "xyz"}
    frame = pd.DataFrame({"a": chosen[0], "b": chosen[1]}, index=pd.Index([f"row {row}" for row in range(ROWS)]))
    return [words, pa.table(numbers), pa.Table.from_pandas(frame)]


def _damaged(content: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.05:
        return content[: chance.randrange(len(content))]
    damaged = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 8))):
        at, width = chance.randrange(len(damaged)), chance.choice((1, 2, 4, 8))
        match chance.randrange(4):
            case 0:
                damaged[at] ^= 1 << chance.randrange(8)
            case 1:
                damaged[at : at + width] = chance.choice((b"\xff", b"\0", b"\x7f")) * width
            case 2:
                damaged[at : at + width] = chance.randbytes(width)
            case _:
                other = chance.randrange(len(damaged))
                damaged[at : at + width] = damaged[other : other + width]
    return bytes(damaged)


def learn_from_damaged_files(form: str, path: str, times: int) -> None:
    """Run in the other process: print the outcome for each file."""
    files = [_written(table, form) for table in _tables()]
    for number in range(times):
        soundness._FEW_VALUES = number % 2 * 2000
        sys.stdout.write(f"{number} ")
        sys.stdout.flush()
        with open(path, "wb") as file:
            file.write(_damaged(files[number % len(files)], random.Random(f"{form} {number}")))
        try:
            sb.learn(path, "hc", max_iter=1, threads=1)
            sys.stdout.write("read\n")
        except DataError:
            sys.stdout.write("refused\n")


@pytest.mark.parametrize("form", FORMS)
def test_a_file_damaged_at_random_is_read_or_refused(form: str, tmp_path: Path) -> None:
    path, times = str(tmp_path / f"t.{form}"), 250
    program = f"from tests.unit.io.test_damage import learn_from_damaged_files as f; f({form!r}, {path!r}, {times})"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout[-80:]} {done.stderr[-2000:]}"
    outcomes = Counter(line.split()[1] for line in done.stdout.splitlines())
    assert outcomes["read"] + outcomes["refused"] == times
    assert set(outcomes) == {"read", "refused"}


# Small files that unpack to much.


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(unpacking, "MOST_BYTES", 2**20)
    return 2**20


def _packed(table: pa.Table, form: str) -> bytes:
    """Write a table with the best compression of the format."""
    out = io.BytesIO()
    packing = pa.ipc.IpcWriteOptions(compression="zstd")
    if form == "parquet":
        pa.parquet.write_table(table, out, compression="zstd")
    elif form == "plain.parquet":
        pa.parquet.write_table(table, out, compression="zstd", use_dictionary=False)
    elif form == "csv.gz":
        pa.csv.write_csv(table, out)
        return gzip.compress(out.getvalue(), mtime=0)
    else:
        make = pa.ipc.new_stream if form == "stream.arrow" else pa.ipc.new_file
        with make(out, table.schema, options=packing) as writer:
            writer.write_table(table)
    return out.getvalue()


PACKED = ("parquet", "plain.parquet", "feather", "stream.arrow", "csv.gz")


@pytest.mark.parametrize("form", PACKED)
def test_a_small_file_that_unpacks_to_much_is_refused(form: str, small_limit: int, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    zeros = pa.array(np.zeros(5 * 10**5))
    path.write_bytes(_packed(pa.table({"a": zeros, "b": zeros}), form))
    assert 100 * path.stat().st_size < small_limit
    with pytest.raises(DataError, match=r"unpacks to .* MiB.* If that is meant, (save|unpack)"):
        sb.learn(path)


def test_a_packed_dictionary_counts_too(small_limit: int, tmp_path: Path) -> None:
    long = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 5), pa.array(["a" * small_limit, "b"]))
    (tmp_path / "t.arrow").write_bytes(_packed(pa.table({"a": long, "b": long}), "arrow"))
    with pytest.raises(DataError, match="unpacks to 2 MiB"):
        sb.learn(tmp_path / "t.arrow")


@pytest.mark.parametrize("form", PACKED)
def test_a_large_table_that_packs_as_tables_do_is_read(form: str, small_limit: int, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    bits = np.random.default_rng(1).integers(0, 1000, (2, 10**5)) / 8
    path.write_bytes(_packed(pa.table({"a": bits[0], "b": bits[1]}), form))
    assert bits.nbytes > small_limit
    assert sb.learn(path).rows == 10**5


@pytest.mark.parametrize("form", ["feather", "stream.arrow"])
def test_an_arrow_file_without_compression_may_be_of_any_size(form: str, small_limit: int, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    numbers = pa.array(np.arange(10**5) % 7 / 2)
    path.write_bytes(_written(pa.table({"a": numbers, "b": numbers}), form))
    assert path.stat().st_size > small_limit
    assert sb.learn(path).rows == 10**5
