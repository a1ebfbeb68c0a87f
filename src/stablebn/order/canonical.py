"""The `decreasing` order of SPEC section 4: by what the data say, never by where a column stands."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stablebn.data.table import CategoricalTable, ContinuousTable, Table
from stablebn.graph.names import rank_names
from stablebn.kernels.logarithm import sums_of_limbs
from stablebn.order.refinement import refined_order
from stablebn.scores.families import FamilyScores
from stablebn.stats.variable_sets import bit


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
    keys = _score_keys(scores, unit_free=unit_free)
    times = Counter(keys)
    keys = [(*key, _further_key(table, v)) if times[key] > 1 else key for v, key in enumerate(keys)]
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


def _score_keys(scores: FamilyScores, *, unit_free: bool) -> list[tuple[Hashable, ...]]:
    """Keys 1 and 2: the score alone, and the sum (n - 1 times the mean) of the scores with each single parent."""
    alone, changes = scores.without_parents
    barred = changes[:, :, 2] != 0
    gains = sums_of_limbs(np.where(barred[:, :, None], 0, changes[:, :, :2]))
    for v, u in np.argwhere(barred).tolist():
        gains[v] += scores.family(v, bit(u)) - alone[v]
    if unit_free:
        # A column's own scale adds the same to its score with and without a parent: gains are free of units.
        return [(gain,) for gain in gains]
    return [(own, (scores.n - 1) * own + gain) for own, gain in zip(alone, gains, strict=True)]


def _further_key(table: Table, v: int) -> Hashable:
    """Key 3, of columns that the scores cannot tell apart."""
    return _text_of_value_counts(table, v) if isinstance(table, CategoricalTable) else _shape(table, v)


def _text_of_value_counts(table: CategoricalTable, v: int) -> str:
    """Key 3 of a categorical column, as Python prints a dict: {'no': 5, 'yes': 3}."""
    counts = np.bincount(table.codes[v], weights=table.weights).astype(np.int64)
    return str(dict(zip(table.levels[v], counts.tolist(), strict=True)))


def _shape(table: ContinuousTable, v: int) -> tuple[int, int]:
    """Skewness and kurtosis, in steps of 2**-30: a further key of a continuous column that knows no units.

    `math.fsum` rounds the exact sum once, so the order of rows cannot matter, and a power of two as unit
    changes no bit; the steps are far coarser than what the rounding of other units can do.
    """
    column = table.values[v]
    repeats = [1] * column.size if table.weights is None else table.weights.tolist()

    def mean(values: NDArray[np.float64]) -> float:
        repeated = (x for x, times in zip(values.tolist(), repeats, strict=True) for _ in range(times))
        return math.fsum(repeated) / table.total

    # A power of two near the largest value keeps the fourth powers in the range of a double.
    values = np.ldexp(column, -int(np.frexp(np.abs(column).max())[1]))
    centred = values - mean(values)
    square = centred * centred
    variance, third, fourth = (mean(power) for power in (square, square * centred, square * square))
    skewness, kurtosis = third / variance / math.sqrt(variance), fourth / variance / variance
    return round(skewness * 2**30), round(kurtosis * 2**30)
