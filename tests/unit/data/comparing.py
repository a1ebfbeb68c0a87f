"""Exact comparison of what `prepare` returns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.data import CategoricalTable, MixedTable, Prepared


def assert_same(one: Prepared, other: Prepared) -> None:
    for field in ("names", "kinds", "constants", "identical", "merged", "rows", "warnings"):
        assert getattr(one, field) == getattr(other, field), field
    assert type(one.table) is type(other.table)
    assert one.table.names == other.table.names
    if isinstance(one.table, CategoricalTable) and isinstance(other.table, CategoricalTable):
        assert repr(one.table.levels) == repr(other.table.levels)
    np.testing.assert_array_equal(matrix(one), matrix(other), strict=True)
    assert (one.table.weights is None) == (other.table.weights is None)
    if one.table.weights is not None:
        np.testing.assert_array_equal(one.table.weights, other.table.weights, strict=True)


def matrix(prepared: Prepared) -> NDArray[Any]:
    table = prepared.table
    assert not isinstance(table, MixedTable)
    return table.codes if isinstance(table, CategoricalTable) else table.values
