"""Encode Arrow columns as arrays: categories as codes and levels, numbers as float64."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.columns.arrow.conversion import Columns
from stablebn.columns.arrow.dictionaries import bits_of, indices_beneath_nulls
from stablebn.columns.column import CategoricalColumn, Kind, Mask, NumericColumn
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.kinds import family
from stablebn.columns.small_integers import close_integers
from stablebn.errors import DataError, listed
from stablebn.table.table import CategoricalTable, Codes, ContinuousTable, MixedTable, Name, Table, Weights


@dataclass(frozen=True)
class Categories(CategoricalColumn):
    """Categorical column in memory.

    Attributes
    ----------
    codes : unsigned or int32 array [rows]
        Index of the value in `levels`; ``len(levels)`` for a missing value.
    levels : tuple
        The values that occur, sorted; or all declared levels.
    is_complete : bool
        Whether it is known that every row has a value, so that codes need not be scanned.
    """

    codes: Codes
    levels: tuple[Hashable, ...]
    is_complete: bool = False

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def has_missing(self) -> bool:
        """Whether some row has no value."""
        return not self.is_complete and int(self.codes.max(initial=0)) == len(self.levels)

    @property
    def missing(self) -> Mask:
        """Rows without a value."""
        return np.asarray(self.codes == len(self.levels))

    @property
    def missing_count(self) -> int:
        """Number of rows without a value."""
        return int(self.missing.sum()) if self.has_missing else 0

    def keep(self, rows: Mask) -> Categories:
        """Return the column with only these rows, and the levels that occur in them."""
        kept = self.codes[rows]
        occurs = np.bincount(kept, minlength=len(self.levels) + 1) > 0
        rank = np.cumsum(occurs) - 1
        levels = tuple(level for level, used in zip(self.levels, occurs, strict=False) if used)
        return Categories(narrow(rank[kept], len(levels)), levels)

    def with_levels(self, levels: tuple[Hashable, ...]) -> Categories:
        """Return the column with these levels, which include its own; a missing value keeps the last code."""
        if levels == self.levels:
            return self
        code_of = {level: code for code, level in enumerate(levels)}
        codes = np.array([*(code_of[level] for level in self.levels), len(levels)])
        return Categories(narrow(codes[self.codes], len(levels)), levels, self.is_complete)

    def with_missing_level(self) -> Categories:
        """Return the column with None as the last level if a value is missing."""
        return Categories(self.codes, (*self.levels, None)) if self.has_missing else self

    def with_numbers(self, numbers: Sequence[float]) -> Numbers:
        """Return the continuous column that replaces each level by a number; NaN means missing."""
        return Numbers(np.array([*numbers, np.nan])[self.codes])


@dataclass(frozen=True)
class Numbers(NumericColumn):
    """Continuous column in memory.

    Attributes
    ----------
    values : float64 array [rows]
        NaN for missing values.
    """

    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest value; both are NaN if a value is missing."""
        return float(self.values.min(initial=np.inf)), float(self.values.max(initial=-np.inf))

    @property
    def has_missing(self) -> bool:
        """Whether some row has no value."""
        return math.isnan(self.limits[0])

    @property
    def missing(self) -> Mask:
        """Rows without a value."""
        return np.isnan(self.values)

    @property
    def missing_count(self) -> int:
        """Number of rows without a value."""
        return int(self.missing.sum()) if self.has_missing else 0

    @property
    def infinite(self) -> int:
        """Number of rows with an infinite value."""
        return 0 if all(map(math.isfinite, self.limits)) else int(np.isinf(self.values).sum())

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return not self.values.size or (self.has_missing and bool(self.missing.all()))

    @property
    def is_constant(self) -> bool:
        """Whether all values are the same, ignoring missing ones."""
        if self.has_missing:
            return bool(((self.values == self.constant_value) | self.missing).all())
        return self.limits[0] == self.limits[1]

    @property
    def constant_value(self) -> Hashable:
        """The first value that is not missing."""
        return float(self.values[np.argmin(self.missing)])

    def keep(self, rows: Mask) -> Numbers:
        """Return the column with only these rows."""
        return Numbers(self.values[rows])


Encoded: TypeAlias = Categories | Numbers


