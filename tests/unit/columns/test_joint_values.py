"""Joint values distinguish columns that have the same values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.tables import mixed_table, random_mixed_table

from stablebn.columns.duplicates import merge
from stablebn.columns.joint_values import first_image, joint_values, values_and_times
from stablebn.table.blocks import in_blocks
from stablebn.table.table import MixedTable

OTHERS = ["c0", "c1", "x1", "x2"]


def _table(seed: int, *, weighted: bool = False) -> MixedTable:
    """Draw two categorical columns, and x0 to x2 with few values, some of them missing."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 4, 30).tolist() if weighted else None
    table = random_mixed_table(rng, 30, weights=weights)
    values = np.round(table.continuous.values / table.continuous.values.std(axis=1, keepdims=True))
    values[1, 5] = values[0, 7] = np.nan
    return replace(table, continuous=replace(table.continuous, values=values, holes=frozenset({0, 1})))


def test_a_column_comes_before_or_after_its_mirror_image_or_neither() -> None:
    values, times = np.array([-1.0, 0.0, 1.0]), np.array([2, 5, 2])
    assert first_image(values, times) == 0
    assert first_image(values, np.array([1, 5, 2])) == -first_image(values, np.array([2, 5, 1])) == 1
    assert first_image(np.array([-3.0, 1.0]), np.array([1, 1])) == -first_image(np.array([-1.0, 3.0]), np.array([1, 1]))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_blocks_of_rows_meet_as_the_whole_table_does(seed: int, weighted: bool) -> None:
    table = _table(seed, weighted=weighted)
    blocks = in_blocks(table, 7)
    for own, other in zip(values_and_times(table, "x0"), values_and_times(blocks, "x0"), strict=True):
        np.testing.assert_array_equal(own, other)
    assert joint_values(blocks, "x0", OTHERS) == joint_values(table, "x0", OTHERS)


def test_labels_signs_and_the_order_of_rows_are_not_met() -> None:
    table = _table(1)
    codes = table.categorical.codes.copy()
    codes[0] = 1 - codes[0]
    rows = np.random.default_rng(2).permutation(30)
    signs = np.array([[1.0], [-1.0], [-1.0]])
    other = MixedTable(
        table.names,
        replace(table.categorical, codes=codes[:, rows]),
        replace(table.continuous, values=(table.continuous.values * signs)[:, rows]),
    )
    assert joint_values(other, "x0", OTHERS) == joint_values(table, "x0", OTHERS)
    assert joint_values(table, "x0", OTHERS) != joint_values(table, "x1", OTHERS)


def test_of_columns_with_the_same_values_the_others_tell_which_stands() -> None:
    scale, places = np.array([0.3, 0.4, 0.5]), np.array([0, 0, 1, 1, 2, 2])
    x, mirrored = scale[places], scale[2 - places]
    z = np.array([1.0, 2.0, 4.0, 4.0, 5.0, 9.0])
    one, other = (mixed_table([[0, 1] * 3], [*pair, z]) for pair in ((x, mirrored), (mirrored, x)))
    [(first, _)], [(second, _)] = (merge(table, [("x0", "x1")])[1].items() for table in (one, other))
    assert {first, second} == {"x0", "x1"}


def test_how_often_a_value_occurs_tells_which_mirror_image_stands() -> None:
    x = np.array([0.0, 0.0, 0.0, 1.0])
    one, other = (mixed_table([[0, 1, 0, 1]], pair) for pair in ((x, 1 - x), (1 - x, x)))
    [(first, _)], [(second, _)] = (merge(table, [("x0", "x1")])[1].items() for table in (one, other))
    assert {first, second} == {"x0", "x1"}
