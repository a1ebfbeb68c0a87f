"""Arrow columns to arrays: categories to codes and levels, numbers to float64."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.data.integers import CloseIntegers, close_integers
from stablebn.data.kinds import Kind, family
from stablebn.data.reading import Columns
from stablebn.data.table import CategoricalTable, Codes, ContinuousTable, MixedTable, Name, Table, Weights
from stablebn.errors import DataError, listed

Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class Categories:
    """A categorical column.

    Attributes
    ----------
    codes : unsigned or int32 array [rows]
        Position of the value in `levels`; ``len(levels)`` where it is missing.
    levels : tuple
        The values that occur, sorted.
    """

    codes: Codes
    levels: tuple[Hashable, ...]

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def missing(self) -> Mask:
        """Rows without a value."""
        return np.asarray(self.codes == len(self.levels))

    @property
    def is_constant(self) -> bool:
        """Whether all values that there are are the same."""
        return len(self.levels) == 1

    @property
    def first(self) -> Hashable:
        """The value of the first row that has one, for a constant column that of all."""
        return self.levels[int(self.codes[np.argmin(self.missing)])]

    def keep(self, rows: Mask) -> Categories:
        """Only these rows, and the levels that occur in them."""
        kept = self.codes[rows]
        occurs = np.bincount(kept, minlength=len(self.levels) + 1) > 0
        rank = np.cumsum(occurs) - 1
        levels = tuple(level for level, used in zip(self.levels, occurs, strict=False) if used)
        return Categories(narrow(rank[kept], len(levels)), levels)

    def with_missing_level(self) -> Categories:
        """Return the column with the missing value, if any, as a level of its own: None, the last."""
        return Categories(self.codes, (*self.levels, None)) if self.missing.any() else self


@dataclass(frozen=True)
class Numbers:
    """A continuous column.

    Attributes
    ----------
    values : float64 array [rows]
        NaN where missing.
    """

    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def missing(self) -> Mask:
        """Rows without a value."""
        return np.isnan(self.values)

    @property
    def is_constant(self) -> bool:
        """Whether all values that there are are the same."""
        if self.values[-1] == self.values[0] or np.isnan([self.values[-1], self.values[0]]).any():
            return bool(((self.values == self.first) | self.missing).all())
        return False

    @property
    def first(self) -> Hashable:
        """The value of the first row that has one, for a constant column that of all."""
        return float(self.values[np.argmin(self.missing)])

    def keep(self, rows: Mask) -> Numbers:
        """Only these rows."""
        return Numbers(self.values[rows])


Encoded: TypeAlias = Categories | Numbers


def encode(columns: Columns, kinds: Mapping[Name, Kind]) -> dict[Name, Encoded]:
    """Every column as arrays, by its kind.

    Parameters
    ----------
    columns : dict of name to pyarrow.ChunkedArray
        Of usable types.
    kinds : mapping of name to kind
        Continuous only where the values are not text.

    Returns
    -------
    dict of name to Categories or Numbers
    """
    encoded: dict[Name, Encoded] = {}
    too_large: list[Name] = []
    for name, column in columns.items():
        if kinds[name] == "categorical":
            encoded[name] = _categories(column)
            continue
        try:
            encoded[name] = _numbers(column)
        except pa.ArrowInvalid:
            too_large.append(name)
    if too_large:
        raise DataError(
            f"integers beyond 2**53 cannot be continuous without being rounded: {listed(too_large)}. "
            "Cast them to float if that does no harm, or leave the columns out."
        )
    return encoded


def tabulate(
    columns: Mapping[Name, Encoded], rows: int, weights: Weights | None, *, may_have_holes: bool = False
) -> Table:
    """Put columns into a table; what is still missing in them is a hole.

    Parameters
    ----------
    columns : mapping of name to Categories or Numbers
    rows : int
        Length of the columns, of which there may be none.
    weights : int64 array [rows] or None
    may_have_holes : bool
        Otherwise nobody need look for them.

    Returns
    -------
    CategoricalTable, ContinuousTable or MixedTable
        Categorical if there are no columns. Weights that are all 1 are None.
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
    values = np.empty((len(columns), rows), dtype=np.float64)
    # Column by column, so that Ctrl-C is heard. There is one zero only, -0.0 becomes 0.0, and one NaN.
    for own, (name, column) in zip(values, columns.items(), strict=True):
        np.add(column.values, 0.0, out=own)
        if name in with_holes:
            own[column.missing] = np.nan
    return ContinuousTable(tuple(columns), values, weights, _places_of(columns, with_holes))