def encode(
    columns: Columns, kinds: Mapping[Name, Kind], problems: ErrorCollector, *, threads: int = 1
) -> dict[Name, Encoded]:
    """Encode columns as arrays, by their kinds.

    Parameters
    ----------
    columns : dict of name to pyarrow.ChunkedArray
        Columns of supported types.
    kinds : mapping of name to kind
        Columns of text must not be continuous.
    problems : ErrorCollector
        Collects the errors of columns that cannot be encoded.
    threads : int

    Returns
    -------
    dict of name to Categories or Numbers
        The columns without errors. Columns of one kind that are not constant are the first rows of one matrix.
    """
    categorical = {name: column for name, column in columns.items() if kinds[name] == "categorical"}
    continuous = {name: column for name, column in columns.items() if kinds[name] != "categorical"}
    encoded: dict[Name, Encoded] = {
        **_categories(categorical, threads),
        **_numbers(_as_floats(continuous, problems), threads),
    }
    return {name: encoded[name] for name in columns if name in encoded}


def refuse_too_large(names: Sequence[Name]) -> None:
    """Raise `DataError` if there are columns of integers that floats cannot hold exactly."""
    if names:
        raise DataError(
            f"integers beyond 2**53 cannot be continuous without being rounded: {listed(names)}. "
            "Cast them to float if that does no harm, or leave the columns out.",
            columns=names,
            remedy={"drop": names},
        )


def tabulate(
    columns: Mapping[Name, Encoded], rows: int, weights: Weights | None, *, may_have_holes: bool = False
) -> Table:
    """Put columns into a table.

    Parameters
    ----------
    columns : mapping of name to Categories or Numbers
    rows : int
        Length of the columns, also if there are no columns.
    weights : int64 array [rows] or None
    may_have_holes : bool
        Whether columns may have missing values.

    Returns
    -------
    CategoricalTable, ContinuousTable or MixedTable
        Categorical if there are no columns. Weights that are all 1 are replaced by None.
    """
    if weights is not None and (weights == 1).all():
        weights = None
    holes = [name for name, column in columns.items() if may_have_holes and column.missing.any()]
    numbers = {name: column for name, column in columns.items() if isinstance(column, Numbers)}
    categories = {name: column for name, column in columns.items() if isinstance(column, Categories)}
    if not numbers:
        return _categorical_table(categories, rows, weights, holes)
    continuous = _continuous_table(numbers, rows, weights, holes)
    if not categories:
        return continuous
    return MixedTable(tuple(columns), _categorical_table(categories, rows, weights, holes), continuous)


def _continuous_table(
    columns: Mapping[Name, Numbers], rows: int, weights: Weights | None, with_holes: Collection[Name]
) -> ContinuousTable:
    values = _stacked([column.values for column in columns.values()], rows, np.dtype(np.float64))
    for row, name in zip(values, columns, strict=True):
        if name in with_holes:
            # All NaN get the same bits.
            row[np.isnan(row)] = np.nan
    return ContinuousTable(tuple(columns), values, weights, _indices_of(columns, with_holes))


def _categorical_table(
    columns: Mapping[Name, Categories], rows: int, weights: Weights | None, with_holes: Collection[Name]
) -> CategoricalTable:
    greatest = max((len(column.levels) - (name not in with_holes) for name, column in columns.items()), default=0)
    codes = _stacked([column.codes for column in columns.values()], rows, code_type(greatest))
    levels = tuple(column.levels for column in columns.values())
    return CategoricalTable(tuple(columns), codes, levels, weights, _indices_of(columns, with_holes))


def _indices_of(columns: Mapping[Name, Encoded], some: Collection[Name]) -> frozenset[int]:
    return frozenset(index for index, name in enumerate(columns) if name in some)


