"""Parameters of a graph from data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from stablebn.data import CategoricalTable, Caution, ContinuousTable, MixedTable, Prepared
from stablebn.data.checks import mixed_refused
from stablebn.errors import GraphError, OptionError, listed, one_of
from stablebn.graph import DAG
from stablebn.networks.model import CPT, LinearGaussian, Name, Network
from stablebn.stats.moments import Moments

METHODS = ("ml", "bde")
UNSEEN = ("uniform", "marginal", "error")
# A table of more cells than this is not a model anyone can use.
_MOST_CELLS = 1 << 26


def fit(dag: DAG, prepared: Prepared, *, method: str = "ml", iss: float = 1.0, unseen: str = "uniform") -> Network:
    """Estimate the parameters of a graph; see `stablebn.fit`."""
    one_of("method", method, METHODS)
    one_of("unseen", unseen, UNSEEN)
    if not (isinstance(iss, int | float) and math.isfinite(iss) and iss > 0):
        raise OptionError(f"iss={iss!r} must be a number above 0.")
    absent = [name for name in dag.nodes if name not in prepared.kinds]
    if absent:
        raise GraphError(f"the graph has nodes that are not columns of the table: {listed(absent)}.")
    if isinstance(prepared.table, CategoricalTable):
        return _fit_tables(dag, prepared, prepared.table, iss if method == "bde" else 0.0, unseen)
    if isinstance(prepared.table, MixedTable):
        raise mixed_refused(prepared.table)
    return _fit_gaussians(dag, prepared)


def _fit_tables(dag: DAG, prepared: Prepared, table: CategoricalTable, iss: float, unseen: str) -> Network:
    place = {name: v for v, name in enumerate(table.names)}
    levels = {name: table.levels[place[name]] if name in place else (prepared.constants[name],) for name in dag.nodes}
    distributions: dict[Name, CPT] = {}
    empty: dict[Name, int] = {}
    for node in dag.nodes:
        parents = dag.parents(node)
        counts = _counts(node, parents, levels, place, table)
        prior = iss / counts.size
        rows = counts.sum(axis=-1, keepdims=True) + prior * len(levels[node])
        seen = rows > 0
        empty[node] = int((~seen).sum())
        fallback = np.full(len(levels[node]), 1 / len(levels[node]))
        if unseen == "marginal":
            # Rows in which only the parents are unknown tell of the node too.
            fallback = _marginal(counts if not table.holes else _counts(node, (), levels, place, table))
        probabilities = np.where(seen, (counts + prior) / np.where(seen, rows, 1), fallback)
        distributions[node] = CPT(levels[node], parents, probabilities)
    unseen_at = [node for node, configurations in empty.items() if configurations]
    if unseen_at and unseen == "error":
        raise GraphError(
            f"parent configurations of these nodes do not occur in the data: {listed(unseen_at)}. "
            'Say unseen="uniform" or "marginal", or method="bde".'
        )
    return Network(distributions, warnings=_unseen_caution(unseen_at, sum(empty.values()), unseen))


def _counts(
    node: Name,
    parents: Sequence[Name],
    levels: Mapping[Name, Sequence[object]],
    place: Mapping[Name, int],
    table: CategoricalTable,
) -> NDArray[np.float64]:
    """Rows of every cell [levels of parent 1, ..., levels of the node], of those in which all are known."""
    shape = tuple(len(levels[name]) for name in (*parents, node))
    if math.prod(shape) > _MOST_CELLS:
        raise GraphError(f"the table of node {node!r} would have {math.prod(shape):,} cells. Learn with max_parents.")
    cells = np.zeros(table.codes.shape[1], dtype=np.int64)
    known = np.ones(cells.size, dtype=np.bool_)
    for name, size in zip((*parents, node), shape, strict=True):
        cells *= size
        if name in place:
            codes = table.codes[place[name]]
            cells += codes
            if place[name] in table.holes:
                known &= codes < size
    weights = table.weights
    if not known.all():
        cells, weights = cells[known], None if weights is None else weights[known]
    counts = np.bincount(cells, weights=weights, minlength=math.prod(shape))
    return counts.astype(np.float64).reshape(shape)


def _marginal(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    by_level = counts.reshape(-1, counts.shape[-1]).sum(axis=0)
    return np.asarray(by_level / by_level.sum())


def _unseen_caution(nodes: Sequence[Name], configurations: int, unseen: str) -> tuple[Caution, ...]:
    if not nodes:
        return ()
    message = (
        f"{configurations:,} parent configurations of {listed(nodes)} do not occur in the data; "
        f"their probabilities are {unseen}."
    )
    return (Caution("unseen", tuple(nodes), message),)


def _fit_gaussians(dag: DAG, prepared: Prepared) -> Network:
    """Least squares, solved in exact fractions and rounded once; noise variance RSS / (N - 1), as in the score."""
    table = prepared.table
    assert isinstance(table, ContinuousTable)
    all_rows = None if table.holes else Moments(table)
    place = {name: v for v, name in enumerate(table.names)}
    distributions: dict[Name, LinearGaussian] = {}
    for node in dag.nodes:
        parents = dag.parents(node)
        if node not in place:
            value = prepared.constants[node]
            assert isinstance(value, float)
            distributions[node] = LinearGaussian(parents, (0.0,) * len(parents), value, 0.0)
            continue
        used = [parent for parent in parents if parent in place]
        v, at = place[node], {parent: place[parent] for parent in used}
        if all_rows is None:
            moments = Moments(_known_rows(table, [v, *at.values()]))
            v, at = 0, {parent: 1 + i for i, parent in enumerate(used)}
        else:
            moments = all_rows
        slopes = dict(zip(used, _least_squares(moments, v, list(at.values())), strict=True))
        explained = sum((slopes[p] * moments.cross_product(at[p], v) for p in used), Fraction(0))
        variance = (moments.cross_product(v, v) - explained) / (moments.total - 1)
        intercept = moments.mean(v) - sum((slopes[p] * moments.mean(at[p]) for p in used), Fraction(0))
        coefficients = tuple(float(slopes.get(parent, 0)) for parent in parents)
        distributions[node] = LinearGaussian(parents, coefficients, float(intercept), math.sqrt(float(variance)))
    return Network(distributions)


def _known_rows(table: ContinuousTable, columns: Sequence[int]) -> ContinuousTable:
    """Some columns, and the rows in which all of them are known."""
    family = table.select(columns)
    known = ~np.isnan(family.values).any(axis=0)
    weights = None if table.weights is None else table.weights[known]
    rows = ContinuousTable(family.names, np.ascontiguousarray(family.values[:, known]), weights)
    if rows.total < len(columns) + 2:
        raise GraphError(
            f"only {rows.total} rows have values of {listed(family.names)}: too few for the parameters of "
            f"{family.names[0]!r}. Take away parents."
        )
    return rows


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
