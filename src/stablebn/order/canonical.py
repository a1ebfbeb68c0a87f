"""The `decreasing` order of SPEC section 4: by what the data say, never by where a column stands."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from stablebn.data.table import CategoricalTable, Table
from stablebn.graph.names import rank_names
from stablebn.kernels.logarithm import joined
from stablebn.order.refinement import refined_order
from stablebn.scores.families import NOT_A_CANDIDATE, FamilyScores
from stablebn.scores.variable_sets import bit


def canonical_order(table: Table, scores: FamilyScores, *, unit_free: bool = False) -> list[int]:
    """Columns by decreasing sort key; `increasing` is the exact reverse.

    Parameters
    ----------
    table : Table
    scores : FamilyScores
        Of the same columns.
    unit_free : bool
        Compute the keys as if every column had variance 1.

    Returns
    -------
    list of int
        Positions of the table's columns.
    """
    keys = [_score_keys(scores, v, unit_free=unit_free) for v in range(scores.n)]
    texts = _texts_of_value_counts(table)
    greatest_first = sorted(range(scores.n), key=lambda v: (keys[v], texts[v]), reverse=True)
    tiers = [0] * scores.n
    for before, v in pairwise(greatest_first):
        tiers[v] = tiers[before] + ((keys[v], texts[v]) != (keys[before], texts[before]))
    if len(set(tiers)) == scores.n:
        return greatest_first
    places = rank_names(table.names)
    return refined_order(table, tiers, [places[name] for name in table.names])


def _score_keys(scores: FamilyScores, v: int, *, unit_free: bool) -> tuple[int, int]:
    """Keys 1 and 2: the score alone, and the sum (n - 1 times the mean) of the scores with each single parent."""
    alone = scores.family(v, 0)
    others = [u for u in range(scores.n) if u != v]
    total = 0
    for u, (hi, lo) in zip(others, scores.extended(v, 0)[others].tolist(), strict=True):
        total += scores.family(v, bit(u)) if hi == NOT_A_CANDIDATE else joined(hi, lo)
    # A column's own scale adds the same to its score with and without a parent: gains are free of units.
    return (0, total - len(others) * alone) if unit_free else (alone, total)


def _texts_of_value_counts(table: Table) -> list[str]:
    """Key 3 of categorical columns, as Python prints a dict: {'no': 5, 'yes': 3}."""
    if not isinstance(table, CategoricalTable):
        return [""] * len(table.names)
    texts = []
    for levels, codes in zip(table.levels, table.codes, strict=True):
        counts = np.bincount(codes, weights=table.weights).astype(np.int64)
        texts.append(str(dict(zip(levels, counts.tolist(), strict=True))))
    return texts
