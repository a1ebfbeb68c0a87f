"""Columns of a basis: polynomials of continuous variables, and indicators of categorical ones (score "basis")."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from stablebn import _core
from stablebn.columns.kinds import distinct_counts
from stablebn.stats.base import ColumnProducts
from stablebn.stats.exact_sums import Number, Values, sums_of_blocks
from stablebn.stats.row_source import RowSource
from stablebn.stats.standard_units import standardised_by
from stablebn.table.data_kinds import categorical_part, continuous_part
from stablebn.table.table import ContinuousTable, Weights

Outcome = TypeVar("Outcome")

TRANSFORMS = ("rank", "bounded")
"""Names of the transformations of a column before polynomials are taken."""

# Values of columns are integers in steps of 2**-18.
_STEPS = 1 << 18
# A polynomial with less residual variance, given lower degrees, is left out: it adds little and costs precision.
_LEAST_RESIDUAL = Fraction(1, 64)
_ROWS_AT_ONCE = 1 << 15


@dataclass(frozen=True)
class BasisColumns:
    """The basis columns of all variables.

    Attributes
    ----------
    blocks : ColumnProducts
        Products of the columns. Each polynomial is a block; all indicators of a categorical variable are one block.
    variables : list of lists of int
        The blocks of each variable, lower degrees first.
    """

    blocks: ColumnProducts
    variables: list[list[int]]


@dataclass(frozen=True)
class _Polynomials:
    """Polynomials of a continuous variable, of its transformed values."""

    scores: NDArray[np.float64]
    degree: int

    @property
    def width(self) -> int:
        return self.degree

    def of(self, rows: slice) -> NDArray[np.float64]:
        """Return the columns of some rows: Hermite polynomials of degree 1, 2, ..., divided by the root of n!."""
        x = self.scores[rows]
        polynomials = [np.ones_like(x), x]
        found = [x]
        factorial = 1
        for n in range(1, self.degree):
            polynomials.append(x * polynomials[n] - n * polynomials[n - 1])
            factorial *= n + 1
            found.append(polynomials[-1] / np.sqrt(float(factorial)))
        columns: NDArray[np.float64] = np.rint(np.array(found) * _STEPS)
        return columns


@dataclass(frozen=True)
class _IndicatorColumns:
    """Indicators of the levels of a categorical variable."""

    codes: NDArray[np.integer]
    levels: Sequence[int]

    @property
    def width(self) -> int:
        return len(self.levels)

    def of(self, rows: slice) -> NDArray[np.float64]:
        """Return the columns of some rows."""
        levels = np.array(self.levels, dtype=np.int64)[:, np.newaxis]
        columns: NDArray[np.float64] = (self.codes[rows] == levels).astype(np.float64)
        return columns


_BasisPart: TypeAlias = _Polynomials | _IndicatorColumns


def basis_of(
    source: RowSource, variables: Sequence[int | Number], *, degree: int, transform: str, threads: int
) -> BasisColumns:
    """Make the basis columns of variables and add up their products; categorical variables are given by column index.

    Parameters
    ----------
    source : RowSource
        Its rows are fetched into memory, because ranks need all rows.
    variables : sequence of int or Number
    degree : int
        Degree of the polynomials.
    transform : {"rank", "bounded"}
        Take polynomials of normal scores of the ranks, or of standardised values x as x / sqrt(1 + x**2 / 4).
    threads : int
    """
    table = source.fetch('score="basis"')
    categorical, continuous = categorical_part(table), continuous_part(table)
    scores_of = _normal_scores if transform == "rank" else _bounded
    parts: list[_BasisPart] = []
    frequencies: list[list[int]] = []
    for variable in variables:
        _core.check_time()
        if isinstance(variable, Number):
            assert continuous is not None
            parts.append(_Polynomials(scores_of(continuous, variable), degree))
            frequencies.append([])
        else:
            assert categorical is not None
            codes = categorical.codes[variable]
            levels, rows = distinct_counts(codes.astype(np.float64), table.weights)
            parts.append(_IndicatorColumns(codes, levels.astype(np.int64).tolist()[1:]))
            frequencies.append(rows.tolist())
    products = _products(parts, table.weights, table.rows, threads)
    columns: list[list[int]] = []
    of_blocks: list[list[int]] = []
    of_variables: list[list[int]] = []
    kept: list[int] = []
    start = 0
    for part, own_frequencies in zip(parts, frequencies, strict=True):
        places = list(range(start, start + part.width))
        start += part.width
        groups = [places] if own_frequencies else [[place] for place in _independent(products, places)]
        of_variables.append(list(range(len(columns), len(columns) + len(groups))))
        for group in groups:
            columns.append(list(range(len(kept), len(kept) + len(group))))
            of_blocks.append(own_frequencies)
            kept += group
    return BasisColumns(ColumnProducts(products[np.ix_(kept, kept)], columns, of_blocks), of_variables)


def _normal_scores(table: ContinuousTable, number: Number) -> NDArray[np.float64]:
    """Return the normal quantile of the mean rank of every value, which no monotone function of the column changes."""
    values, place_of_row = np.unique(table.values[number.column], return_inverse=True)
    rows = np.ones(table.rows, dtype=np.int64) if table.weights is None else table.weights
    times = np.zeros(values.size, dtype=np.int64)
    np.add.at(times, place_of_row, rows)
    total = int(times.sum())
    # Twice the mean rank, relative to the middle.
    places = 2 * np.cumsum(times) - times - total
    scores: NDArray[np.float64] = _core.normal_scores(places, total)[place_of_row]
    return scores


def _bounded(table: ContinuousTable, number: Number) -> NDArray[np.float64]:
    """Return x / sqrt(1 + x**2 / 4) of standardised values x: at most 2 in size, and close to x near the mean."""
    steps = standardised_by([number.standard], table.values[[number.column]], 1)[0]
    x = np.ldexp(steps.astype(np.float64), -number.standard.bits)
    bounded: NDArray[np.float64] = x / np.sqrt(1 + x * x / 4)
    return bounded


class _RowsOfColumns:
    """The columns of some parts as tables of a limited number of rows."""

    def __init__(self, parts: Sequence[_BasisPart], weights: Weights | None, rows: int) -> None:
        self._parts = parts
        self._weights = weights
        self._starts = range(0, rows, _ROWS_AT_ONCE)
        self._only = self._table(slice(0, rows)) if len(self._starts) == 1 else None

    def map_blocks(self, function: Callable[..., Outcome], *arguments: object) -> Iterator[Outcome]:
        """Apply a function to every block of rows and the arguments."""
        for start in self._starts:
            _core.check_time()
            yield function(self._only or self._table(slice(start, start + _ROWS_AT_ONCE)), *arguments)

    def _table(self, rows: slice) -> ContinuousTable:
        values = np.concatenate([part.of(rows) for part in self._parts])
        return ContinuousTable(
            tuple(range(len(values))), values, None if self._weights is None else self._weights[rows]
        )


def _products(parts: Sequence[_BasisPart], weights: Weights | None, rows: int, threads: int) -> NDArray[np.object_]:
    """Return N sum(x y) - sum(x) sum(y) of all columns."""
    if not parts:
        return np.empty((0, 0), dtype=object)
    columns = sum(part.width for part in parts)
    table = _RowsOfColumns(parts, weights, rows)
    return sums_of_blocks(table.map_blocks, [Values(column) for column in range(columns)], threads).integer_products()


def _independent(products: NDArray[np.object_], places: Sequence[int]) -> list[int]:
    """Return the first column, and each further column with enough residual variance given those before."""
    kept: list[int] = []
    factors: list[list[Fraction]] = []
    pivots: list[Fraction] = []
    for place in places:
        variance = Fraction(int(products[place, place]))
        row: list[Fraction] = []
        for i, before in enumerate(kept):
            product = Fraction(int(products[place, before]))
            row.append(product - sum((a * b for a, b in zip(factors[i], row, strict=False)), Fraction(0)))
        ratios = [product / pivot for product, pivot in zip(row, pivots, strict=True)]
        rest = variance - sum((a * b for a, b in zip(ratios, row, strict=True)), Fraction(0))
        if not kept or (variance and rest >= _LEAST_RESIDUAL * variance):
            kept.append(place)
            factors.append(ratios)
            pivots.append(rest)
    return kept
