"""Other layouts of a table: what it says stays the same, how it is laid out does not.

A layout follows from the table, a seed and its number alone. What is varied has a random stream of its own, so that
the columns stand in the same order whether or not the rows are shuffled too.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from stablebn.columns.arrow.conversion import Columns
from stablebn.columns.arrow.type_conversion import as_supported
from stablebn.columns.encode import plain
from stablebn.columns.kinds import Kind
from stablebn.table.table import Name

VARIATIONS = ("columns", "rows", "names", "levels", "units")


@dataclass(frozen=True)
class Layout:
    """A table laid out anew.

    Attributes
    ----------
    columns : dict of name to pyarrow.ChunkedArray
        In the order and under the names of this layout.
    aliases : dict of name to name
        The name here of every column, by its name in the table as given and in the order there.
    rows : int64 array [rows], or None
        Which row of the table stands in each row of the layout; None: as given.
    """

    columns: Columns
    aliases: dict[Name, Name]
    rows: NDArray[np.int64] | None = None


def lay_out(columns: Columns, kinds: Mapping[Name, Kind], vary: Collection[str], *, seed: int, number: int) -> Layout:
    """Lay a table out anew; layout number 0 is the table as given.

    Parameters
    ----------
    columns : dict of name to pyarrow.ChunkedArray
    kinds : mapping of name to {"categorical", "continuous"}
        Of every column that has one.
    vary : collection of {"columns", "rows", "names", "levels", "units"}
        The order of the columns, the order of the rows, the names of the columns; the labels of the levels of
        categorical columns; the scale, the sign and the zero of continuous ones.
    seed, number : int

    Returns
    -------
    Layout
    """
    aliases = dict(zip(columns, columns, strict=True))
    if number == 0:
        return Layout(columns, aliases)

    def stream(variation: str) -> random.Random:
        # From text, because Python makes the same numbers of it in every process.
        return random.Random(f"{seed} {number} {variation}")

    rows = None
    if "levels" in vary:
        labels = stream("levels")
        columns = {
            name: relabelled(column, labels) if kinds.get(name) == "categorical" else column
            for name, column in columns.items()
        }
    if "units" in vary:
        units = stream("units")
        columns = {
            name: rescaled(column, units) if kinds.get(name) == "continuous" else column
            for name, column in columns.items()
        }
    if "rows" in vary:
        rows = permutation(len(next(iter(columns.values()))), stream("rows"))
        columns = {name: column.take(pa.array(rows)) for name, column in columns.items()}
    if "names" in vary:
        aliases = dict(zip(columns, _shuffled(_numbered("v", len(columns)), stream("names")), strict=True))
    order = _shuffled(list(columns), stream("columns")) if "columns" in vary else list(columns)
    return Layout({aliases[name]: columns[name] for name in order}, aliases, rows)


def permutation(n: int, stream: random.Random) -> NDArray[np.int64]:
    """The numbers below n in random order."""
    keys = np.frombuffer(stream.randbytes(8 * n), dtype="<u8")
    return np.argsort(keys, kind="stable").astype(np.int64)


def relabelled(column: pa.ChunkedArray, stream: random.Random) -> pa.ChunkedArray:
    """A categorical column with other text for each of its levels, which sort in another order.

    A dictionary stays one, with the new levels in sorted order.
    """
    encoded = plain(column).combine_chunks().dictionary_encode()
    values = encoded.dictionary.to_pylist()
    new = dict(zip(sorted(values), _shuffled(list(range(len(values))), stream), strict=True))
    codes = pa.array([new[value] for value in values], pa.int32()).take(encoded.indices)
    levels = pa.DictionaryArray.from_arrays(codes, pa.array(_numbered("level", len(values)), pa.string()))
    return pa.chunked_array([levels if pa.types.is_dictionary(column.type) else levels.cast(pa.string())])


def rescaled(column: pa.ChunkedArray, stream: random.Random) -> pa.ChunkedArray:
    """A continuous column in another unit: times a number of size 0.01 to 100, shifted by up to its own size."""
    # Not a round number, nor a power of two, which would leave every digit of the values as it is.
    scale, shift = 10 ** stream.uniform(-2, 2) * stream.choice((1, -1)), stream.uniform(-1, 1)
    values = plain(as_supported(column)).cast(pa.float64())
    size = pc.max(pc.abs(values)).as_py() or 0.0
    return pc.add(pc.multiply(values, scale), shift * scale * size)


def _shuffled(values: list[Name], stream: random.Random) -> list[Name]:
    stream.shuffle(values)
    return values


def _numbered(prefix: str, n: int) -> list[Name]:
    """Names that sort as their numbers."""
    return [f"{prefix}{number:0{len(str(n))}d}" for number in range(n)]
