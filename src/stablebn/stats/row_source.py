"""Where statistics come from when the rows of a table are not one array in memory.

A source has the rows in blocks, each an ordinary table: on disk, or with the workers of a cluster. It is asked to apply
a function to every block, or to count; what comes back are integers, and they add up. So it does not matter how rows
are split, nor who counts: `docs/sources.md` says how another source would be written.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.columns.requirements import check_held
from stablebn.errors import OptionError
from stablebn.stats.exact_sums import ExactSums, Part, sums_of_blocks
from stablebn.stats.standard_units import Standard, standardised_by
from stablebn.table.blocks import put_together
from stablebn.table.data_kinds import bytes_per_row, categorical_part, continuous_part
from stablebn.table.table import CategoricalTable, MixedTable, Table

Outcome = TypeVar("Outcome")

CountQuery: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Configurations [K, d], each a level of every one of d variables, and levels [m] of others, all by number."""

SupportQuery: TypeAlias = Sequence[int]
"""Categorical columns, of which the configurations that occur are asked for."""

Support: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.int64]]
"""The keys [k, words] of configurations that occur, as the core writes them, and the rows of each by weight, [k]."""


SumQuery: TypeAlias = tuple[Sequence[int], int, int]
"""Categorical columns, and two continuous columns x and y, to be summed up in every configuration that occurs."""

SupportSums: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.int64]]
"""Keys as above, and the sums of x and of x y as integers in three limbs of 40 bits, [k, 2, 3]."""

Answers: TypeAlias = tuple[list[NDArray[np.int64]], list[Support], list[SupportSums]]


class RowSource(ABC):
    """Somebody who has the rows of a table.

    Attributes
    ----------
    like : CategoricalTable, ContinuousTable or MixedTable
        The table without rows: its names, kinds and levels.
    in_memory : Table or None
        The table itself, if this process has all its rows and statistics may be made of it without a query; else None.
    total : int
        N, the number of rows by weight.
    rows : int
        The number of rows that are stored.
    memory : int or None
        How many bytes may be used here; None: as many as it takes.
    threads_per_block : int
        How many threads may look at a block at once: more than one only where there is but one block.
    """

    like: Table
    in_memory: Table | None = None
    total: int
    rows: int
    memory: int | None = None
    threads_per_block: int = 1

    @abstractmethod
    def map_blocks(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of every block and the arguments, in any order.

        The function is one of a module, so that it can be sent to another process.
        """

    def fetch(self, purpose: str) -> Table:
        """All rows as one table in memory, for what cannot be had in integers that add up.

        Raises
        ------
        OptionError
            They take more memory than they may.
        DataError
            They are more than can be held at once.
        """
        check_held(self.rows)
        size = self.rows * bytes_per_row(self.like)
        if self.memory is not None and size > self.memory:
            raise OptionError(
                f"{purpose} needs all rows in memory, {size >> 20:,} MiB, and may take {self.memory >> 20:,} MiB: "
                "allow more by memory=, or choose another."
            )
        return put_together(self.like, list(self.map_blocks(_itself)))

    def count(
        self,
        count_queries: Sequence[CountQuery],
        support_queries: Sequence[SupportQuery],
        sum_queries: Sequence[SumQuery] = (),
        standards: Sequence[Standard] = (),
    ) -> Answers:
        """One pass over the rows: the answers to all questions.

        Parameters
        ----------
        count_queries, support_queries, sum_queries
            What is asked.
        standards : sequence of Standard
            Where there are sum_queries, the standard units of the continuous columns.

        Returns
        -------
        list of int64 arrays [m, K]
            Of each crossing, the rows that have all levels of a configuration and a level more.
        list of (keys, counts)
            Of each listing, the configurations that occur and the rows of each.
        list of (keys, limbs)
            Of each summing, the configurations that occur and the sums in each.
        """
        questions = (
            list(count_queries),
            [list(own) for own in support_queries],
            [(list(own), x, y) for own, x, y in sum_queries],
        )
        return add_answers(self.map_blocks(answer, *questions, list(standards)), len(support_queries), len(sum_queries))

    def sums(self, parts: Sequence[Part]) -> ExactSums:
        """The exact sums of columns, and of the products of every two of them.

        Parameters
        ----------
        parts : sequence of Values, Number or Indicators
            Where there are holes, the values of one column alone.
        """
        return sums_of_blocks(self.map_blocks, parts, self.threads_per_block)

    def distinct(self, column: int, standard: Standard, low: int, high: int) -> NDArray[np.int64]:
        """The distinct values of a continuous column in standard units that lie in a range, ascending."""
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
    """What several have answer_with, added up."""
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
    """The continuous columns of a source of mixed tables."""

    def __init__(self, source: RowSource) -> None:
        like = continuous_part(source.like)
        assert like is not None
        self.like = like
        self.total = source.total
        self.rows = source.rows
        self.threads_per_block = source.threads_per_block
        self._source = source

    def map_blocks(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """What a function makes of the continuous columns of every block and the arguments."""
        return self._source.map_blocks(_of_continuous_part, function, *arguments)

    def sums(self, parts: Sequence[Part]) -> ExactSums:
        """The exact sums of columns, and of the products of every two of them."""
        return self._source.sums(parts)

    def distinct(self, column: int, standard: Standard, low: int, high: int) -> NDArray[np.int64]:
        """The distinct values of a column in standard units that lie in a range, ascending."""
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
    """The answers to questions about one block."""
    return answer_with(block_counter(block), block, count_queries, support_queries, sum_queries, standards)


def answer_with(
    counter: _core.Counts,
    block: Any,
    count_queries: Sequence[CountQuery],
    support_queries: Sequence[SupportQuery],
    sum_queries: Sequence[SumQuery],
    standards: Sequence[Standard],
) -> Answers:
    """The same, by what counts a block; the block itself need be there only for sums."""
    columns = standardised_by(standards, block.continuous.values, 1) if sum_queries else None
    return counter.answer(count_queries, support_queries, sum_queries, columns)


def block_counter(block: Any, bits: NDArray[np.uint64] | None = None) -> _core.Counts:
    """What counts the rows of a block, on one thread; by bits of its levels that somebody has kept, if any."""
    categorical = categorical_part(block)
    assert categorical is not None
    limits = _core.CountingLimits()
    # Its tables are handed over, and none is kept: there may be many blocks.
    limits.most_bytes = 0
    return _core.Counts(
        categorical.codes, levels_with_missing(categorical), categorical.weights, 1, limits, packed=bits
    )


def levels_with_missing(table: CategoricalTable) -> list[int]:
    """How many levels each column has where holes are one more of them."""
    return [len(own) + (v in table.holes) for v, own in enumerate(table.levels)]


def merge_support(found: Sequence[Support]) -> Support:
    """The configurations that some blocks have, each once, with what was counted or summed up in them."""
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
