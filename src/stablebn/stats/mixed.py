"""Statistics of mixed tables: counts of categorical variables, and moments of continuous ones in each stratum."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Sequence
from copy import copy
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.stats import counts as counting
from stablebn.stats.base import ColumnProducts, Statistics
from stablebn.stats.basis_columns import BasisColumns, basis_of
from stablebn.stats.correlations import StandardisedColumns, StandardPoint, Steps, finer_rows, steps_of_block
from stablebn.stats.counts import text_of_counts
from stablebn.stats.engines.memory import TableSource
from stablebn.stats.exact_sums import Number
from stablebn.stats.indicators import column_products_of
from stablebn.stats.moments import Moments
from stablebn.stats.row_source import ContinuousPart, RowSource, levels_with_missing
from stablebn.stats.standard_units import Standard, standard_bits, standard_of, standardised_by
from stablebn.stats.symmetries.distinct_rows import rows_of
from stablebn.stats.symmetries.finer_rows import FinerRows
from stablebn.stats.symmetries.signs import points_of
from stablebn.stats.symmetries.symmetry import Relation, Structure
from stablebn.table.table import MixedTable

if TYPE_CHECKING:
    from typing_extensions import Self

# Gaps below 2**-30 standard deviations between neighbouring values may be the rounding of a change of units.
_BITS_OF_GAPS = 30
SMALLEST_RESIDUAL = 2.0**-40
"""The least residual variance relative to the total variance (specification, section 2)."""

# Before more rows than this are sorted, a sample of them is checked for a small gap; size of the sample.
_MANY_ROWS = 4096
_FEW_ROWS = 256


class MixedColumns(Statistics):
    """The columns of a mixed table, continuous ones standardised, for complete and incomplete statistics.

    Attributes
    ----------
    levels : list of int
        Number of levels of each variable; 0 of the continuous ones.
    has_units : bool
        Whether scores of graphs have the units of the columns; scores of a unit-free search have none.
    """

    kind = "mixed"
    has_units: bool

    def measured(self) -> Self:
        """Return the same statistics with scores in the units of the columns."""
        statistics = copy(self)
        statistics.has_units = True
        return statistics

    def _hold(self, source: RowSource, standards: list[Standard]) -> None:
        assert isinstance(source.like, MixedTable)
        self._source = source
        self._table = source.like
        self._standardised = StandardisedColumns(ContinuousPart(source))
        self._standards = standards

    @property
    def column_order(self) -> list[int]:
        """Return the column of each variable of the table; categorical columns are numbered before continuous ones."""
        names = (*self._table.categorical.names, *self._table.continuous.names)
        place = {name: column for column, name in enumerate(names)}
        return [place[name] for name in self._table.names]

    def _number(self, columns: Sequence[int]) -> None:
        """Let variable v be column columns[v]."""
        self._columns = columns
        categorical, continuous = self._table.categorical, self._table.continuous
        names = (*categorical.names, *continuous.names)
        levels = [*(len(labels) for labels in categorical.levels), *(0 for _ in continuous.names)]
        self.names = tuple(names[column] for column in columns)
        self.levels = [levels[column] for column in columns]
        self.n = len(columns)

    @property
    def values(self) -> int:
        """Return the number of values in the rows that are added up."""
        return self.n * self._source.rows

    def _continuous(self, v: int) -> int | None:
        """Return the index of a variable among the continuous columns; None if it is categorical."""
        place = self._columns[v] - len(self._table.categorical.names)
        return place if place >= 0 else None

    def standard(self, v: int) -> Standard | None:
        """Return the standard units of a continuous variable; None if it is categorical."""
        place = self._continuous(v)
        return None if place is None else self._standards[place]

    def parameters(self, variables: Sequence[int]) -> int:
        """Return q - 1 + q (x + x (x + 1) / 2), the free parameters of q configurations and x continuous variables."""
        configurations = math.prod(self.levels[v] or 1 for v in variables)
        columns = sum(not self.levels[v] for v in variables)
        return configurations - 1 + configurations * (columns + columns * (columns + 1) // 2)

    def sort_key(self, v: int) -> Hashable:
        """Return the kind; then the text of the value counts, or the size of the skewness and the kurtosis."""
        place = self._continuous(v)
        if place is None:
            levels = self._table.categorical.levels[self._columns[v]]
            # Missing values are counted last; they are not a level.
            return "categorical", text_of_counts(levels, self._counts_of_levels(v)[: len(levels)])
        return "continuous", *self._standardised.shape(place)

    def unlabelled_key(self, v: int) -> Hashable:
        """Return the same key without the labels of levels."""
        if self._continuous(v) is not None:
            return self.sort_key(v)
        return "categorical", tuple(sorted(self._counts_of_levels(v)))

    def _counts_of_levels(self, v: int) -> list[int]:
        """Return the number of rows of each level of a categorical variable, then of missing values, if any."""
        column = self._columns[v]
        [(keys, counts)] = self._source.count([], [[column]])[1]
        found = [0] * levels_with_missing(self._table.categorical)[column]
        for code, count in zip(keys[:, 0].tolist(), counts.tolist(), strict=True):
            found[code] = count
        return found

    @abstractmethod
    def _correlations(self) -> NDArray[np.int64]:
        """Return the correlations of the continuous columns, in units of 2**-34."""

    def points(self) -> list[int]:
        """Return every variable, then continuous ones without a canonical sign a second time."""
        return points_of(self._signs())[0]

    def structures(self) -> list[Structure]:
        """Return the correlations of continuous variables, and the rows of codes and rounded standardised values."""
        points, signs = points_of(self._signs())
        relation = np.zeros((len(points), len(points)), dtype=np.int64)
        columns: list[int | tuple[int, Steps, int]] = []
        among: list[int] = []
        places: list[int] = []
        for point, (v, sign) in enumerate(zip(points, signs.tolist(), strict=True)):
            place = self._continuous(v)
            if place is None:
                columns.append(self._columns[v])
                continue
            columns.append((place, self._standardised.steps(place), sign))
            among.append(point)
            places.append(place)
        correlations = self._correlations()[np.ix_(places, places)]
        relation[np.ix_(among, among)] = correlations * np.outer(signs[among], signs[among])
        return [Relation(relation), rows_of(self._source, _codes_and_steps, columns)]

    def finer_rows(self, groups: Sequence[Sequence[int]]) -> FinerRows | None:
        """Return the rows with unrounded standardised values."""
        points = []
        for v, sign in zip(*points_of(self._signs()), strict=True):
            place = self._continuous(v)
            points.append(
                StandardPoint(self._columns[v]) if place is None else self._standardised.point(place, int(sign))
            )
        return finer_rows(self._source, points, groups)

    def _signs(self) -> list[int]:
        places = [self._continuous(v) for v in range(self.n)]
        return [1 if place is None else self._standardised.sign(place) for place in places]


def _codes_and_steps(
    block: MixedTable, columns: list[int | tuple[int, Steps, int]]
) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
    """Return categorical columns by code, continuous ones in steps, and the weights."""
    rows = np.empty((len(columns), block.rows), dtype=np.int32)
    for row, column in zip(rows, columns, strict=True):
        if isinstance(column, int):
            row[:] = block.categorical.codes[column]
        else:
            row[:] = steps_of_block(block.continuous, [column])[0][0]
    return rows, block.weights


class MixedStatistics(MixedColumns):
    """Counts and moments of categorical and continuous variables together.

    Continuous columns are standardised by their exact moments and rounded to integers. The core adds up their products
    in every stratum of some categorical variables; these sums are exact. Only the reported score, and with
    `unit_free=False` the sort keys and the scores of a trace, have the units of the columns.

    Parameters
    ----------
    table : MixedTable
        No column is constant.
    unit_free : bool
        Whether orders must not depend on units.
    threads : int

    Attributes
    ----------
    compiled : _core.ConditionalGaussian
        The log-likelihoods of sets, from which the core makes scores and tests; it caches sums.
    """

    def __init__(self, table: MixedTable, *, unit_free: bool = False, threads: int = 1) -> None:
        self._moments = Moments(table.continuous, threads=threads)
        self.unit_free = unit_free
        self.has_units = not unit_free
        self.total = table.total
        self.threads = threads
        categorical, continuous = table.categorical, table.continuous
        standards = [standard_of(self._moments, v, self.total) for v in range(len(continuous.names))]
        values = standardised_by(standards, continuous.values, threads)
        levels = [len(labels) for labels in categorical.levels]
        counts = _core.Counts(categorical.codes, levels, table.weights, threads, counting.LIMITS)
        self._hold(TableSource(table, threads=threads), standards)
        order = self.column_order
        bits = standard_bits(self.total)
        self.compiled = _core.ConditionalGaussian(counts, values, bits, floors_of(values, bits), order)
        self._number(order)

    def reordered(self, order: Sequence[int]) -> Self:
        """Return the statistics with the variables renumbered: new variable i is old variable order[i]."""
        statistics = copy(self)
        statistics.compiled = self.compiled.reordered(list(order))
        statistics._number([self._columns[v] for v in order])
        return statistics

    def _correlations(self) -> NDArray[np.int64]:
        return self._moments.rounded_correlations()

    def in_memory(self, purpose: str) -> MixedStatistics:
        """Return statistics of the same variables with the rows in memory; `purpose` is for error messages."""
        return self

    def column_products(self) -> ColumnProducts:
        """Return the products of all columns; a categorical variable has indicators of its levels."""
        return column_products_of(self._source, self._columns_of_variables())

    def basis(self, *, degree: int, transform: str) -> BasisColumns:
        """Return the basis columns of every variable."""
        return basis_of(
            self._source, self._columns_of_variables(), degree=degree, transform=transform, threads=self.threads
        )

    def _columns_of_variables(self) -> list[int | Number]:
        places = [(self._columns[v], self._continuous(v)) for v in range(self.n)]
        return [column if place is None else Number(place, self._standards[place]) for column, place in places]


def floors_of(values: NDArray[np.int64], bits: int) -> list[float]:
    """Return the least variance of each column in a stratum, relative to its total variance.

    `bits` is the number of bits after the point of the values.

    Many columns are measured in steps, such as whole years or tenths of a unit. In a stratum with a single value of
    such a column its variance would be 0, and its density unbounded. But a value that is measured in steps of delta
    has at least the variance of a uniform distribution over the step, delta**2 / 12. The step is the smallest gap
    between neighbouring values. Gaps below 2**-30 standard deviations are ignored, because they may be the rounding of
    a change of units. The result is at least 2**-40.
    """
    return [SMALLEST_RESIDUAL if _has_tiny_gap(column, bits) else floor_of(np.sort(column), bits) for column in values]


def floor_of(ascending: NDArray[np.int64], bits: int) -> float:
    """Return the least variance of one column, from its values in ascending order."""
    shift = bits - _BITS_OF_GAPS
    gaps = np.diff(ascending)
    # The largest gap of a column that varies is not due to rounding. The result is in steps of 2**-30, because a change
    # of units moves it slightly.
    smallest = int(gaps[gaps >= 1 << shift].min(initial=gaps.max()))
    step = round(smallest / (1 << shift)) * 2.0**-_BITS_OF_GAPS
    return max(SMALLEST_RESIDUAL, step * step / 12)


def _has_tiny_gap(column: NDArray[np.int64], bits: int) -> bool:
    """Return whether a narrow range of values shows a gap so small that the step does not matter.

    All values of the range are compared, so that neighbours in the range are neighbours in the column.
    """
    if column.size < _MANY_ROWS:
        return False
    few = np.sort(column[:: column.size // _FEW_ROWS])
    low, high = few[len(few) // 2 - 2], few[len(few) // 2 + 2]
    return is_tiny_gap_among(np.sort(column[(column >= low) & (column <= high)]), bits)


def is_tiny_gap_among(ascending: NDArray[np.int64], bits: int) -> bool:
    """Return whether a gap between neighbours is too small to matter, but too large to be rounding."""
    gaps = np.diff(ascending)
    # The square of a step of 2**-19 is less than 12 * 2**-40.
    return bool(((gaps >= 1 << bits - _BITS_OF_GAPS) & (gaps < 1 << bits - 19)).any())
