"""Estimate the parameters of a graph from data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.kinds import Kind
from stablebn.errors import DataError, GraphError, listed, one_of
from stablebn.graph import DAG
from stablebn.messages import Caution
from stablebn.networks.align_table import parts_of
from stablebn.networks.model import (
    CPT,
    ConditionalGaussian,
    Distribution,
    Level,
    LinearGaussian,
    Name,
    Network,
    check_categorical_parents,
)
from stablebn.options import positive
from stablebn.prepare.prepared import Prepared, check_excluded
from stablebn.stats.moments import Moments
from stablebn.table.table import CategoricalTable, ContinuousTable

METHODS = ("ml", "bde")
UNSEEN = ("uniform", "marginal", "error")
# Most cells of a conditional probability table.
_MOST_CELLS = 1 << 26


def fit(dag: DAG, prepared: Prepared, *, method: str = "ml", iss: float = 1.0, unseen: str = "uniform") -> Network:
    """Estimate the parameters of a graph; see `stablebn.fit`."""
    one_of("method", method, METHODS)
    one_of("unseen", unseen, UNSEEN)
    positive()("iss", iss)
    absent = [name for name in dag.nodes if name not in prepared.decisions]
    if absent:
        raise GraphError(f"the graph has nodes that are not columns of the table: {listed(absent)}.")
    check_excluded([dag.arcs], prepared)
    # Excluded columns have no distribution.
    excluded_columns = set(prepared.aside)
    excluded = [name for name in dag.nodes if name in excluded_columns]
    nodes = [name for name in dag.nodes if name in prepared.kinds]
    columns = _FittedColumns(prepared, sum((len(dag.parents(node)) + 1) ** 2 for node in nodes))
    check_categorical_parents(dag, columns.kinds)
    distributions: dict[Name, Distribution] = {}
    lacking: dict[Kind, dict[Name, int]] = {"categorical": {}, "continuous": {}}
    for node in nodes:
        kind = columns.kinds[node]
        if kind == "categorical":
            distributions[node], without = _table(
                node, dag.parents(node), columns, iss if method == "bde" else 0.0, unseen
            )
        else:
            distributions[node], without = _gaussian(node, dag.parents(node), columns)
        if without:
            lacking[kind][node] = without
    cuts = {node: points for node, points in prepared.cuts.items() if node in distributions}
    warnings = [*_lacking_cautions(lacking, unseen)]
    if excluded:
        warnings.append(
            Caution("set-aside", tuple(excluded), f"set aside, and not in the network: {listed(excluded)}.")
        )
    return Network(distributions, warnings=warnings, cuts=cuts)


class _FittedColumns:
    """Columns of a table by name, for fitting distributions.

    Parameters
    ----------
    prepared : Prepared
    products : int
        Total number of products of columns in the families.

    Attributes
    ----------
    kinds : mapping of name to kind
        If all other columns are categorical, a constant number is categorical too.
    categorical, continuous : CategoricalTable, ContinuousTable
        The columns that are not constant.
    constants : mapping of name to value
        The constant columns.
    index_of : mapping of name to int
        Index of a column, which is not constant, in its table.
    levels : mapping of name to levels
        Levels of the categorical columns.
    """

    def __init__(self, prepared: Prepared, products: int) -> None:
        pure = isinstance(prepared.table, CategoricalTable)
        self.kinds: Mapping[Name, Kind] = dict.fromkeys(prepared.kinds, "categorical") if pure else prepared.kinds
        self.categorical, self.continuous = parts_of(prepared.table)
        self.constants = prepared.constants
        self.index_of = {name: v for part in (self.categorical, self.continuous) for v, name in enumerate(part.names)}
        self.levels: dict[Name, tuple[Level, ...]] = {
            **dict(zip(self.categorical.names, self.categorical.levels, strict=True)),
            **{
                name: prepared.levels.get(name, (value,))
                for name, value in self.constants.items()
                if self.kinds[name] == "categorical"
            },
        }
        # The same divisors as in the scores, so that the log-likelihood of the fitted rows is the graph's `loglik`:
        # N - 1 for continuous tables (specification, section 2), and the rows of a configuration for mixed ones
        # (docs/mixed.md).
        self._divisor_less = 1 if isinstance(prepared.table, ContinuousTable) else 0
        # If families need few products, those of all pairs of columns are not computed.
        self._is_sparse = products < len(self.continuous.names) ** 2

    def configurations(
        self, names: Sequence[Name], node: Name, cells_of_each: int = 1
    ) -> tuple[tuple[int, ...], NDArray[np.int64]]:
        """Return the numbers of levels of some categorical columns, and the number of their configuration in each row.

        Parameters
        ----------
        names : sequence of names
            The last one changes fastest.
        node : name
            The node whose table is fitted, for the error if the table is too large.
        cells_of_each : int
            Number of cells of the table for each configuration.
        """
        shape = tuple(len(self.levels[name]) for name in names)
        cells = math.prod(shape) * cells_of_each
        if cells > _MOST_CELLS:
            raise GraphError(f"the table of node {node!r} would have {cells:,} cells. Learn with max_parents.")
        numbers = np.zeros(self.categorical.codes.shape[1], dtype=np.int64)
        for name, size in zip(names, shape, strict=True):
            numbers *= size
            numbers += (
                self.categorical.codes[self.index_of[name]]
                if name in self.index_of
                else self.levels[name].index(self.constants[name])
            )
        return shape, numbers

    @cached_property
    def _moments(self) -> Moments:
        """Moments of the continuous columns without missing values, over all rows."""
        complete = [v for v in range(len(self.continuous.names)) if v not in self.continuous.holes]
        return Moments(self.continuous.select(complete))

    def known(self, names: Sequence[Name]) -> NDArray[np.bool_] | None:
        """Return which rows have values in all of these columns; None: all rows."""
        known = None
        for part in (self.categorical, self.continuous):
            of_part = "categorical" if part is self.categorical else "continuous"
            for name in names:
                v = self.index_of.get(name)
                if v is None or self.kinds[name] != of_part or v not in part.holes:
                    continue
                missing = (
                    part.codes[v] == len(part.levels[v])
                    if isinstance(part, CategoricalTable)
                    else np.isnan(part.values[v])
                )
                known = ~missing if known is None else known & ~missing
        return known

    def rows_of(self, names: Sequence[Name], known: NDArray[np.bool_] | None) -> ContinuousTable:
        """Return the table of those columns that are continuous and not constant, restricted to the known rows."""
        varying = [name for name in names if self.kinds[name] == "continuous" and name in self.index_of]
        table = self.continuous.select([self.index_of[name] for name in varying])
        if known is None:
            return table
        weights = None if table.weights is None else table.weights[known]
        return ContinuousTable(table.names, np.ascontiguousarray(table.values[:, known]), weights)

    def moments(self, names: Sequence[Name], known: NDArray[np.bool_] | None) -> Moments:
        """Return moments of a node and its parents (the node first) over the known rows; without `known`, all rows."""
        if known is None:
            return Moments(self.rows_of(names, None)) if self._is_sparse else self._moments
        rows = self.rows_of(names, known)
        if rows.total < len(rows.names) + 2:
            raise GraphError(
                f"only {rows.total} rows have values of {listed(names)}: too few for the parameters of {names[0]!r}. "
                "Take away parents."
            )
        return Moments(rows)

    def regression(self, node: Name, parents: Sequence[Name], moments: Moments) -> LinearGaussian:
        """Fit a node to its parents by least squares, in exact fractions that are rounded once."""
        index_of = {name: v for v, name in enumerate(moments.names)}
        v = index_of[node]
        used = [parent for parent in parents if parent in index_of]
        slopes = dict(zip(used, _least_squares(moments, v, [index_of[parent] for parent in used]), strict=True))
        explained = sum((slopes[p] * moments.cross_product(index_of[p], v) for p in used), Fraction(0))
        variance = (moments.cross_product(v, v) - explained) / (moments.total - self._divisor_less)
        intercept = moments.mean(v) - sum((slopes[p] * moments.mean(index_of[p]) for p in used), Fraction(0))
        try:
            coefficients = tuple(float(slopes.get(parent, 0)) for parent in parents)
            return LinearGaussian(tuple(parents), coefficients, float(intercept), _root(variance))
        except OverflowError:
            raise DataError(
                f"the regression of {node!r} on {listed(parents)} has numbers that are too large. Choose other units."
            ) from None


def _table(node: Name, parents: Sequence[Name], columns: _FittedColumns, iss: float, unseen: str) -> tuple[CPT, int]:
    """Fit the table of a categorical node; also return the number of parent configurations without rows."""
    counts = _counts((*parents, node), node, columns)
    shape = counts.shape
    prior = iss / counts.size
    rows = counts.sum(axis=-1, keepdims=True) + prior * shape[-1]
    seen = rows > 0
    # The marginal distribution also uses rows in which only the parents are missing.
    fallback = _marginal(_counts((node,), node, columns)) if unseen == "marginal" else np.full(shape[-1], 1 / shape[-1])
    probabilities = np.where(seen, (counts + prior) / np.where(seen, rows, 1), fallback)
    return CPT(columns.levels[node], tuple(parents), probabilities), int((~seen).sum())


def _counts(names: Sequence[Name], node: Name, columns: _FittedColumns) -> NDArray[np.float64]:
    """Count the rows of each configuration of some columns, using the rows in which all are known."""
    shape, cells = columns.configurations(names, node)
    weights, known = columns.categorical.weights, columns.known(names)
    if known is not None:
        cells, weights = cells[known], None if weights is None else weights[known]
    return np.bincount(cells, weights=weights, minlength=math.prod(shape)).astype(np.float64).reshape(shape)


def _marginal(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    by_level = counts.reshape(-1, counts.shape[-1]).sum(axis=0)
    return np.asarray(by_level / by_level.sum())


def _gaussian(
    node: Name, parents: Sequence[Name], columns: _FittedColumns
) -> tuple[LinearGaussian | ConditionalGaussian, int]:
    """Fit a continuous node; also return the number of configurations with too few rows for their own regression."""
    categorical = tuple(parent for parent in parents if columns.kinds[parent] == "categorical")
    continuous = tuple(parent for parent in parents if columns.kinds[parent] == "continuous")
    known = columns.known((node, *parents))
    if node in columns.constants:
        value = columns.constants[node]
        assert isinstance(value, float)
        of_all = LinearGaussian(continuous, (0.0,) * len(continuous), value, 0.0)
    else:
        of_all = columns.regression(node, continuous, columns.moments((node, *continuous), known))
    if not categorical:
        return of_all, 0
    shape, cells = columns.configurations(categorical, node, of_all.free_parameters)
    gaussians = [of_all] * math.prod(shape)
    with_own = 0
    if node in columns.index_of:
        rows = columns.rows_of((node, *continuous), known)
        for configuration, stratum in _strata(rows, cells if known is None else cells[known]):
            # With fewer rows, a regression fits every row exactly, and the standard deviation is 0.
            if stratum.total > len(rows.names):
                gaussians[configuration] = columns.regression(node, continuous, Moments(stratum))
                with_own += 1
    fitted = ConditionalGaussian(
        categorical,
        continuous,
        np.array([gaussian.intercept for gaussian in gaussians]).reshape(shape),
        np.array([gaussian.coefficients for gaussian in gaussians]).reshape(*shape, len(continuous)),
        np.array([gaussian.sd for gaussian in gaussians]).reshape(shape),
    )
    return fitted, len(gaussians) - with_own if node in columns.index_of else 0


def _strata(table: ContinuousTable, cells: NDArray[np.int64]) -> Iterator[tuple[int, ContinuousTable]]:
    """Yield each configuration that occurs, with its rows."""
    order = np.argsort(cells, kind="stable")
    configurations, first = np.unique(cells[order], return_index=True)
    values = np.split(table.values[:, order], first[1:], axis=1)
    weights = [None] * configurations.size if table.weights is None else np.split(table.weights[order], first[1:])
    for configuration, its_values, its_weights in zip(configurations.tolist(), values, weights, strict=True):
        yield configuration, ContinuousTable(table.names, np.ascontiguousarray(its_values), its_weights)


def _lacking_cautions(lacking: Mapping[Kind, Mapping[Name, int]], unseen: str) -> Iterator[Caution]:
    """Warn about configurations without rows or with too few; raise `GraphError` with unseen="error"."""
    tables, gaussians = lacking["categorical"], lacking["continuous"]
    if unseen == "error" and tables:
        raise GraphError(
            f"parent configurations of these nodes do not occur in the data: {listed(tuple(tables))}. "
            'Say unseen="uniform" or "marginal", or method="bde".'
        )
    if unseen == "error" and gaussians:
        raise GraphError(
            f"parent configurations of these nodes have too few rows for a regression: {listed(tuple(gaussians))}. "
            'Say unseen="marginal" for the regression of all rows.'
        )
    if tables:
        yield Caution(
            "unseen",
            tuple(tables),
            f"{sum(tables.values()):,} parent configurations of {listed(tuple(tables))} do not occur in the data; "
            f"their probabilities are {unseen}.",
        )
    if gaussians:
        yield Caution(
            "unseen",
            tuple(gaussians),
            f"{sum(gaussians.values()):,} configurations of the categorical parents of {listed(tuple(gaussians))} have "
            "too few rows for a regression; they have that of all rows.",
        )


def _root(variance: Fraction) -> float:
    """Return the square root of a variance, which itself may be too large or too small for a float."""
    exponent = (variance.numerator.bit_length() - variance.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(variance / Fraction(4) ** exponent), exponent)


def _least_squares(moments: Moments, v: int, parents: Sequence[int]) -> list[Fraction]:
    """Return the coefficients of the regression of v on its parents; a linearly dependent parent gets 0."""
    k = len(parents)
    rows = [[moments.cross_product(p, q) for q in parents] + [moments.cross_product(p, v)] for p in parents]
    for j in range(k):
        if rows[j][j] == 0:
            continue
        for i in range(j + 1, k):
            ratio = rows[i][j] / rows[j][j]
            rows[i] = [x - ratio * y for x, y in zip(rows[i], rows[j], strict=True)]
    slopes = [Fraction(0)] * k
    for j in reversed(range(k)):
        if rows[j][j] != 0:
            rest = sum((rows[j][i] * slopes[i] for i in range(j + 1, k)), Fraction(0))
            slopes[j] = (rows[j][k] - rest) / rows[j][j]
    return slopes
