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

# Gaps between neighbouring values of a column, in standard deviations, that may be no more than rounding.
_BITS_OF_GAPS = 30
SMALLEST_RESIDUAL = 2.0**-40
"""The least residual variance in terms of the total variance (specification, section 2)."""

# Sorting more rows than this takes so long that it is worth a look whether it must be; at so many of them.
_MANY_ROWS = 4096
_FEW_ROWS = 256


class MixedColumns(Statistics):
    """The columns of a mixed table, continuous ones standardised: what statistics with and without holes share.

    Attributes
    ----------
    levels : list of int
        Number of levels of each variable; 0 of the continuous ones.
    has_units : bool
        Whether scores of graphs have the units of the columns; those of a search that knows no units have none.
    """

    kind = "mixed"
    has_units: bool

    def measured(self) -> Self:
        """The same statistics, with which scores have the units of the columns."""
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
        """The column of each variable as they stand in the table: the categorical ones come first among the columns."""
        names = (*self._table.categorical.names, *self._table.continuous.names)
        place = {name: column for column, name in enumerate(names)}
        return [place[name] for name in self._table.names]

    def _number(self, columns: Sequence[int]) -> None:
        """Let variable v be column columns[v]."""
        self._columns = columns
        categorical, continuous = self._table.categorical, self._table.continuous
        names = (*categorical.names, *continuous.names)
        levels = [*(len(own) for own in categorical.levels), *(0 for _ in continuous.names)]
        self.names = tuple(names[column] for column in columns)
        self.levels = [levels[column] for column in columns]
        self.n = len(columns)

    @property
    def values(self) -> int:
        """Number of values in the rows that are added up."""
        return self.n * self._source.rows

    def _continuous(self, v: int) -> int | None:
        """The place of a variable among the continuous columns."""
        place = self._columns[v] - len(self._table.categorical.names)
        return place if place >= 0 else None

    def standard(self, v: int) -> Standard | None:
        """The standard units of a continuous variable."""
        place = self._continuous(v)
        return None if place is None else self._standards[place]

    def parameters(self, variables: Sequence[int]) -> int:
        """Free parameters of a set: q - 1 + q (x + x (x + 1) / 2), q configurations and x continuous variables."""
        configurations = math.prod(self.levels[v] or 1 for v in variables)
        columns = sum(not self.levels[v] for v in variables)
        return configurations - 1 + configurations * (columns + columns * (columns + 1) // 2)

    def sort_key(self, v: int) -> Hashable:
        """The kind; then the text of the value counts, or skewness, whichever way, and kurtosis."""
        place = self._continuous(v)
        if place is None:
            levels = self._table.categorical.levels[self._columns[v]]
            # What is missing is counted last, and is no value.
            return "categorical", text_of_counts(levels, self._counts_of_levels(v)[: len(levels)])
        return "continuous", *self._standardised.shape(place)

    def unlabelled_key(self, v: int) -> Hashable:
        """The same key without the labels of levels."""
        if self._continuous(v) is not None:
            return self.sort_key(v)
        return "categorical", tuple(sorted(self._counts_of_levels(v)))

    def _counts_of_levels(self, v: int) -> list[int]:
        """Rows of each level of a categorical variable, holes last where it has some."""
        column = self._columns[v]
        [(keys, counts)] = self._source.count([], [[column]])[1]
        found = [0] * levels_with_missing(self._table.categorical)[column]
        for code, count in zip(keys[:, 0].tolist(), counts.tolist(), strict=True):
            found[code] = count
        return found

    @abstractmethod
    def _correlations(self) -> NDArray[np.int64]:
        """Of the continuous columns, in units of 2**-34."""

    def points(self) -> list[int]:
        """Every variable, and continuous ones that have no sign of their own a second time."""
        return points_of(self._signs())[0]

    def structures(self) -> list[Structure]:
        """Correlations of continuous variables; and the rows, with standardised values, rounded, holes a value too."""
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
        """The rows, with standardised values as exact as another unit permits."""
        own = []
        for v, sign in zip(*points_of(self._signs()), strict=True):
            place = self._continuous(v)
            own.append(StandardPoint(self._columns[v]) if place is None else self._standardised.point(place, int(sign)))
        return finer_rows(self._source, own, groups)

    def _signs(self) -> list[int]:
        places = [self._continuous(v) for v in range(self.n)]
        return [1 if place is None else self._standardised.sign(place) for place in places]


def _codes_and_steps(
    block: MixedTable, columns: list[int | tuple[int, Steps, int]]
) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
    """Categorical columns by code, and continuous ones in steps; and the weights."""
    rows = np.empty((len(columns), block.rows), dtype=np.int32)
    for own, column in zip(rows, columns, strict=True):
        if isinstance(column, int):
            own[:] = block.categorical.codes[column]
        else:
            own[:] = steps_of_block(block.continuous, [column])[0][0]
    return rows, block.weights


class MixedStatistics(MixedColumns):
    """What is known of categorical and continuous variables together.

    Continuous columns are standardised by their exact moments and rounded to integers, of which the core adds up
    products in every stratum of some categorical variables; these sums are exact. All else is free of units: only the
    reported score, and with `unit_free=False` the sort keys and the scores of a trace, have those of the columns.

    Parameters
    ----------
    table : MixedTable
        No column is constant.
    unit_free : bool
        Whether orders must not depend on units either.
    threads : int

    Attributes
    ----------
    compiled : _core.ConditionalGaussian
        The log-likelihood of sets, of which the core's scores and tests are made; it keeps what was added up.
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
        levels = [len(own) for own in categorical.levels]
        counts = _core.Counts(categorical.codes, levels, table.weights, threads, counting.LIMITS)
        self._hold(TableSource(table, threads=threads), standards)
        order = self.column_order
        bits = standard_bits(self.total)
        self.compiled = _core.ConditionalGaussian(counts, values, bits, floors_of(values, bits), order)
        self._number(order)

    def reordered(self, order: Sequence[int]) -> Self:
        """The statistics of the same variables renumbered so that new i is old order[i]."""
        statistics = copy(self)
        statistics.compiled = self.compiled.reordered(list(order))
        statistics._number([self._columns[v] for v in order])
        return statistics

    def _correlations(self) -> NDArray[np.int64]:
        return self._moments.rounded_correlations()

    def in_memory(self, purpose: str) -> MixedStatistics:
        """Return statistics of the same variables that hold the rows themselves; `purpose` is for error messages."""
        return self

    def column_products(self) -> ColumnProducts:
        """Products of all columns, those of a categorical variable being indicators of its levels."""
        return column_products_of(self._source, self._columns_of_variables())

    def basis(self, *, degree: int, transform: str) -> BasisColumns:
        """The columns of a basis of every variable."""
        return basis_of(
            self._source, self._columns_of_variables(), degree=degree, transform=transform, threads=self.threads
        )

    def _columns_of_variables(self) -> list[int | Number]:
        places = [(self._columns[v], self._continuous(v)) for v in range(self.n)]
        return [column if place is None else Number(place, self._standards[place]) for column, place in places]


def floors_of(values: NDArray[np.int64], bits: int) -> list[float]:
    """The least variance that each column can have in a stratum, in terms of its total variance.

    Values have so many bits after the point.

    Many columns are known to a step only: whole years, or tenths of a unit. In a stratum where such a column has a
    single value its variance would be 0, and its density without bound. But a value that is known to a step delta
    cannot have less variance than numbers spread evenly over the step, delta**2 / 12. The step is the smallest gap
    between neighbouring values; smaller ones than 2**-30 standard deviations may be the rounding of a unit, and are
    none. Of truly continuous columns the step is so small that 2**-40 is more.
    """
    return [SMALLEST_RESIDUAL if _has_tiny_gap(column, bits) else floor_of(np.sort(column), bits) for column in values]


def floor_of(ascending: NDArray[np.int64], bits: int) -> float:
    """The same of the values of one column, ascending."""
    shift = bits - _BITS_OF_GAPS
    gaps = np.diff(ascending)
    # Of a column that varies the greatest gap is no rounding. In steps of 2**-30, as the rounding of another unit moves
    # it a little.
    smallest = int(gaps[gaps >= 1 << shift].min(initial=gaps.max()))
    step = round(smallest / (1 << shift)) * 2.0**-_BITS_OF_GAPS
    return max(SMALLEST_RESIDUAL, step * step / 12)


def _has_tiny_gap(column: NDArray[np.int64], bits: int) -> bool:
    """Whether a look at a few values shows a gap so small that the step is of no account.

    All values of a narrow range are looked at: neighbours there are neighbours among all.
    """
    if column.size < _MANY_ROWS:
        return False
    few = np.sort(column[:: column.size // _FEW_ROWS])
    low, high = few[len(few) // 2 - 2], few[len(few) // 2 + 2]
    return is_tiny_gap_among(np.sort(column[(column >= low) & (column <= high)]), bits)


def is_tiny_gap_among(ascending: NDArray[np.int64], bits: int) -> bool:
    """Whether a gap between neighbours is so small that it is of no account, and no rounding."""
    gaps = np.diff(ascending)
    # A step of 2**-19: its square is less than 12 * 2**-40.
    return bool(((gaps >= 1 << bits - _BITS_OF_GAPS) & (gaps < 1 << bits - 19)).any())
