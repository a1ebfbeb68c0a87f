"""Parameters of a graph from data."""

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
# A table of more cells than this is not a model anyone can use.
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
    # What was set aside has no distribution.
    taken_out = set(prepared.aside)
    aside = [name for name in dag.nodes if name in taken_out]
    nodes = [name for name in dag.nodes if name in prepared.kinds]
    columns = _Columns(prepared, sum((len(dag.parents(node)) + 1) ** 2 for node in nodes))
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
    told = [Caution("set-aside", tuple(aside), f"set aside, and not in the network: {listed(aside)}.")] if aside else []
    return Network(distributions, warnings=[*_lacking_cautions(lacking, unseen), *told], cuts=cuts)


class _Columns:
    """The columns that distributions are fitted to, by name.

    Parameters
    ----------
    prepared : Prepared
    products : int
        How many products of columns the families have, each family by itself.

    Attributes
    ----------
    kinds : mapping of name to kind
        In a table whose other columns are categorical, a number that never changes is a level like any other.
    categorical, continuous : CategoricalTable, ContinuousTable
        The columns that vary.
    constants : mapping of name to value
        The others.
    place : mapping of name to int
        Of a column that varies, in its table.
    levels : mapping of name to levels
        Of the categorical columns.
    """

    def __init__(self, prepared: Prepared, products: int) -> None:
        pure = isinstance(prepared.table, CategoricalTable)
        self.kinds: Mapping[Name, Kind] = dict.fromkeys(prepared.kinds, "categorical") if pure else prepared.kinds
        self.categorical, self.continuous = parts_of(prepared.table)
        self.constants = prepared.constants
        self.place = {name: v for part in (self.categorical, self.continuous) for v, name in enumerate(part.names)}
        self.levels: dict[Name, tuple[Level, ...]] = {
            **dict(zip(self.categorical.names, self.categorical.levels, strict=True)),
            **{
                name: prepared.levels.get(name, (value,))
                for name, value in self.constants.items()
                if self.kinds[name] == "categorical"
            },
        }
        # Scores of continuous tables divide by N - 1 (specification, section 2), those of mixed ones by the rows of a
        # configuration (docs/mixed.md): so in both the log-likelihood of the fitted rows is the graph's `loglik`.
        self._divisor_less = 1 if isinstance(prepared.table, ContinuousTable) else 0
        # In a sparse graph most products of columns are in no family.
        self._is_sparse = products < len(self.continuous.names) ** 2

    def configurations(
        self, names: Sequence[Name], node: Name, cells_of_each: int = 1
    ) -> tuple[tuple[int, ...], NDArray[np.int64]]:
        """How many levels each of some categorical columns has, and the number of their configuration in every row.

        Parameters
        ----------
        names : sequence of names
            The last one changes fastest.
        node : name
            Whose table it is that has so many cells for each configuration.
        cells_of_each : int
        """
        shape = tuple(len(self.levels[name]) for name in names)
        cells = math.prod(shape) * cells_of_each
        if cells > _MOST_CELLS:
            raise GraphError(f"the table of node {node!r} would have {cells:,} cells. Learn with max_parents.")
        numbers = np.zeros(self.categorical.codes.shape[1], dtype=np.int64)
        for name, size in zip(names, shape, strict=True):
            numbers *= size
            numbers += (
                self.categorical.codes[self.place[name]]
                if name in self.place
                else self.levels[name].index(self.constants[name])
            )
        return shape, numbers

    @cached_property
    def _moments(self) -> Moments:
        """Moments of the continuous columns without missing values, over all rows."""
        complete = [v for v in range(len(self.continuous.names)) if v not in self.continuous.holes]
        return Moments(self.continuous.select(complete))

    def known(self, names: Sequence[Name]) -> NDArray[np.bool_] | None:
        """The rows in which all of some columns are known; None: all rows."""
        known = None
        for part in (self.categorical, self.continuous):
            of_part = "categorical" if part is self.categorical else "continuous"
            for name in names:
                v = self.place.get(name)
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
        """Those of some columns that are continuous and vary; of their rows those that are known."""
        varying = [name for name in names if self.kinds[name] == "continuous" and name in self.place]
        table = self.continuous.select([self.place[name] for name in varying])
        if known is None:
            return table
        weights = None if table.weights is None else table.weights[known]
        return ContinuousTable(table.names, np.ascontiguousarray(table.values[:, known]), weights)

    def moments(self, names: Sequence[Name], known: NDArray[np.bool_] | None) -> Moments:
        """Moments of a node and its parents, the node first, over the known rows; without `known`, over all rows."""
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
        """Least squares, solved in exact fractions and rounded once, for all rows or, with moments of those, some."""
        place = {name: v for v, name in enumerate(moments.names)}
        v = place[node]
        used = [parent for parent in parents if parent in place]
        slopes = dict(zip(used, _least_squares(moments, v, [place[parent] for parent in used]), strict=True))
        explained = sum((slopes[p] * moments.cross_product(place[p], v) for p in used), Fraction(0))
        variance = (moments.cross_product(v, v) - explained) / (moments.total - self._divisor_less)
        intercept = moments.mean(v) - sum((slopes[p] * moments.mean(place[p]) for p in used), Fraction(0))
        try:
            coefficients = tuple(float(slopes.get(parent, 0)) for parent in parents)
            return LinearGaussian(tuple(parents), coefficients, float(intercept), _root(variance))
        except OverflowError:
            raise DataError(
                f"the regression of {node!r} on {listed(parents)} has numbers that are too large. Choose other units."
            ) from None


