"""The interface through which statistics read the rows of a table, wherever these rows are.

A row source has the rows in blocks, each an ordinary table: in memory, on disk, or on the workers of a cluster. It
applies a function to every block, or answers queries. Answers are integers that add up, so that the split into blocks
and the machine that counts do not matter. `docs/options.md` describes how to add an engine with a source of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.columns.requirements import check_rows_in_memory
from stablebn.errors import OptionError
from stablebn.stats.exact_sums import ExactSums, Part, sums_of_blocks
from stablebn.stats.standard_units import Standard, standardised_by
from stablebn.table.blocks import put_together
from stablebn.table.data_kinds import bytes_per_row, categorical_part, continuous_part
from stablebn.table.table import CategoricalTable, MixedTable, Table

Outcome = TypeVar("Outcome")

CountQuery: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32]]
"""A query for joint counts: configurations [K, d] of d variables, and levels [m] of other variables, all by number."""

SupportQuery: TypeAlias = Sequence[int]
"""A query for the support of categorical columns: the configurations that occur."""

Support: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.int64]]
"""Keys [k, words] of the configurations that occur, as the core writes them, and the rows of each by weight, [k]."""


SumQuery: TypeAlias = tuple[Sequence[int], int, int]
"""A query for sums in every configuration of categorical columns that occurs, of two continuous columns x and y."""

SupportSums: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.int64]]
"""Keys as in `Support`, and the sums of x and of x y as integers in three limbs of 40 bits, [k, 2, 3]."""

Answers: TypeAlias = tuple[list[NDArray[np.int64]], list[Support], list[SupportSums]]


class RowSource(ABC):
    """Rows of a table, wherever they are.

    Attributes
    ----------
    like : Table
        A table with the same names, kinds and levels, of which the rows are not used.
    in_memory : Table or None
        The table itself, if this process has all its rows and statistics may be made of it without a query; else None.
    total : int
        N, the number of rows by weight.
    rows : int
        Number of rows that are stored.
    memory : int or None
        Number of bytes that this process may use for rows; None for no limit.
    threads_per_block : int
        Number of threads that may read a block at once: more than one only if there is a single block.
    """

    like: Table
    in_memory: Table | None = None
    total: int
    rows: int
    memory: int | None = None
    threads_per_block: int = 1

    @abstractmethod
    def map_blocks(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """Apply a function to every block and the arguments; results come in any order.

        The function is defined in a module, so that it can be sent to another process.
        """

    def fetch(self, purpose: str) -> Table:
        """Return all rows as one table in memory, for `purpose`, which needs more than integers that add up.

        Raises
        ------
        OptionError
            If the rows need more memory than is allowed.
        DataError
            If there are more rows than one table can have.
        """
        check_rows_in_memory(self.rows)
        size = self.rows * bytes_per_row(self.like)
        if self.memory is not None and size > self.memory:
            raise OptionError(
                f"{purpose} needs all rows in memory, {size >> 20:,} MiB, and may take {self.memory >> 20:,} MiB: "
                "use a larger memory=, or another value."
            )
        return put_together(self.like, list(self.map_blocks(_itself)))

    def count(
        self,
        count_queries: Sequence[CountQuery],
        support_queries: Sequence[SupportQuery],
        sum_queries: Sequence[SumQuery] = (),
        standards: Sequence[Standard] = (),
    ) -> Answers:
        """Answer all queries in one pass over the rows.

        Parameters
        ----------
        count_queries, support_queries, sum_queries
            The queries.
        standards : sequence of Standard
            The standard units of the continuous columns; needed for sum queries only.

        Returns
        -------
        list of int64 arrays [m, K]
            For each count query, the number of rows with a configuration and a level.
        list of (keys, counts)
            For each support query, the configurations that occur and the number of rows of each.
        list of (keys, limbs)
            For each sum query, the configurations that occur and the sums in each.
        """
        questions = (
            list(count_queries),
            [list(own) for own in support_queries],
            [(list(own), x, y) for own, x, y in sum_queries],
        )
        return add_answers(self.map_blocks(answer, *questions, list(standards)), len(support_queries), len(sum_queries))

    def sums(self, parts: Sequence[Part]) -> ExactSums:
        """Return the exact sums of columns, and of the products of every two of them.

        Parameters
        ----------
        parts : sequence of Values, Number or Indicators
            If values are missing, a single column.
        """
        return sums_of_blocks(self.map_blocks, parts, self.threads_per_block)

    def distinct(self, column: int, standard: Standard, low: int, high: int) -> NDArray[np.int64]:
        """Return the distinct values of a continuous column in standard units that lie in a range, ascending."""
        found = np.empty(0, dtype=np.int64)
        for own in self.map_blocks(_distinct_of_block, column, standard, low, high):
            found = np.union1d(found, own)
        return found


def _distinct_of_block(block: Any, column: int, standard: Standard, low: int, high: int) -> NDArray[np.int64]:
    continuous = continuous_part(block)
    assert continuous is not None
    values = standardised_by([standard], continuous.values[[column]], 1)[0]
    return np.unique(values[(values >= low) & (values <= high)])


def add_answers(answers: Iterable[Answers], support_queries: int, sum_queries: int) -> Answers:
    """Add up the answers of several blocks or workers."""
    crossed: list[NDArray[np.int64]] | None = None
    listed: list[list[Support]] = [[] for _ in range(support_queries)]
    summed: list[list[SupportSums]] = [[] for _ in range(sum_queries)]
    for own_crossed, own_listed, own_summed in answers:
        if crossed is None:
            crossed = own_crossed
        else:
            for counts, own in zip(crossed, own_crossed, strict=True):
                counts += own
        for found, more in zip(listed, own_listed, strict=True):
            found.append(more)
        for sums, more in zip(summed, own_summed, strict=True):
            sums.append(more)
    assert crossed is not None, "a table has rows"
    return crossed, [merge_support(found) for found in listed], [merge_support(found) for found in summed]


def _itself(block: Table) -> Table:
    return block


class ContinuousPart(RowSource):
    """The continuous columns of a source of mixed tables, as a source."""

    def __init__(self, source: RowSource) -> None:
        like = continuous_part(source.like)
        assert like is not None
        self.like = like
        self.total = source.total
        self.rows = source.rows
        self.threads_per_block = source.threads_per_block
        self._source = source

    def map_blocks(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """Apply a function to the continuous columns of every block and the arguments."""
        return self._source.map_blocks(_of_continuous_part, function, *arguments)

    def sums(self, parts: Sequence[Part]) -> ExactSums:
        """Return the exact sums of columns, and of the products of every two of them."""
        return self._source.sums(parts)

    def distinct(self, column: int, standard: Standard, low: int, high: int) -> NDArray[np.int64]:
        """Return the distinct values of a column in standard units that lie in a range, ascending."""
        return self._source.distinct(column, standard, low, high)


def _of_continuous_part(block: MixedTable, function: Callable[..., Outcome], *arguments: object) -> Outcome:
    return function(block.continuous, *arguments)


def answer(
    block: Any,
    count_queries: list[CountQuery],
    support_queries: list[list[int]],
    sum_queries: list[tuple[list[int], int, int]],
    standards: list[Standard],
) -> Answers:
    """Answer queries about one block."""
    return answer_with(block_counter(block), block, count_queries, support_queries, sum_queries, standards)


def answer_with(
    counter: _core.Counts,
    block: Any,
    count_queries: Sequence[CountQuery],
    support_queries: Sequence[SupportQuery],
    sum_queries: Sequence[SumQuery],
    standards: Sequence[Standard],
) -> Answers:
    """Answer queries about one block with its counter; the block itself is used for sums only."""
    columns = standardised_by(standards, block.continuous.values, 1) if sum_queries else None
    return counter.answer(count_queries, support_queries, sum_queries, columns)


def block_counter(block: Any, bits: NDArray[np.uint64] | None = None) -> _core.Counts:
    """Return the counter of the rows of a block, on one thread; `bits` are the packed bits of its levels, if stored."""
    categorical = categorical_part(block)
    assert categorical is not None
    limits = _core.CountingLimits()
    # The counter caches no tables, because there may be many blocks.
    limits.most_bytes = 0
    return _core.Counts(
        categorical.codes, levels_with_missing(categorical), categorical.weights, 1, limits, packed=bits
    )


def levels_with_missing(table: CategoricalTable) -> list[int]:
    """Return the number of levels of each column, missing values being one more."""
    return [len(own) + (v in table.holes) for v, own in enumerate(table.levels)]


def merge_support(found: Sequence[Support]) -> Support:
    """Merge the configurations of several blocks and add up their counts or sums."""
    if len(found) == 1:
        return found[0]
    keys = np.concatenate([own for own, _ in found])
    numbers = np.concatenate([own for _, own in found])
    order = np.lexsort(keys.T)
    keys, numbers = keys[order], numbers[order]
    is_first = np.ones(len(keys), dtype=np.bool_)
    is_first[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    first = np.flatnonzero(is_first)
    return keys[first], np.add.reduceat(numbers, first, axis=0) if first.size else numbers