def _stacked(arrays: Sequence[NDArray[Any]], rows: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Stack arrays as a matrix; if they are the first rows of one matrix already, return a view of it."""
    matrix = arrays[0].base if arrays else None
    if isinstance(matrix, np.ndarray) and matrix.dtype == dtype and matrix.shape[1:] == (rows,):
        first, step = _address(matrix), matrix.strides[0]
        if all(array.base is matrix and _address(array) == first + i * step for i, array in enumerate(arrays)):
            return matrix[: len(arrays)]
    matrix = np.empty((len(arrays), rows), dtype=dtype)
    # Copied column by column, so that Ctrl-C takes effect in between.
    for row, array in zip(matrix, arrays, strict=True):
        row[:] = array
    return matrix


def _address(array: NDArray[Any]) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values as text, booleans, 64-bit integers or float64; NaN as null, -0.0 as 0.0."""
    target = _plain_type(column.type)
    if pa.types.is_dictionary(column.type):
        # Each chunk may have its own dictionary, with duplicate and null entries.
        chunks = [chunk.dictionary.cast(target).take(chunk.indices) for chunk in column.chunks]
        column = pa.chunked_array(chunks, type=target)
    else:
        column = column.cast(target)
    if pa.types.is_floating(target):
        # Imported here because the import is slow and few columns need it.
        import pyarrow.compute as pc

        column = pc.add(pc.if_else(pc.is_nan(column), None, column), 0.0)
    return column


def _plain_type(type_: pa.DataType) -> pa.DataType:
    values = type_.value_type if pa.types.is_dictionary(type_) else type_
    match family(values):
        case "text":
            return pa.large_string()
        case "boolean":
            return pa.bool_()
        case "integer":
            return pa.uint64() if pa.types.is_unsigned_integer(values) else pa.int64()
        case _:
            return pa.float64()


def _as_floats(columns: Columns, problems: ErrorCollector) -> Columns:
    """Convert columns to float64; collect the errors of those that would have to be rounded, and leave them out."""
    floats = {name: _as_float(column) for name, column in columns.items()}
    with problems.collected():
        refuse_too_large([name for name, column in floats.items() if column is None])
    return {name: column for name, column in floats.items() if column is not None}


def _as_float(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    try:
        return column if pa.types.is_float64(column.type) else plain(column).cast(pa.float64())
    except pa.ArrowInvalid:
        return None


def _numbers(columns: Columns, threads: int) -> dict[Name, Numbers]:
    """Copy columns of float64 to the rows of one matrix, with NaN for missing values and 0.0 for -0.0."""
    matrix = np.empty((len(columns), _length(columns)), dtype=np.float64)
    chunks: list[NDArray[np.float64]] = []
    targets: list[NDArray[np.float64]] = []
    for row, column in zip(matrix, columns.values(), strict=True):
        at = 0
        for chunk in column.chunks:
            target = row[at : at + len(chunk)]
            at += len(chunk)
            if chunk.null_count:
                np.add(chunk.to_numpy(zero_copy_only=False), 0.0, out=target)
            else:
                chunks.append(_view(chunk))
                targets.append(target)
    if chunks:
        # Imported here so that errors in the data are reported without loading the core.
        from stablebn import _core

        _core.copy_numbers(chunks, targets, threads)
    return {name: Numbers(row) for name, row in zip(columns, matrix, strict=True)}


def _view(array: pa.Array) -> NDArray[Any]:
    """Return the numbers of an array without nulls, not copied."""
    # `to_numpy` would import pandas, which takes longer than all the rest.
    return np.from_dlpack(array)


def _length(columns: Columns) -> int:
    return len(next(iter(columns.values()))) if columns else 0


@dataclass(frozen=True)
class IndexedChunk:
    """Some rows of a categorical column, as indices into a list of values.

    Attributes
    ----------
    indices : integer array [rows]
    values : sequence
        May have duplicates; None means missing.
    least : int
        The index of the first value.
    occurring : sequence of int, optional
        Indices, from 0, of the values that occur, if known.
    """

    indices: NDArray[np.integer]
    values: Sequence[Any]
    least: int = 0
    occurring: Sequence[int] | None = None


def _categories(columns: Columns, threads: int) -> dict[Name, Categories]:
    """Encode columns by the sorted values that occur, writing the codes directly to the rows of one matrix."""
    if not columns:
        return {}
    from stablebn import _core

    parts = parts_of(columns, threads)
    occurring = _occurring(parts, threads)
    levels = {name: tuple(sorted(values - {None})) for name, values in occurring.items()}
    greatest = max(len(sorted_) - (None not in occurring[name]) for name, sorted_ in levels.items())
    type_ = code_type(greatest)
    matrix: Codes = np.empty((len(columns), _length(columns)), dtype=type_)
    # Constant columns come last, so that the first rows of the matrix are the table that is learned from.
    rows = dict(zip(sorted(columns, key=lambda name: len(occurring[name]) == 1), matrix, strict=True))
    every: list[IndexedChunk] = []
    codes: list[Codes] = []
    out: list[Codes] = []
    for name, chunks in parts.items():
        at = 0
        code_of = {value: code for code, value in enumerate(levels[name])}
        if None in occurring[name]:
            code_of[None] = len(levels[name])
        values: Sequence[Any] = ()
        codes_of_values: Codes = matrix[0, :0]
        for chunk in chunks:
            if chunk.values is not values:
                values = chunk.values
                # The code of a value that does not occur is never used.
                codes_of_values = np.array([code_of.get(value, 0) for value in values], dtype=type_)
            every.append(chunk)
            codes.append(codes_of_values)
            out.append(rows[name][at : at + len(chunk.indices)])
            at += len(chunk.indices)
    _core.translate([chunk.indices for chunk in every], [chunk.least for chunk in every], codes, out, threads)
    return {name: Categories(rows[name], levels[name], None not in occurring[name]) for name in columns}


def _occurring(parts: Mapping[Name, Sequence[IndexedChunk]], threads: int) -> dict[Name, set[Any]]:
    """Return the values of each column that occur."""
    from stablebn import _core

    unknown = [chunk for chunks in parts.values() for chunk in chunks if chunk.occurring is None]
    found = iter(
        _core.occurring(
            [chunk.indices for chunk in unknown],
            [chunk.least for chunk in unknown],
            [len(chunk.values) for chunk in unknown],
            threads,
        )
    )
    occurring: dict[Name, set[Any]] = {}
    for name, chunks in parts.items():
        values = occurring[name] = set()
        for chunk in chunks:
            values.update(chunk.values[i] for i in (next(found) if chunk.occurring is None else chunk.occurring))
    return occurring


def parts_of(columns: Columns, threads: int) -> dict[Name, list[IndexedChunk]]:
    """Represent columns as indices into lists of values; the indices of a dictionary are used without decoding."""
    from stablebn import _core

    parts: dict[Name, list[IndexedChunk]] = {}
    texts: dict[Name, list[_TextChunk]] = {}
    for name, column in columns.items():
        _core.check_time()
        if pa.types.is_dictionary(column.type):
            parts[name] = _dictionary_parts(column)
        elif (close := close_integers(column)) is not None:
            parts[name] = [IndexedChunk(chunk, close.values, close.least_bits) for chunk in close.chunks]
        elif family(column.type) == "text":
            texts[name] = [_text_chunk(chunk) for chunk in column.chunks if len(chunk)]
        elif pa.types.is_boolean(column.type) and not column.null_count:
            parts[name] = [IndexedChunk(bits_of(chunk.buffers()[1], chunk), (False, True)) for chunk in column.chunks]
        else:
            parts[name] = _dictionary_parts(plain(column).dictionary_encode())
    numbered = _core.numbered_texts(list(texts.values()), threads)
    for name, (numbers, distinct) in zip(texts, numbered, strict=True):
        first = 0 if columns[name].null_count else 1
        parts[name] = [IndexedChunk(numbers, [None, *distinct], occurring=range(first, len(distinct) + 1))]
    return parts


def _dictionary_parts(column: pa.ChunkedArray) -> list[IndexedChunk]:
    parts: list[IndexedChunk] = []
    dictionary: pa.Array | None = None
    values: list[Any] = []
    for chunk in column.chunks:
        if dictionary is None or not dictionary.equals(chunk.dictionary):
            dictionary = chunk.dictionary
            values = values_of(dictionary)
        indices = chunk.indices
        # Nulls get the index after the last value of the dictionary, which stands for None.
        with_null = [*values, None] if indices.null_count else values
        parts.append(IndexedChunk(_filled_indices(indices, len(values)), with_null))
    return parts


def _filled_indices(indices: pa.Array, of_null: int) -> NDArray[np.integer]:
    """Return the indices, with nulls replaced by `of_null`."""
    beneath = indices_beneath_nulls(indices)
    if not indices.null_count:
        return beneath
    dtype = np.min_scalar_type(of_null)
    valid = bits_of(indices.buffers()[0], indices)
    return np.where(valid, beneath.astype(dtype, copy=False), dtype.type(of_null))


# Offsets or views of the texts, their bytes, the validity bits and the index of the first one, the number of rows.
_TextChunk: TypeAlias = tuple[NDArray[Any], list[NDArray[np.uint8]], NDArray[np.uint8] | None, int, int]


def _text_chunk(array: pa.Array) -> _TextChunk:
    """Return the buffers of Arrow text."""
    validity, texts, *contents = array.buffers()
    offsets: NDArray[Any]
    if str(array.type) == "string_view":
        offsets = np.frombuffer(texts, np.uint8)[16 * array.offset :]
    else:
        dtype = np.dtype(np.int32 if pa.types.is_string(array.type) else np.int64)
        offsets = np.frombuffer(texts, dtype, len(array) + 1, dtype.itemsize * array.offset)
    valid = np.frombuffer(validity, np.uint8) if array.null_count else None
    return offsets, [np.frombuffer(part or b"", np.uint8) for part in contents], valid, array.offset, len(array)


def values_of(dictionary: pa.Array) -> list[Any]:
    """Return the values of a dictionary, converted as by `plain`."""
    if pa.types.is_string(dictionary.type) or pa.types.is_large_string(dictionary.type):
        return list(dictionary.to_pylist())
    return list(plain(pa.chunked_array([dictionary])).to_pylist())


def code_type(greatest: int) -> np.dtype[Any]:
    """Return the smallest of uint8, uint16 and int32 that holds a code."""
    return np.dtype(np.uint8 if greatest < 1 << 8 else np.uint16 if greatest < 1 << 16 else np.int32)


def narrow(codes: NDArray[np.integer], greatest: int) -> Codes:
    """Return the codes in the smallest type that holds the greatest of them."""
    return codes.astype(code_type(greatest), copy=False)
