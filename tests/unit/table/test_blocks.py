"""A table in blocks has the same content as the table in memory."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.prepare.comparing import assert_same_table

from stablebn.table.blocks import BlockTable, blocks_of, in_blocks, joined, rows_between
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable, Table

CATEGORICAL = CategoricalTable(
    ("a", "b", "c"),
    np.array([[0, 1, 1, 0, 2], [1, 1, 0, 0, 1], [0, 1, 0, 1, 0]], dtype=np.uint8),
    ((1, 2, 3), ("no", "yes"), (False,)),
    np.array([3, 1, 4, 1, 5]),
    frozenset([2]),
)
CONTINUOUS = ContinuousTable(("x", "y"), np.arange(10.0).reshape(2, 5) ** 2, np.array([3, 1, 4, 1, 5]))
MIXED = MixedTable(("x", "a", "b", "y", "c"), CATEGORICAL, CONTINUOUS)


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("table", [CATEGORICAL, CONTINUOUS, MIXED], ids=lambda table: str(table.kind))
def test_blocks_joined_are_the_table(table: Table, rows: int) -> None:
    cut = in_blocks(table, rows)
    assert sum(cut.block_rows) == cut.rows == table.rows
    assert max(cut.block_rows) <= rows
    assert (cut.total, cut.names, cut.holes, cut.kind) == (table.total, table.names, table.holes, table.kind)
    assert [own.rows for own in cut.blocks()] == list(cut.block_rows)
    assert_same_table(joined(cut), table)


@pytest.mark.parametrize("columns", [[2, 0], [1], [0, 3], []])
def test_columns_of_blocks_are_those_of_the_table(columns: list[int]) -> None:
    chosen = in_blocks(MIXED, 2).select(columns)
    assert_same_table(joined(chosen), MIXED.select(columns))


def test_the_blocks_of_a_table_in_memory_are_itself() -> None:
    (own,) = blocks_of(MIXED)
    assert own is MIXED


def test_a_block_has_its_variables_one_after_the_other_in_memory() -> None:
    own = in_blocks(CATEGORICAL, 2).blocks()[1]
    assert isinstance(own, CategoricalTable)
    assert own.codes.flags.c_contiguous


def test_a_table_without_rows_has_no_blocks() -> None:
    empty = in_blocks(rows_between(MIXED, 0, 0), 3)
    assert isinstance(empty, BlockTable)
    assert (len(empty.blocks()), empty.rows, empty.total) == (0, 0, 0)
    assert_same_table(joined(empty), rows_between(MIXED, 0, 0))
