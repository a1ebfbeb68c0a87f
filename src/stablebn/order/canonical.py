"""The `decreasing` order of SPEC section 4: by what the data say, never by where a column stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import pairwise

from stablebn.graph.names import rank_names
from stablebn.order.refinement import ToldApart, tell_apart
from stablebn.scores.families import CompiledScores
from stablebn.stats import Statistics
from stablebn.stats.symmetry import Relation


def canonical_order(
    statistics: Statistics,
    scores: CompiledScores,
    *,
    unit_free: bool = False,
    relations: Sequence[Relation] = (),
    called: Mapping[Hashable, Hashable] | None = None,
    deadline: float | None = None,
    watch: Callable[[str, int], None] | None = None,
) -> ToldApart:
    """Variables by decreasing sort key; `increasing` is the exact reverse.

    Parameters
    ----------
    statistics : Statistics
    scores : CompiledScores
        Of the same variables.
    unit_free : bool
        Compute the keys as if every variable had variance 1.
    relations : sequence of Relation
        What is given besides the data, for instance a graph, or the arcs that are allowed: names decide only between
        variables that are interchangeable in all of it.
    called : mapping of name to name, optional
        The names to decide by where not their own: those of merged columns, which units must not choose.
    deadline : float, optional
        When names must decide at the latest, in terms of `time.monotonic`.
    watch : callable, optional
        Called with what is under way, and how far it is.
    """
    tiers = _tiers(statistics.sort_key, scores, unit_free=unit_free)
    if len(set(tiers)) == scores.n:
        return ToldApart(sorted(range(scores.n), key=tiers.__getitem__), tied=False)
    points = statistics.points()
    structures = [*statistics.structures(), *(relation.of_points(points) for relation in relations)]
    names = [(called or {}).get(name, name) for name in statistics.names]
    places = rank_names(names)
    by_name = [2 * places[names[v]] for v in points]
    told = ToldApart([])
    if len(points) > statistics.n:
        # Signs first, given the names: else where names decide, signs would.
        told = tell_apart(structures, by_name, by_name, deadline=deadline, watch=watch)
        met = set()
        for point in told.order:
            by_name[point] += points[point] in met
            met.add(points[point])
    told = tell_apart(
        structures,
        [tiers[v] for v in points],
        by_name,
        symmetries=told.symmetries,
        deadline=deadline,
        watch=watch,
    )
    return told.of_variables(points)


def order_by_names(names: Sequence[Hashable], called: Mapping[Hashable, Hashable] | None = None) -> ToldApart:
    """Order variables by their names alone, if there is no time for anything else."""
    deciding = [(called or {}).get(name, name) for name in names]
    places = rank_names(deciding)
    order = sorted(range(len(names)), key=lambda v: places[deciding[v]])
    return ToldApart(order, tied=False, undecided=order)


def unit_free_numbers(statistics: Statistics, scores: CompiledScores, order: Sequence[int]) -> list[int]:
    """Variables by keys that know no units, nor labels; those that have the same as they stand in an order."""
    tiers = _tiers(statistics.unlabelled_key, scores, unit_free=True)
    return sorted(order, key=tiers.__getitem__)


def telling_key(statistics: Statistics, scores: CompiledScores, u: int, v: int, *, unit_free: bool) -> str | None:
    """The first sort key that tells two variables apart: "scores" or "values"; None: it takes more than keys."""
    keys = score_keys(scores, unit_free=unit_free)
    if keys[u] != keys[v]:
        return "scores"
    return "values" if statistics.sort_key(u) != statistics.sort_key(v) else None


def _tiers(own_key: Callable[[int], Hashable], scores: CompiledScores, *, unit_free: bool) -> list[int]:
    """How many other keys are greater than that of each variable; its own key counts where scores tie."""
    keys = score_keys(scores, unit_free=unit_free)
    times = Counter(keys)
    keys = [(*key, own_key(v)) if times[key] > 1 else key for v, key in enumerate(keys)]
    decreasing = sorted(range(scores.n), key=keys.__getitem__, reverse=True)
    tiers = [0] * scores.n
    for before, v in pairwise(decreasing):
        tiers[v] = tiers[before] + (keys[v] != keys[before])
    return tiers


def score_keys(scores: CompiledScores, *, unit_free: bool) -> list[tuple[Hashable, ...]]:
    """Keys 1 and 2: the score alone, and the sum (n - 1 times the mean) of the scores with each single parent."""
    gains = scores.sums_with_one_parent()
    if unit_free:
        # A variable's own scale adds the same to its score with and without a parent: gains are free of units.
        return [(gain,) for gain in gains]
    alone, _ = scores.without_parents
    return [(own, (scores.n - 1) * own + gain) for own, gain in zip(alone, gains, strict=True)]
