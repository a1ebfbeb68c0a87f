"""The digest of rows does not depend on row order, names or blocks, and changes with every value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.tables import categorical_table, continuous_table, random_mixed_table

from stablebn.table.row_digest import digest_of_rows

CODES = [[0, 1, 2, 1, 0, 0], [0, 0, 1, 1, 1, 0], [1, 0, 1, 0, 0, 0]]


def _digest(codes: list[list[int]], weights: list[int] | None = None) -> str:
    table = categorical_table(codes, weights)
    return digest_of_rows(table, table.names)


def test_rows_in_another_order_have_the_same() -> None:
    assert _digest([column[::-1] for column in CODES]) == _digest(CODES)


def test_rows_that_are_weighted_are_as_rows_that_are_repeated() -> None:
    twice = [[column[0], *column] for column in CODES]
    assert _digest(CODES, [2, 1, 1, 1, 1, 1]) == _digest(twice)


def test_columns_count_by_the_order_that_is_given() -> None:
    table = categorical_table(CODES)
    turned = table.select([2, 0, 1])
    assert digest_of_rows(turned, table.names) == digest_of_rows(table, table.names)
    assert digest_of_rows(table, turned.names) != digest_of_rows(table, table.names)


def test_every_single_value_counts() -> None:
    found = {_digest(CODES)}
    for column in range(3):
        for row in range(6):
            changed = [list(own) for own in CODES]
            changed[column][row] = 1 - min(changed[column][row], 1)
            found.add(_digest(changed))
    assert len(found) == 1 + 18


def test_columns_with_the_same_counts_in_other_pairs_differ() -> None:
    # All pairs of columns have the same counts in both tables; only the joint counts of all three differ.
    even = [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]]
    odd = [[0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 0, 1]]
    assert _digest(even) != _digest(odd)


def test_levels_that_do_not_occur_count() -> None:
    table = categorical_table(CODES)
    declared = replace(table, levels=((*table.levels[0], 9), *table.levels[1:]))
    assert digest_of_rows(declared, table.names) != digest_of_rows(table, table.names)


def test_numbers_count_by_value() -> None:
    table = continuous_table([[0.0, 1.5, -2.0], [3.0, 4.0, 5.0]])
    negative_zero = continuous_table([[-0.0, 1.5, -2.0], [3.0, 4.0, 5.0]])
    next_to = continuous_table([[np.nextafter(0.0, 1.0), 1.5, -2.0], [3.0, 4.0, 5.0]])
    assert digest_of_rows(negative_zero, table.names) == digest_of_rows(table, table.names)
    assert digest_of_rows(next_to, table.names) != digest_of_rows(table, table.names)


def test_tables_of_both_kinds_have_one_in_any_layout() -> None:
    table = random_mixed_table(np.random.default_rng(1), 40)
    turned = table.select([4, 2, 0, 1, 3])
    assert digest_of_rows(turned, table.names) == digest_of_rows(table, table.names)
