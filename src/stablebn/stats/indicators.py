"""Products of columns in which categorical variables are indicators of their levels, columns of 0 and 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from stablebn.stats.base import ColumnProducts
from stablebn.stats.exact_sums import Indicators, Number, width
from stablebn.stats.row_source import RowSource


def column_products_of(source: RowSource, variables: Sequence[int | Number]) -> ColumnProducts:
    """Return the products of the columns of variables; a categorical variable is given by its column index."""
    listed = [[variable] for variable in variables if isinstance(variable, int)]
    found = source.count([], listed)[1] if listed else []
    counts = {
        column: dict(zip(keys[:, 0].tolist(), sizes.tolist(), strict=True))
        for [column], (keys, sizes) in zip(listed, found, strict=True)
    }
    parts = [
        variable if isinstance(variable, Number) else _indicators(variable, counts[variable]) for variable in variables
    ]
    columns: list[list[int]] = []
    end = 0
    for part in parts:
        columns.append(list(range(end, end + width(part))))
        end += width(part)
    frequencies = [
        [] if isinstance(variable, Number) else [counts[variable][level] for level in sorted(counts[variable])]
        for variable in variables
    ]
    if not parts:
        return ColumnProducts(np.empty((0, 0), dtype=object), [], [])
    return ColumnProducts(source.sums(parts).integer_products(), columns, frequencies)


def _indicators(column: int, counts: Mapping[int, int]) -> Indicators:
    return Indicators(column, tuple(sorted(counts)[1:]))
