"""The canonical order of variables (specification, section 4), by the data and not by the order of columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from itertools import pairwise

from stablebn.canonical.refinement import RefinedOrder, refine_order
from stablebn.graph.names import rank_names
from stablebn.scores.base import CompiledScores
from stablebn.stats import Statistics
from stablebn.stats.symmetries.symmetry import Relation, Structure


def canonical_order(
    statistics: Statistics,
    scores: CompiledScores,
    *,
    unit_free: bool = False,
    relations: Sequence[Relation] = (),
    called: Mapping[Hashable, Hashable] | None = None,
    deadline: float | None = None,
    watch: Callable[[str, int], None] | None = None,
) -> RefinedOrder:
    """Order the variables by decreasing sort key; the increasing order is the exact reverse.

    Parameters
    ----------
    statistics : Statistics
    scores : CompiledScores
        Scores of the same variables.
    unit_free : bool
        Compute the keys as if every variable had variance 1.
    relations : sequence of Relation
        Relations given in addition to the data, such as a graph or the allowed arcs: names decide only between
        variables that are interchangeable in these too.
    called : mapping of name to name, optional
        Names that replace the names of variables in decisions, for merged columns: units must not choose among them.
    deadline : float, optional
        Time at which names decide at the latest, in terms of `time.monotonic`.
    watch : callable, optional
        Called with the name of the current work and its progress.
    """
    tiers = _tiers(statistics.sort_key, scores, unit_free=unit_free)
    if len(set(tiers)) == scores.n:
        return RefinedOrder(sorted(range(scores.n), key=tiers.__getitem__), tied=False)
    points = statistics.points()
    structures = [*statistics.structures(), *(relation.of_points(points) for relation in relations)]
    names = [(called or {}).get(name, name) for name in statistics.names]
    places = rank_names(names)
    by_name = [2 * places[names[v]] for v in points]
    find = partial(_refined_order, points=points, tiers=[tiers[v] for v in points], by_name=by_name)
    refined = find(structures, deadline=deadline, watch=watch)
    finer = statistics.finer_rows(refined.interchangeable) if refined.interchangeable else None
    if finer is not None and not all(map(finer.keeps, refined.generators())):
        # These columns looked equal because of rounding only.
        refined = find([*structures, finer], deadline=deadline, watch=watch)
    return refined.of_variables(points)


def _refined_order(
    structures: Sequence[Structure],
    points: Sequence[int],
    tiers: Sequence[int],
    by_name: Sequence[int],
    deadline: float | None,
    watch: Callable[[str, int], None] | None,
) -> RefinedOrder:
    """Order points, of which some variables have two, by tiers, structures and names."""
    by_name = list(by_name)
    refined = RefinedOrder([])
    if len(set(points)) < len(points):
        # Decide signs first, given the names: otherwise signs would decide where names must.
        refined = refine_order(structures, by_name, by_name, deadline=deadline, watch=watch)
        seen = set()
        for point in refined.order:
            by_name[point] += points[point] in seen
            seen.add(points[point])
    return refine_order(structures, tiers, by_name, symmetries=refined.symmetries, deadline=deadline, watch=watch)


def order_by_names(names: Sequence[Hashable], called: Mapping[Hashable, Hashable] | None = None) -> RefinedOrder:
    """Order variables by their names alone, for the case that the time is up."""
    deciding = [(called or {}).get(name, name) for name in names]
    places = rank_names(deciding)
    order = sorted(range(len(names)), key=lambda v: places[deciding[v]])
    return RefinedOrder(order, tied=False, undecided=order)


def unit_free_numbers(statistics: Statistics, scores: CompiledScores, order: Sequence[int]) -> list[int]:
    """Order variables by keys without units and labels; variables with equal keys keep the given order."""
    tiers = _tiers(statistics.unlabelled_key, scores, unit_free=True)
    return sorted(order, key=tiers.__getitem__)


def telling_key(statistics: Statistics, scores: CompiledScores, u: int, v: int, *, unit_free: bool) -> str | None:
    """Return the first sort key in which two variables differ, and how u compares with v in it.

    The result is "higher own score" or "lower own score" (without parents), "higher gain" or "lower gain" (from single
    parents), "values", or None if the keys are equal.
    """
    keys = score_keys(scores, unit_free=unit_free)
    names = ("gain",) if unit_free else ("own score", "gain")
    for name, *pair in zip(names, keys[u], keys[v], strict=True):
        if pair[0] != pair[1]:
            return f"{'higher' if pair[0] > pair[1] else 'lower'} {name}"
    return "values" if statistics.sort_key(u) != statistics.sort_key(v) else None


def _tiers(own_key: Callable[[int], Hashable], scores: CompiledScores, *, unit_free: bool) -> list[int]:
    """Return, for each variable, the number of variables with greater keys; `own_key` counts if scores tie."""
    by_score = score_keys(scores, unit_free=unit_free)
    times = Counter(by_score)
    keys: list[tuple[Hashable, ...]] = [(*key, own_key(v)) if times[key] > 1 else key for v, key in enumerate(by_score)]
    decreasing = sorted(range(scores.n), key=keys.__getitem__, reverse=True)
    tiers = [0] * scores.n
    for before, v in pairwise(decreasing):
        tiers[v] = tiers[before] + (keys[v] != keys[before])
    return tiers


def score_keys(scores: CompiledScores, *, unit_free: bool) -> list[tuple[int, ...]]:
    """Return keys 1 and 2: the score without parents, and the sum of the scores with each single parent."""
    gains = scores.sums_with_one_parent()
    if unit_free:
        # The unit of a variable changes its scores with and without a parent alike: gains are free of units.
        return [(gain,) for gain in gains]
    alone, _ = scores.without_parents
    return [(score, (scores.n - 1) * score + gain) for score, gain in zip(alone, gains, strict=True)]
