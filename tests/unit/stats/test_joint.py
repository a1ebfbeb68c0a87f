import gc
import itertools
import weakref

import numpy as np
import pytest
from tests.tables import categorical_table, random_categorical_table

from stablebn.data import CategoricalTable
from stablebn.stats import joint
from stablebn.stats.counts import Counts
from stablebn.stats.variable_sets import bit


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
@pytest.mark.parametrize("engine", ["bits", "histogram", "weights"])
def test_tables_are_the_naive_counts(
    rows: int, variables: list[int], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(rows)
    table = random_categorical_table(rng, 7, rows, levels=4)
    if engine == "weights":
        table = categorical_table(table.codes.tolist(), rng.integers(1, 9, rows).tolist())
    monkeypatch.setattr(joint, "BITS_COST", 1e9 if engine == "histogram" else 1e-9)
    counts = Counts(table)
    tables = counts.tables
    found = tables.table(sum(map(bit, variables)))
    assert found is not None
    assert found.members.tolist() == variables
    for u in set(range(7)) - set(variables):
        for level in range(len(table.levels[u])):
            assert found.counts[tables.first[u] + level].tolist() == _naive_row(table, variables, u, level)
    assert found.sizes.sum() == table.total


def test_tables_of_renumbered_variables_are_the_same_counts() -> None:
    table = random_categorical_table(np.random.default_rng(1), 6, 500, levels=3)
    order = [3, 0, 5, 1, 4, 2]
    counts = Counts(table)
    given = counts.tables
    other = counts.reordered(order)
    renumbered = other.tables
    one, two = given.table(bit(3) | bit(5)), renumbered.table(bit(0) | bit(2))
    assert one is not None
    assert two is not None
    for new, old in enumerate(order):
        if new not in (0, 2):
            rows = (given.first[old], renumbered.first[new])
            size = len(table.levels[old])
            assert (one.counts[rows[0] : rows[0] + size] == two.counts[rows[1] : rows[1] + size]).all()


def test_sets_too_large_have_no_table() -> None:
    table = random_categorical_table(np.random.default_rng(1), 8, 100, levels=30)
    counts = Counts(table)
    assert counts.tables.table(0b111) is None


def test_forgotten_tables_are_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_categorical_table(np.random.default_rng(2), 6, 300, levels=3)
    remembering, forgetting = Counts(table), Counts(table)
    right = remembering.tables.table(0b1011)
    monkeypatch.setattr(joint, "MOST_BYTES", 0)
    forgetful = forgetting.tables
    forgetful.table(0b11)
    again = forgetful.table(0b1011)
    assert right is not None
    assert again is not None
    for u in (2, 4, 5):
        rows = slice(forgetful.first[u], forgetful.first[u] + forgetful.levels[u])
        assert (right.counts[rows] == again.counts[rows]).all()


def test_counts_and_tables_are_gone_as_soon_as_nobody_has_them() -> None:
    counts = Counts(random_categorical_table(np.random.default_rng(1), 4, 50, levels=3))
    counts.reordered([2, 0, 1, 3]).tables.table(0b11)
    watched = weakref.ref(counts.tables)
    gc.disable()
    try:
        del counts
        assert watched() is None
    finally:
        gc.enable()
