"""The `decreasing` order of SPEC section 4: by what the data say, never by where a column stands."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise

import numpy as np

from stablebn.data.table import CategoricalTable, ContinuousTable, Table
from stablebn.graph.names import rank_names
from stablebn.kernels.logarithm import sum_of_limbs
from stablebn.order.refinement import refined_order
from stablebn.scores.families import NOT_A_CANDIDATE, FamilyScores
from stablebn.scores.variable_sets import bit


def canonical_order(
    table: Table, scores: FamilyScores, *, unit_free: bool = False, last_resort: Sequence[int] | None = None
) -> list[int]:
    """Columns by decreasing sort key; `increasing` is the exact reverse.

    Parameters
    ----------
    table : Table
    scores : FamilyScores
        Of the same columns.
    unit_free : bool
        Compute the keys as if every column had variance 1.
    last_resort : sequence of int, optional
        Rank of each column where nothing else can tell; by default that of its name.

    Returns
    -------
    list of int
        Positions of the table's columns.
    """
    n = scores.n
    keys: list[tuple[Hashable, ...]] = [_score_keys(scores, v, unit_free=unit_free) for v in range(n)]
    if len(set(keys)) < n:
        third = _texts_of_value_counts(table) if isinstance(table, CategoricalTable) else _shapes(table)
        keys = [(*key, more) for key, more in zip(keys, third, strict=True)]
    decreasing = sorted(range(n), key=keys.__getitem__, reverse=True)
    tiers = [0] * n
    for before, v in pairwise(decreasing):
        tiers[v] = tiers[before] + (keys[v] != keys[before])
    if len(set(tiers)) == n:
        return decreasing
    if last_resort is None:
        places = rank_names(table.names)
        last_resort = [places[name] for name in table.names]
    return refined_order(table, tiers, last_resort)


def _score_keys(scores: FamilyScores, v: int, *, unit_free: bool) -> tuple[int, int]:
    """Keys 1 and 2: the score alone, and the sum (n - 1 times the mean) of the scores with each single parent."""
    alone = scores.family(v, 0)
    with_parent = np.delete(scores.extended(v, 0), v, axis=0)
    barred = with_parent[:, 0] == NOT_A_CANDIDATE
    others = [u for u in range(scores.n) if u != v]
    total = sum_of_limbs(with_parent[~barred]) + sum(scores.family(v, bit(others[u])) for u in np.flatnonzero(barred))
    # A column's own scale adds the same to its score with and without a parent: gains are free of units.
    return (0, total - len(others) * alone) if unit_free else (alone, total)


def _texts_of_value_counts(table: CategoricalTable) -> list[str]:
    """Key 3 of categorical columns, as Python prints a dict: {'no': 5, 'yes': 3}."""
    texts = []
    for levels, codes in zip(table.levels, table.codes, strict=True):
        counts = np.bincount(codes, weights=table.weights).astype(np.int64)
        texts.append(str(dict(zip(levels, counts.tolist(), strict=True))))
    return texts


def _shapes(table: ContinuousTable) -> list[tuple[int, int]]:
    """Skewness and kurtosis, in steps of 2**-30: a further key of continuous columns that knows no units.

    `math.fsum` rounds the exact sum once, so the order of rows cannot matter, and a power of two as unit
    changes no bit; the steps are far coarser than what the rounding of other units can do.
    """
    repeats = [1] * table.values.shape[1] if table.weights is None else table.weights.tolist()

    def total(values: Iterable[float]) -> float:
        return math.fsum(x for x, times in zip(values, repeats, strict=True) for _ in range(times))

    shapes = []
    for column in table.values:
        # A power of two near the largest value keeps the fourth powers in the range of a double.
        values = np.ldexp(column, -int(np.frexp(np.abs(column).max())[1]))
        centred = values - total(values.tolist()) / table.total
        square = centred * centred
        variance, third, fourth = (
            total(power.tolist()) / table.total for power in (square, square * centred, square * square)
        )
        skewness, kurtosis = third / variance / math.sqrt(variance), fourth / variance / variance
        shapes.append((round(skewness * 2**30), round(kurtosis * 2**30)))
    return shapes