def _table(node: Name, parents: Sequence[Name], columns: _Columns, iss: float, unseen: str) -> tuple[CPT, int]:
    """The table of a categorical node, and how many configurations of its parents no row has."""
    counts = _counts((*parents, node), node, columns)
    shape = counts.shape
    prior = iss / counts.size
    rows = counts.sum(axis=-1, keepdims=True) + prior * shape[-1]
    seen = rows > 0
    # Rows in which only the parents are unknown tell of the node too.
    fallback = _marginal(_counts((node,), node, columns)) if unseen == "marginal" else np.full(shape[-1], 1 / shape[-1])
    probabilities = np.where(seen, (counts + prior) / np.where(seen, rows, 1), fallback)
    return CPT(columns.levels[node], tuple(parents), probabilities), int((~seen).sum())


def _counts(names: Sequence[Name], node: Name, columns: _Columns) -> NDArray[np.float64]:
    """Rows of every configuration of some columns, of those in which all are known."""
    shape, cells = columns.configurations(names, node)
    weights, known = columns.categorical.weights, columns.known(names)
    if known is not None:
        cells, weights = cells[known], None if weights is None else weights[known]
    return np.bincount(cells, weights=weights, minlength=math.prod(shape)).astype(np.float64).reshape(shape)


def _marginal(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    by_level = counts.reshape(-1, counts.shape[-1]).sum(axis=0)
    return np.asarray(by_level / by_level.sum())


def _gaussian(
    node: Name, parents: Sequence[Name], columns: _Columns
) -> tuple[LinearGaussian | ConditionalGaussian, int]:
    """The distribution of a continuous node, and how many configurations have too few rows for one of their own."""
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
    own = 0
    if node in columns.place:
        rows = columns.rows_of((node, *continuous), known)
        for configuration, stratum in _strata(rows, cells if known is None else cells[known]):
            # With fewer, a regression goes through all its rows and leaves no spread.
            if stratum.total > len(rows.names):
                gaussians[configuration] = columns.regression(node, continuous, Moments(stratum))
                own += 1
    fitted = ConditionalGaussian(
        categorical,
        continuous,
        np.array([gaussian.intercept for gaussian in gaussians]).reshape(shape),
        np.array([gaussian.coefficients for gaussian in gaussians]).reshape(*shape, len(continuous)),
        np.array([gaussian.sd for gaussian in gaussians]).reshape(shape),
    )
    return fitted, len(gaussians) - own if node in columns.place else 0


def _strata(table: ContinuousTable, cells: NDArray[np.int64]) -> Iterator[tuple[int, ContinuousTable]]:
    """The configurations that occur, each with its rows."""
    order = np.argsort(cells, kind="stable")
    found, first = np.unique(cells[order], return_index=True)
    values = np.split(table.values[:, order], first[1:], axis=1)
    weights = [None] * found.size if table.weights is None else np.split(table.weights[order], first[1:])
    for configuration, own, of_rows in zip(found.tolist(), values, weights, strict=True):
        yield configuration, ContinuousTable(table.names, np.ascontiguousarray(own), of_rows)


def _lacking_cautions(lacking: Mapping[Kind, Mapping[Name, int]], unseen: str) -> Iterator[Caution]:
    """What to say of configurations without rows, or with too few; `GraphError` if they are to be refused."""
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
    """The square root; the variance itself may be too large or too small for a float."""
    exponent = (variance.numerator.bit_length() - variance.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(variance / Fraction(4) ** exponent), exponent)


def _least_squares(moments: Moments, v: int, parents: Sequence[int]) -> list[Fraction]:
    """Coefficients of the regression of v on its parents; one that others determine gets 0."""
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
