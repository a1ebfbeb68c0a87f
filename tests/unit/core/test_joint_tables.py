import gc
import itertools
import weakref
from typing import Any

import numpy as np
import pytest
from tests.tables import categorical_table, random_categorical_table

from stablebn import _core
from stablebn.stats.variable_sets import bit
from stablebn.table.table import CategoricalTable


def _counts(table: CategoricalTable, *, threads: int = 1, **limits: float) -> _core.Counts:
    own = _core.CountingLimits()
    for name, value in limits.items():
        setattr(own, name, value)
    return _core.Counts(table.codes, [len(levels) for levels in table.levels], table.weights, threads, own)


def _naive_row(table: CategoricalTable, variables: list[int], u: int, level: int) -> list[int]:
    """Rows with a level of u in each configuration of some variables, the last fastest."""
    weights = [1] * table.codes.shape[1] if table.weights is None else table.weights.tolist()
    row = []
    for configuration in itertools.product(*(range(len(table.levels[v])) for v in variables)):
        inside = np.all([table.codes[v] == code for v, code in zip(variables, configuration, strict=True)], axis=0)
        row.append(sum(w for w, here in zip(weights, inside & (table.codes[u] == level), strict=True) if here))
    return row


@pytest.mark.parametrize("rows", [3, 64, 65, 1000])
@pytest.mark.parametrize("variables", [[2], [1, 4], [0, 2, 5], [0, 1, 2, 3]])
@pytest.mark.parametrize("way", ["bits", "histogram", "weights"])
@pytest.mark.parametrize("engine", _core.engines())
def test_tables_are_the_naive_counts(
    rows: int, variables: list[int], way: str, engine: str, forced_engine: str
) -> None:
    rng = np.random.default_rng(rows)
    table = random_categorical_table(rng, 7, rows, levels=4)
    if way == "weights":
        table = categorical_table(table.codes.tolist(), rng.integers(1, 9, rows).tolist())
    counts = _counts(table, bits_cost=1e9 if way == "histogram" else 1e-9)
    found = counts.table(sum(map(bit, variables)))
    assert found is not None
    sizes, cells = found
    for u in set(range(7)) - set(variables):
        for level in range(len(table.levels[u])):
            assert cells[counts.first(u) + level].tolist() == _naive_row(table, variables, u, level)
    assert sizes.sum() == table.total


# Of the many rows, each thread has its own.
@pytest.mark.parametrize("rows", [100, 70_001])
@pytest.mark.parametrize("bits_cost", [1e-9, 1e9])
def test_threads_count_the_same_table(rows: int, bits_cost: float) -> None:
    table = random_categorical_table(np.random.default_rng(3), 9, rows, levels=3)
    before = _core.worth_a_thread()
    one = _counts(table, bits_cost=bits_cost).table(0b1101)
    _core.set_worth_a_thread(0)
    try:
        several = _counts(table, threads=3, bits_cost=bits_cost).table(0b1101)
    finally:
        _core.set_worth_a_thread(before)
    assert one is not None
    assert several is not None
    assert (one[0] == several[0]).all()
    assert (one[1] == several[1]).all()


def test_tables_of_renumbered_variables_are_the_same_counts() -> None:
    table = random_categorical_table(np.random.default_rng(1), 6, 500, levels=3)
    order = [3, 0, 5, 1, 4, 2]
    given = _counts(table)
    renumbered = given.reordered(order)
    one, two = given.table(bit(3) | bit(5)), renumbered.table(bit(0) | bit(2))
    assert one is not None
    assert two is not None
    for new, old in enumerate(order):
        if new not in (0, 2):
            rows = (given.first(old), renumbered.first(new))
            size = len(table.levels[old])
            assert (one[1][rows[0] : rows[0] + size] == two[1][rows[1] : rows[1] + size]).all()


def test_sets_too_large_have_no_table() -> None:
    table = random_categorical_table(np.random.default_rng(1), 8, 100, levels=30)
    assert _counts(table).table(0b111) is None


def test_forgotten_tables_are_counted_again() -> None:
    table = random_categorical_table(np.random.default_rng(2), 6, 300, levels=3)
    right = _counts(table).table(0b1011)
    forgetful = _counts(table, most_bytes=0)
    forgetful.table(0b11)
    again = forgetful.table(0b1011)
    assert right is not None
    assert again is not None
    for u in (2, 4, 5):
        rows = slice(forgetful.first(u), forgetful.first(u) + len(table.levels[u]))
        assert (right[1][rows] == again[1][rows]).all()


def test_counts_let_their_rows_go_as_soon_as_nobody_has_them() -> None:
    table = random_categorical_table(np.random.default_rng(1), 4, 50, levels=3)
    codes = table.codes.copy().view(_Watched)
    watched = weakref.ref(codes)
    counts = _core.Counts(codes, [len(levels) for levels in table.levels])
    counts.reordered([2, 0, 1, 3]).table(0b11)
    gc.disable()
    try:
        del codes
        assert watched() is not None
        del counts
        assert watched() is None
    finally:
        gc.enable()


class _Watched(np.ndarray[Any, Any]):
    """An array that can be watched."""
