"""The `decreasing` order of SPEC section 4: by what the data say, never by where a column stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise

from stablebn.graph.names import rank_names
from stablebn.order.refinement import refined_order
from stablebn.scores.families import CompiledScores
from stablebn.stats import Statistics


def canonical_order(
    statistics: Statistics,
    scores: CompiledScores,
    *,
    unit_free: bool = False,
    last_resort: Sequence[int] | None = None,
) -> list[int]:
    """Variables by decreasing sort key; `increasing` is the exact reverse.

    Parameters
    ----------
    statistics : Statistics
    scores : CompiledScores
        Of the same variables.
    unit_free : bool
        Compute the keys as if every variable had variance 1.
    last_resort : sequence of int, optional
        Rank of each variable where nothing else can tell; by default that of its name.
    """
    n = scores.n
    keys = _score_keys(scores, unit_free=unit_free)
    times = Counter(keys)
    keys = [(*key, statistics.sort_key(v)) if times[key] > 1 else key for v, key in enumerate(keys)]
    decreasing = sorted(range(n), key=keys.__getitem__, reverse=True)
    tiers = [0] * n
    for before, v in pairwise(decreasing):
        tiers[v] = tiers[before] + (keys[v] != keys[before])
    if len(set(tiers)) == n:
        return decreasing
    if last_resort is None:
        places = rank_names(statistics.names)
        last_resort = [places[name] for name in statistics.names]
    return refined_order(statistics, tiers, last_resort)


def _score_keys(scores: CompiledScores, *, unit_free: bool) -> list[tuple[Hashable, ...]]:
    """Keys 1 and 2: the score alone, and the sum (n - 1 times the mean) of the scores with each single parent."""
    alone, _ = scores.without_parents
    gains = scores.sums_with_one_parent()
    if unit_free:
        # A variable's own scale adds the same to its score with and without a parent: gains are free of units.
        return [(gain,) for gain in gains]
    return [(own, (scores.n - 1) * own + gain) for own, gain in zip(alone, gains, strict=True)]
