"""Change the layout of a table without changing its content: row and column order, names, levels and units.

A layout depends only on the table, a seed and its number. Every kind of change has its own random stream, so that the
columns have the same order whether or not the rows are shuffled too.
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
class TableLayout:
    """A table in another layout.

    Attributes
    ----------
    columns : dict of name to pyarrow.ChunkedArray
        The columns with the order and names of this layout.
    aliases : dict of name to name
        The name of every column in this layout, by its name in the given table and in the order there.
    rows : int64 array [rows], or None
        The row of the given table for each row of the layout; `None` if the order is the same.
    """

    columns: Columns
    aliases: dict[Name, Name]
    rows: NDArray[np.int64] | None = None


def lay_out(
    columns: Columns, kinds: Mapping[Name, Kind], vary: Collection[str], *, seed: int, number: int
) -> TableLayout:
    """Return a table in another layout; layout number 0 is the given table.

    Parameters
    ----------
    columns : dict of name to pyarrow.ChunkedArray
    kinds : mapping of name to {"categorical", "continuous"}
        The kinds of the columns that have one.
    vary : collection of {"columns", "rows", "names", "levels", "units"}
        What to change: the order of the columns, the order of the rows, the names of the columns, the labels of the
        levels of categorical columns, or the scale, sign and zero of continuous ones.
    seed, number : int

    Returns
    -------
    TableLayout
    """
    aliases = dict(zip(columns, columns, strict=True))
    if number == 0:
        return TableLayout(columns, aliases)

    def stream(variation: str) -> random.Random:
        # Seeded by text: Python then draws the same numbers in every process.
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
    return TableLayout({aliases[name]: columns[name] for name in order}, aliases, rows)


def permutation(n: int, stream: random.Random) -> NDArray[np.int64]:
    """Return the numbers below n in random order."""
    keys = np.frombuffer(stream.randbytes(8 * n), dtype="<u8")
    return np.argsort(keys, kind="stable").astype(np.int64)


def relabelled(column: pa.ChunkedArray, stream: random.Random) -> pa.ChunkedArray:
    """Return a categorical column with new text for its levels, which sort in another order.

    A dictionary column stays one, with the new levels in sorted order.
    """
    encoded = plain(column).combine_chunks().dictionary_encode()
    values = encoded.dictionary.to_pylist()
    new = dict(zip(sorted(values), _shuffled(list(range(len(values))), stream), strict=True))
    codes = pa.array([new[value] for value in values], pa.int32()).take(encoded.indices)
    levels = pa.DictionaryArray.from_arrays(codes, pa.array(_numbered("level", len(values)), pa.string()))
    return pa.chunked_array([levels if pa.types.is_dictionary(column.type) else levels.cast(pa.string())])


def rescaled(column: pa.ChunkedArray, stream: random.Random) -> pa.ChunkedArray:
    """Return a continuous column in another unit: scaled by a factor of size 0.01 to 100, and shifted."""
    # A round factor or a power of two would keep the digits of the values.
    scale, shift = 10 ** stream.uniform(-2, 2) * stream.choice((1, -1)), stream.uniform(-1, 1)
    values = plain(as_supported(column)).cast(pa.float64())
    size = pc.max(pc.abs(values)).as_py() or 0.0
    return pc.add(pc.multiply(values, scale), shift * scale * size)


def _shuffled(values: list[Name], stream: random.Random) -> list[Name]:
    stream.shuffle(values)
    return values


def _numbered(prefix: str, n: int) -> list[Name]:
    """Return names that sort like their numbers."""
    return [f"{prefix}{number:0{len(str(n))}d}" for number in range(n)]
