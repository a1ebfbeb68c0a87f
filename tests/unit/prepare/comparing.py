"""Exact comparison of what `prepare` returns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.prepare.prepared import Prepared
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable, Table


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


def assert_same_table(one: Table, other: Table) -> None:
    assert type(one) is type(other)
    assert (one.names, one.holes) == (other.names, other.holes)
    assert (one.weights is None) == (other.weights is None)
    if one.weights is not None and other.weights is not None:
        np.testing.assert_array_equal(one.weights, other.weights, strict=True)
    if isinstance(one, MixedTable) and isinstance(other, MixedTable):
        assert_same_table(one.categorical, other.categorical)
        assert_same_table(one.continuous, other.continuous)
    elif isinstance(one, CategoricalTable) and isinstance(other, CategoricalTable):
        assert repr(one.levels) == repr(other.levels)
        np.testing.assert_array_equal(one.codes, other.codes, strict=True)
    elif isinstance(one, ContinuousTable) and isinstance(other, ContinuousTable):
        np.testing.assert_array_equal(one.values.view(np.uint64), other.values.view(np.uint64), strict=True)