def _categorical_table(
    columns: Mapping[Name, Categories], rows: int, weights: Weights | None, with_holes: Collection[Name]
) -> CategoricalTable:
    greatest = max((len(column.levels) - (name not in with_holes) for name, column in columns.items()), default=0)
    codes = np.array([column.codes for column in columns.values()]).reshape(len(columns), rows)
    levels = tuple(column.levels for column in columns.values())
    return CategoricalTable(tuple(columns), narrow(codes, greatest), levels, weights, _places_of(columns, with_holes))


def _places_of(columns: Mapping[Name, Encoded], some: Collection[Name]) -> frozenset[int]:
    return frozenset(place for place, name in enumerate(columns) if name in some)


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values as text, booleans, 64-bit integers or float64; NaN as null, -0.0 as 0.0."""
    target = _plain_type(column.type)
    if pa.types.is_dictionary(column.type):
        # Each chunk may have a dictionary of its own, with doubled and null entries.
        chunks = [chunk.dictionary.cast(target).take(chunk.indices) for chunk in column.chunks]
        column = pa.chunked_array(chunks, type=target)
    else:
        column = column.cast(target)
    if pa.types.is_floating(target):
        # Here and not above: it takes long to import, and few columns need it.
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


def _numbers(column: pa.ChunkedArray) -> Numbers:
    """The values as float64, those missing as NaN; not copied where that can be helped."""
    numbers = column if pa.types.is_float64(column.type) else plain(column).cast(pa.float64())
    if numbers.num_chunks != 1:
        return Numbers(numbers.to_numpy())
    only = numbers.chunk(0)
    return Numbers(only.to_numpy(zero_copy_only=False) if only.null_count else _view(only))


def _view(array: pa.Array) -> NDArray[Any]:
    """The numbers of an array without nulls, not copied."""
    # `to_numpy` would import pandas, which takes longer than all the rest.
    return np.from_dlpack(array)


def _categories(column: pa.ChunkedArray) -> Categories:
    """Codes by the sorted values that occur; a dictionary's own codes are translated, not decoded."""
    if not pa.types.is_dictionary(column.type):
        close = close_integers(column)
        if close is not None:
            return _integer_categories(close)
        column = plain(column).dictionary_encode()
    parts = []
    for chunk in column.chunks:
        values = _values(chunk.dictionary)
        indices = chunk.indices
        if indices.null_count:
            # A null has no place in the dictionary: it gets one of its own after the last, where there is no value.
            indices = indices.cast(pa.int64()).fill_null(len(values))
            values.append(None)
        parts.append((values, _view(indices)))
    found = [values[place] for values, indices in parts for place in _distinct(indices, len(values))]
    levels = sorted({value for value in found if value is not None})
    rank = {value: place for place, value in enumerate(levels)}
    codes: list[Codes] = []
    for values, indices in parts:
        codes_of_values = narrow(np.array([rank.get(value, len(levels)) for value in values]), len(levels))
        codes.append(_translated(indices, codes_of_values))
    return Categories(narrow(np.concatenate(codes), len(levels)) if len(codes) > 1 else codes[0], tuple(levels))


def _integer_categories(integers: CloseIntegers) -> Categories:
    """Codes by rank, which a table of all offsets has."""
    size = integers.occurring.size
    code_of = np.zeros(int(integers.occurring[-1]) + 1, dtype=np.int64)
    code_of[integers.occurring] = np.arange(size)
    levels = tuple(integers.least + offset for offset in integers.occurring.tolist())
    return Categories(_translated(integers.offsets, narrow(code_of, size)), levels)


def _values(dictionary: pa.Array) -> list[Any]:
    """The values of a dictionary as `plain` gives them."""
    if pa.types.is_string(dictionary.type) or pa.types.is_large_string(dictionary.type):
        return list(dictionary.to_pylist())
    return list(plain(pa.chunked_array([dictionary])).to_pylist())


def _translated(indices: NDArray[np.integer], codes: Codes) -> Codes:
    """The code of each index."""
    # Here and not above: errors in the data are told without the core.
    from stablebn import _core

    return _core.translate(indices, codes)


def _distinct(indices: NDArray[np.integer], size: int) -> list[int]:
    """The positions below `size` that occur among indices."""
    from stablebn import _core

    return _core.occurring(indices, size)


def narrow(codes: NDArray[np.integer], greatest: int) -> Codes:
    """Return the codes in the smallest of uint8, uint16 and int32 that holds the greatest of them."""
    if greatest < 1 << 8:
        return codes.astype(np.uint8, copy=False)
    if greatest < 1 << 16:
        return codes.astype(np.uint16, copy=False)
    return codes.astype(np.int32, copy=False)
