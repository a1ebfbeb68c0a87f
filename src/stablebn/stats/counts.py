"""Joint counts of categorical variables, computed and cached by the compiled core."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stablebn import _core
from stablebn.stats.base import ColumnProducts, Statistics
from stablebn.stats.engines.memory import TableSource
from stablebn.stats.indicators import column_products_of
from stablebn.stats.symmetries.symmetry import Structure, TableRows
from stablebn.stats.symmetries.unique_rows import collapsed
from stablebn.table.table import CategoricalTable

if TYPE_CHECKING:
    from typing_extensions import Self

LIMITS = _core.CountingLimits()
"""Limits between the ways of counting; tests set other limits to force each way."""


class Counts(Statistics):
    """Integer contingency counts of any set of a table's variables.

    Parameters
    ----------
    table : CategoricalTable
    threads : int
        Number of threads that count at once.

    Attributes
    ----------
    compiled : _core.Counts
        The counts of the core, from which its scores and tests are made. It caches joint tables. In it, missing values
        are one more level of a variable.
    levels : list of int
        Number of levels of each variable, missing values excepted.
    """

    kind = "categorical"

    def __init__(self, table: CategoricalTable, *, threads: int = 1) -> None:
        distinct = collapsed(table)
        n = len(table.names)
        holes = [v in table.holes for v in range(n)] if table.holes else []
        levels = [len(labels) + (v in table.holes) for v, labels in enumerate(table.levels)]
        compiled = _core.Counts(distinct.codes, levels, distinct.weights, threads, LIMITS, holes)
        self._take(distinct, range(n), compiled)

    def _take(self, table: CategoricalTable, columns: Sequence[int], compiled: _core.Counts) -> None:
        self._table = table
        self._columns = columns
        self.compiled = compiled
        self.names = tuple(table.names[column] for column in columns)
        self.n = len(columns)
        self.total = compiled.total
        self.threads = compiled.threads
        self.has_missing = bool(table.holes)
        self.levels = [len(table.levels[column]) for column in columns]

    def reordered(self, order: Sequence[int]) -> Self:
        """Return the counts with the variables renumbered: new variable i is old variable order[i]."""
        counts = type(self).__new__(type(self))
        counts._take(self._table, [self._columns[v] for v in order], self.compiled.reordered(list(order)))
        return counts

    def states(self, variables: Sequence[int]) -> int:
        """Return the number of possible joint configurations of some variables."""
        return math.prod([self.levels[v] for v in variables])

    def sort_key(self, v: int) -> Hashable:
        """Return the text of the value counts, as Python prints a dict: {'no': 5, 'yes': 3}."""
        return value_counts(self._table, self._columns[v])

    @property
    def values(self) -> int:
        """Return the number of values in the rows that are counted."""
        return self._table.codes.size

    def structures(self) -> list[Structure]:
        """Return the rows by code. Variables with equal sort keys have the same levels, and so the same codes."""
        return [TableRows(self._table.codes[list(self._columns)], self._table.weights)]

    def column_products(self) -> ColumnProducts:
        """Return the products of the indicators of all levels but one of each variable."""
        return column_products_of(TableSource(self._table, threads=self.threads), list(self._columns))


def value_counts(table: CategoricalTable, column: int) -> str:
    """Return the text of the value counts of a column, as Python prints a dict."""
    levels = table.levels[column]
    counts = np.bincount(table.codes[column], table.weights, minlength=len(levels)).astype(np.int64).tolist()
    # Missing values are counted last; they are not a level.
    return text_of_counts(levels, counts[: len(levels)])


def text_of_counts(levels: Sequence[Hashable], counts: Sequence[int]) -> str:
    """Return the text of value counts, as Python prints a dict."""
    return str(dict(zip(levels, counts, strict=True)))
