"""Candidate parent sets: for each variable the sets that can be its parents in some best DAG."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from stablebn import _core
from stablebn.fixed_point import integers, limbs
from stablebn.knowledge.constraints import Constraints
from stablebn.scores.base import CompiledScores
from stablebn.stats.variable_sets import bit

logger = logging.getLogger(__name__)

# Seconds between two checks of Ctrl-C and the time limit.
_SECONDS_AT_ONCE = 0.05

MOST_SCORED = 50_000_000
"""Default limit on the number of parent sets that are scored: more than 22 variables have, whatever the score."""

MOST_FOUND = 400_000
"""After more candidates than this no larger sets are listed, unless there are few variables."""

# Up to this number of variables, dynamic programming over subsets copes with any number of candidates.
_FEW_VARIABLES = 25

# If incomplete lists are longer than this in total, this many candidates of each variable are kept.
_MOST_INCOMPLETE = 150_000
_MOST_KEPT = 3_000

# The same if the time is up, because no search follows.
_MOST_KEPT_LATE = 100

# Approximate nanoseconds that the bounds of sets that were not scored may take if the time is up.
_NANOSECONDS_LATE = 5e7


@dataclass(frozen=True)
class CandidateSets:
    """For each variable the allowed parent sets that score more than all their allowed subsets.

    A best DAG needs no others: if a subset of a variable's parents scores as much, the other parents can be removed.

    Attributes
    ----------
    sets : tuple of tuples of int
        By variable, by decreasing score; ties by the number of parents, then by the bits. The set of required parents,
        mostly the empty set, is always included.
    scores : tuple of tuples of int
        The scores of these families, in units of 2**-62.
    most_parents : int
        Sets of up to this many parents, besides the required ones, were scored.
    complete : bool
        Whether no other set can be a candidate. If not, the limit on sets or the time was reached.
    beyond : tuple of int or None
        If not complete: by variable, an upper bound of the scores of all unlisted sets; None if no bound is known.
    scored : int
        Number of sets that were scored.
    found_too_many : bool
        Whether larger sets were left out because of the number of candidates, not of the sets to score.
    """

    sets: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[int, ...], ...]
    most_parents: int
    complete: bool
    beyond: tuple[int | None, ...] = field(default=())
    scored: int = 0
    found_too_many: bool = False

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.sets)

    def __len__(self) -> int:
        """Number of sets of all variables, including empty ones."""
        return sum(map(len, self.sets))

    def with_families(self, parents: Sequence[int], scores: CompiledScores) -> CandidateSets:
        """Add the families of a DAG, except those of which a subset of the parents scores as much.

        Complete candidates already contain them.
        """
        if self.complete:
            return self
        sets, own_scores = list(self.sets), list(self.scores)
        for v, family in enumerate(parents):
            score = scores.family(v, family)
            if any(not of & ~family and score <= own for of, own in zip(sets[v], own_scores[v], strict=True)):
                continue
            more = [*zip(own_scores[v], sets[v], strict=True), (score, family)]
            sets[v], own_scores[v] = _by_score(more)
        return replace(self, sets=tuple(sets), scores=tuple(own_scores))


def candidate_sets(
    scores: CompiledScores,
    *,
    max_parents: int | None = None,
    constraints: Constraints | None = None,
    within: int | None = None,
    most_scored: int = MOST_SCORED,
    time_is_up: Callable[[], bool] | None = None,
    watch: Callable[[str, int], None] | None = None,
) -> CandidateSets:
    """Find every parent set that scores more than all its subsets, by ascending number of parents.

    The compiled core scores sets in batches. Bounds exclude most of them without scoring
    (`src/core/scores/likelihood_bounds.hpp`, `DirichletScores::most_with_more`). For scores without a bound (bge, mixed
    data, missing values) all sets of up to `max_parents` are scored.

    Parameters
    ----------
    scores : CompiledScores
    max_parents : int, optional
        Most parents of a variable without a limit in the constraints; no limit by default.
    constraints : Constraints, optional
        Constraints on the graph. Sets without the required parents are not candidates.
    within : int, optional
        Find every set that can be in a DAG within this margin of a best one, in units of 2**-62: those that score no
        less than each of their subsets less the margin (proof in `src/core/exact/candidates.hpp`). By default only sets
        that score more than all their subsets, which suffice for a best DAG.
    most_scored : int
        Most sets to score, counted and not timed: a level that needs more is not begun. With more than 25 variables no
        level is begun after more than `MOST_FOUND` candidates either.
    time_is_up : callable, optional
        Called often; returns whether to stop. Then only finished levels count.
    watch : callable, optional
        Called at intervals with the name of the current step and the number of sets scored.

    References
    ----------
    de Campos and Ji, "Efficient structure learning of Bayesian networks using constraints", 2011.
    de Campos, Scanagatta, Corani and Zaffalon, "Entropy-based pruning for learning Bayesian networks using BIC", 2018.
    """
    search = listed(
        scores,
        max_parents=max_parents,
        constraints=constraints,
        within=within,
        most_scored=most_scored,
        time_is_up=time_is_up,
        watch=watch,
    )
    return found_by(search, scores)


def listed(
    scores: CompiledScores,
    *,
    max_parents: int | None = None,
    constraints: Constraints | None = None,
    within: int | None = None,
    most_scored: int = MOST_SCORED,
    most_found: int | None = None,
    time_is_up: Callable[[], bool] | None = None,
    watch: Callable[[str, int], None] | None = None,
) -> _core.CandidateSearch:
    """Run the search of `candidate_sets` and leave its candidates in the compiled core.

    No level is begun after more than `most_found` candidates; the default is `MOST_FOUND` with more than 25 variables.
    """
    n = scores.n
    limits = constraints or Constraints.of(n)
    search = _core.CandidateSearch(
        scores.compiled,
        None if constraints is None else list(constraints.allowed),
        limits.required,
        limits.limits(max_parents),
        most_scored,
        most_found if most_found is not None else MOST_FOUND if n > _FEW_VARIABLES else most_scored,
        limbs(0 if within is None else within + 1),
    )
    is_late = time_is_up or _never

    def tell() -> None:
        if watch is not None:
            watch("candidate parent sets", search.scored)

    # Finished levels are kept.
    with suppress(_core.TimeIsUp):
        while not is_late() and not _core.within_time(is_late, partial(search.go_on, _SECONDS_AT_ONCE)):
            tell()
    tell()
    logger.debug("%d parent sets were scored", search.scored)
    return search


def _never() -> bool:
    return False


def found_by(
    search: _core.CandidateSearch, scores: CompiledScores, *, time_is_up: Callable[[], bool] | None = None
) -> CandidateSets:
    """Return the candidate sets of a search that has ended; only a few of an incomplete one once the time is up."""
    n = scores.n
    gains = [] if search.complete else _most_beyond(search, n, time_is_up or _never)
    is_late = time_is_up is not None and time_is_up()
    alone, _ = scores.without_parents
    most = None
    if not search.complete and (is_late or search.found > _MOST_INCOMPLETE):
        most = _MOST_KEPT_LATE if is_late else _MOST_KEPT
    lists = [_sorted(search, v, alone[v], most) for v in range(n)]
    beyond: tuple[int | None, ...] = ()
    if not search.complete:
        beyond = tuple(None if bound is None else bound + alone[v] for v, bound in enumerate(gains))
        if most is not None:
            # Dropped sets score no more than the last one that is kept.
            last = [bound[most - 1] if len(bound) >= most else None for _, bound in lists]
            beyond = tuple(
                bound if bound is None or left_out is None else max(bound, left_out)
                for bound, left_out in zip(beyond, last, strict=True)
            )
    return CandidateSets(
        sets=tuple(sets for sets, _ in lists),
        scores=tuple(bound for _, bound in lists),
        most_parents=search.level,
        complete=search.complete,
        beyond=beyond,
        scored=search.scored,
        found_too_many=search.found_too_many,
    )


def _most_beyond(search: _core.CandidateSearch, n: int, time_is_up: Callable[[], bool]) -> list[int | None]:
    """Bound the gain of each variable with sets that were not scored; more loosely if the time is up."""

    def bounds(nanoseconds: float) -> list[int | None]:
        return [search.most_beyond(v, nanoseconds) for v in range(n)]

    if not time_is_up():
        with suppress(_core.TimeIsUp):
            return _core.within_time(time_is_up, partial(bounds, math.inf))
    return bounds(_NANOSECONDS_LATE / max(n, 1))


def _sorted(
    search: _core.CandidateSearch, child: int, alone: int, most: int | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the candidate sets of a variable and their scores, best first; of long lists only the best."""
    sizes, members, gains = search.candidates(child)
    ends = np.cumsum(sizes)
    kept = list(range(len(sizes)))
    if most is not None and len(sizes) > most:
        # The best ones, ties by index, and the first one, which has the required parents.
        best = np.lexsort((np.arange(len(sizes)), -gains[:, 1], -gains[:, 0]))[:most]
        kept = sorted({0, *best.tolist()})
    sets = [sum(map(bit, members[ends[at] - sizes[at] : ends[at]].tolist())) for at in kept]
    gains_kept = integers(gains[kept])
    return _by_score([(alone + gain, parents) for gain, parents in zip(gains_kept, sets, strict=True)])


def _by_score(families: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return parent sets and their scores, best first."""
    families_sorted = sorted(families, key=lambda family: (-family[0], family[1].bit_count(), family[1]))
    return tuple(parents for _, parents in families_sorted), tuple(score for score, _ in families_sorted)
